// SPDX-License-Identifier: Apache-2.0
#include "node/eal.hh"

#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_log.h>
#include <rte_mbuf.h>
#include <sched.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "base/log.hh"
#include "base/startup_error.hh"

namespace rackway::node {
namespace {

constexpr char kFreeHugepages[] = "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages";
constexpr unsigned kAgentLcore = 0, kFirstForwardingLcore = 1;

std::uint32_t free_hugepages() {
  std::uint32_t count = 0;
  std::ifstream(kFreeHugepages) >> count;
  return count;
}

bool use_hugepages(const EalOptions& options) {
  const std::uint32_t needed = (options.memory_mb + 1) / 2;
  const std::uint32_t free = free_hugepages();
  if (options.hugepages == Hugepages::never) return false;
  if (free >= needed) return true;
  if (options.hugepages == Hugepages::require) {
    throw StartupError("needs " + std::to_string(needed) + " free hugepages of 2 MB, there are " +
                           std::to_string(free),
                       kFreeHugepages,
                       "run `sysctl vm.nr_hugepages=N` with a larger N, or start with "
                       "--hugepages auto");
  }
  log::info("{} of {} hugepages free: using ordinary pages", free, needed);
  return false;
}

// The lcores as EAL writes them: all over all CPUs we may run on, or each core on one of its own.
std::string lcore_map(const EalOptions& options) {
  cpu_set_t allowed;
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  for (const unsigned cpu : options.cpus) {
    if (cpu < CPU_SETSIZE && CPU_ISSET(cpu, &allowed)) continue;
    throw StartupError("CPU " + std::to_string(cpu) + " is not one we may run on", "--cpu",
                       "choose one of those that `taskset -cp $$` shows");
  }
  std::string all;
  for (unsigned i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &allowed)) all += (all.empty() ? "" : ",") + std::to_string(i);
  }
  std::string map = std::to_string(kAgentLcore) + "@(" + all + ")";
  for (std::uint16_t core = 0; core < options.cores; ++core) {
    const std::string cpu =
        options.cpus.empty() ? "(" + all + ")" : std::to_string(options.cpus[core]);
    map += "," + std::to_string(forwarding_lcore(core)) + "@" + cpu;
  }
  return map;
}

std::vector<std::string> eal_arguments(const EalOptions& options) {
  std::vector<std::string> arguments{
      "rackway-node",     "--main-lcore", std::to_string(kAgentLcore),       "--lcores",
      lcore_map(options), "-m",           std::to_string(options.memory_mb), "--no-telemetry",
      "--log-level",      "*:critical"};
  if (!options.pci) arguments.emplace_back("--no-pci");
  if (use_hugepages(options)) {
    arguments.emplace_back("--in-memory");
  } else {
    arguments.insert(arguments.end(), {"--no-huge", "--no-shconf", "--file-prefix",
                                       options.name + "-" + std::to_string(::getpid())});
  }
  return arguments;
}

}  // namespace

void start_eal(const EalOptions& options) {
  if (::geteuid() != 0) {
    throw StartupError("not root", "", "run as root: a node opens network devices");
  }
  auto arguments = eal_arguments(options);
  std::vector<char*> argv;
  for (auto& argument : arguments) argv.push_back(argument.data());
  if (rte_eal_init(static_cast<int>(argv.size()), argv.data()) < 0) {
    throw StartupError(std::string("DPDK does not start: ") + rte_strerror(rte_errno),
                       std::to_string(options.memory_mb) + " MB",
                       "give another --memory, or --hugepages never");
  }
  // Nothing that DPDK keeps there is used, and a node that is killed should leave nothing.
  std::error_code ignored;
  std::filesystem::remove_all(rte_eal_get_runtime_dir(), ignored);
  rte_log_set_level_pattern("*", RTE_LOG_WARNING);
  // It complains of every attempt to reach a peer that is not there yet.
  rte_log_set_level_pattern("pmd.net.memif", RTE_LOG_EMERG);
}

unsigned forwarding_lcore(std::uint16_t core) {
  return kFirstForwardingLcore + core;
}

rte_mempool* make_packet_pool(std::uint32_t buffers, std::uint16_t room) {
  constexpr unsigned kCache = 256;
  auto* pool = rte_pktmbuf_pool_create("packets", buffers, kCache, 0,
                                       static_cast<std::uint16_t>(room + RTE_PKTMBUF_HEADROOM),
                                       static_cast<int>(rte_socket_id()));
  if (pool == nullptr) {
    throw StartupError(
        "no memory for " + std::to_string(buffers) + " packet buffers: " + rte_strerror(rte_errno),
        "", "give more --memory");
  }
  return pool;
}

}  // namespace rackway::node
