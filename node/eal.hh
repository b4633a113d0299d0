// SPDX-License-Identifier: Apache-2.0
// Starts DPDK's environment for a node: its memory (hugepages where there are enough, ordinary
// pages where not), lcores (the agent's main one and the forwarding cores), and the pool of
// packet buffers. Many nodes may run on one machine.
#pragma once

#include <rte_mempool.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rackway::node {

enum class Hugepages { automatic, require, never };

struct EalOptions {
  std::string name;  // of the node; makes the runtime folder's name
  std::uint32_t memory_mb{128};
  Hugepages hugepages{Hugepages::automatic};
  std::uint16_t cores{1};      // forwarding
  std::vector<unsigned> cpus;  // one for each of them, or none: the scheduler's choice
  bool pci{false};             // look for PCI devices
};

// Leaves no file behind, however the process ends. There is no end to it but that of the process:
// rte_eal_cleanup() closes devices once more, on its thread, while the interrupt thread may still
// be at them. Throws StartupError: what is missing and how to get it.
void start_eal(const EalOptions& options);
[[nodiscard]] unsigned forwarding_lcore(std::uint16_t core = 0);

// Octets of a packet buffer: 2 KiB, or as many times that as a frame of this MTU needs with what
// drivers put around it.
[[nodiscard]] constexpr std::uint16_t buffer_room(std::uint16_t largest_mtu) noexcept {
  constexpr std::uint32_t kStep = 2048, kAround = 128;
  return static_cast<std::uint16_t>((largest_mtu + kAround + kStep - 1) / kStep * kStep);
}

// Packet buffers for the whole node. Throws StartupError when there is too little memory.
[[nodiscard]] rte_mempool* make_packet_pool(std::uint32_t buffers, std::uint16_t room = 2048);

}  // namespace rackway::node
