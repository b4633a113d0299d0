// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/cluster/environment.hh"

#include <rte_eal.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/startup_error.hh"

namespace rackway::bench {

namespace {

// Before it is touched; else a frame costs a miss of the TLB.
int ask_for_huge_pages(const rte_memseg_list* list, void*) {
  ::madvise(list->base_va, list->len, MADV_HUGEPAGE);
  return 0;
}

unsigned long long octets_of(const Environment::Buffers& buffers) {
  return buffers.count * (buffers.largest_frame + 640ull);
}

rte_mempool* new_pool(const char* name, const Environment::Buffers& buffers) {
  auto* pool = rte_pktmbuf_pool_create(
      name, buffers.count, 256, 0,
      static_cast<std::uint16_t>(RTE_PKTMBUF_HEADROOM + buffers.largest_frame), SOCKET_ID_ANY);
  if (pool == nullptr) throw StartupError("no memory for buffers", "", "give more memory");
  return pool;
}

}  // namespace

Environment::Environment(int core, Buffers buffers) {
  const unsigned long long megabytes = 96 + ((octets_of(buffers) + octets_of(kSmallBuffers)) >> 20);
  std::vector<std::string> arguments{"bench_cluster",
                                     "--lcores",
                                     "0@" + std::to_string(core),
                                     "--no-huge",
                                     "--no-shconf",
                                     "--no-pci",
                                     "--no-telemetry",
                                     "--log-level",
                                     "*:critical",
                                     "-m",
                                     std::to_string(megabytes),
                                     "--file-prefix",
                                     "bench-cluster-" + std::to_string(::getpid())};
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  if (rte_eal_init(static_cast<int>(argv.size()), argv.data()) < 0) {
    throw StartupError("DPDK does not start", "", "give more memory");
  }
  rte_memseg_list_walk(ask_for_huge_pages, nullptr);
  pool_ = new_pool("frames", buffers);
  small_pool_ = new_pool("small-frames", kSmallBuffers);
}

Environment::~Environment() {
  rte_mempool_free(small_pool_);
  rte_mempool_free(pool_);
  const std::filesystem::path left_behind = rte_eal_get_runtime_dir();
  rte_eal_cleanup();
  std::error_code ignored;
  std::filesystem::remove_all(left_behind, ignored);
}

}  // namespace rackway::bench
