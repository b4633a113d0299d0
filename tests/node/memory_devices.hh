// SPDX-License-Identifier: Apache-2.0
// DPDK for a test process: started without hugepages, PCI or anything that outlives the process, a
// pool of buffers, and ports whose queues are rings in memory, so that rte_eth_rx_burst and
// rte_eth_tx_burst work and a test holds the other end. One per process, made when first asked for.
#pragma once

#include <rte_eal.h>
#include <rte_eth_ring.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_ring.h>
#include <sched.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace rackway::node::testing {

constexpr std::size_t kPorts = 2, kLinks = 3, kOutputs = kPorts + kLinks;
constexpr unsigned kRingFrames = 255;  // that fit into a ring
constexpr unsigned kPoolFrames = 4095;

[[noreturn]] inline void broken(const std::string& what) {
  throw std::logic_error("packet harness: " + what);
}
inline void require(bool holds, const char* what) {
  if (!holds) broken(what);
}

// DPDK, the buffers and the ports: made once in a process, as DPDK can not be started twice.
class Devices {
 public:
  static Devices& instance() {
    static Devices devices;
    return devices;
  }

  Devices(const Devices&) = delete;
  Devices& operator=(const Devices&) = delete;
  ~Devices() {
    for (const auto port : device) {
      rte_eth_dev_stop(port);
      rte_eth_dev_close(port);
    }
    const std::filesystem::path left_behind = rte_eal_get_runtime_dir();
    rte_eal_cleanup();
    std::error_code ignored;
    std::filesystem::remove_all(left_behind, ignored);
  }

  rte_mempool* pool{};
  std::array<std::uint16_t, kOutputs> device{};
  std::array<rte_ring*, kOutputs> to_core{}, from_core{};  // as the node sees it
  rte_ring *punted{}, *injected{};

 private:
  Devices() {
    start_eal();
    pool = rte_pktmbuf_pool_create("frames", kPoolFrames, 0, 0, 2 * RTE_PKTMBUF_HEADROOM,
                                   SOCKET_ID_ANY);
    require(pool != nullptr, "no buffers");
    punted = ring("punted");
    injected = ring("injected");
    for (std::size_t i = 0; i < kOutputs; ++i) make_port(i);
  }

  // All CPUs for the one lcore: EAL would pin the test to one otherwise, and its threads with it.
  static std::string lcores() {
    cpu_set_t allowed;
    ::sched_getaffinity(0, sizeof allowed, &allowed);
    std::string all;
    for (unsigned i = 0; i < CPU_SETSIZE; ++i) {
      if (CPU_ISSET(i, &allowed)) all += (all.empty() ? "" : ",") + std::to_string(i);
    }
    return "0@(" + all + ")";
  }

  static void start_eal() {
    std::vector<std::string> arguments{"test_node",
                                       "--lcores",
                                       lcores(),
                                       "--no-huge",
                                       "--no-shconf",
                                       "--no-pci",
                                       "--no-telemetry",
                                       "--log-level",
                                       "*:critical",
                                       "-m",
                                       "64",
                                       "--file-prefix",
                                       "test-node-" + std::to_string(::getpid())};
    std::vector<char*> argv;
    for (auto& argument : arguments) argv.push_back(argument.data());
    require(rte_eal_init(static_cast<int>(argv.size()), argv.data()) >= 0, "DPDK does not start");
  }

  static rte_ring* ring(const std::string& name) {
    auto* made = rte_ring_create(name.c_str(), kRingFrames + 1, SOCKET_ID_ANY,
                                 RING_F_SP_ENQ | RING_F_SC_DEQ);
    require(made != nullptr, "no ring");
    return made;
  }

  void make_port(std::size_t i) {
    const auto name = std::to_string(i);
    to_core[i] = ring("to-core-" + name);
    from_core[i] = ring("from-core-" + name);
    const int made = rte_eth_from_rings(name.c_str(), &to_core[i], 1, &from_core[i], 1, 0);
    require(made >= 0, "no port in memory");
    device[i] = static_cast<std::uint16_t>(made);
    const rte_eth_conf configuration{};
    require(rte_eth_dev_configure(device[i], 1, 1, &configuration) == 0 &&
                rte_eth_rx_queue_setup(device[i], 0, 64, 0, nullptr, pool) == 0 &&
                rte_eth_tx_queue_setup(device[i], 0, 64, 0, nullptr) == 0 &&
                rte_eth_dev_start(device[i]) == 0,
            "a port in memory does not start");
  }
};

}  // namespace rackway::node::testing
