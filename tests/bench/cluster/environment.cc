// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/cluster/environment.hh"

#include <rte_eal.h>
#include <rte_mbuf.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "base/startup_error.hh"

namespace rackway::bench {

Environment::Environment(int core, unsigned buffers, std::uint16_t largest_frame) {
  const unsigned room = RTE_PKTMBUF_HEADROOM + largest_frame;
  const unsigned long long megabytes = 64 + buffers * (room + 512ull) / (1u << 20);
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
  pool_ = rte_pktmbuf_pool_create("frames", buffers, 256, 0, static_cast<std::uint16_t>(room),
                                  SOCKET_ID_ANY);
  if (pool_ == nullptr) throw StartupError("no memory for buffers", "", "give more memory");
}

Environment::~Environment() {
  rte_mempool_free(pool_);
  const std::filesystem::path left_behind = rte_eal_get_runtime_dir();
  rte_eal_cleanup();
  std::error_code ignored;
  std::filesystem::remove_all(left_behind, ignored);
}

}  // namespace rackway::bench
