// SPDX-License-Identifier: Apache-2.0
// A node as the bench runs it: the product's forwarding core, made by hand instead of by an agent,
// between ports in memory. It is node 0 of a full mesh of five; which of its ports and links bring
// packets, and what its FIB does with them, is its duty.
//
// DPDK runs and has ports to give (net_null, net_pcap) before one is made. One in a process.
#pragma once

#include <rte_mempool.h>

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "node/forwarding_core.hh"
#include "tests/bench/forward/packet_source.hh"
#include "tests/bench/forward/table_file.hh"

namespace rackway::bench {

enum class Duty {
  routed,       // from four ports to four ports
  to_fabric,    // from four ports, all to the other nodes
  half_fabric,  // from four ports, half to the other nodes
  relay,        // from four links to other nodes
  egress,       // from four links to four ports
  groups,       // as routed, next hops in groups of several, and packets for the router itself
};
[[nodiscard]] std::optional<Duty> duty_of(const std::string& name);

inline constexpr std::uint32_t kNextHops = 64;         // of all duties but groups
inline constexpr std::uint32_t kGroupNextHops = 1000;  // of duty groups, behind as many groups
inline constexpr std::uint32_t kGroupMembers = 4;

// Whom packets are for; every port of the bench has it.
inline constexpr MacAddress kRouterMac{{0x02, 0x00, 0x00, 0x00, 0x00, 0x01}};
inline constexpr Ipv4Address kRouterAddress{100u << 24 | 64u << 16 | 1};

// What a FIB holds for a duty, as a delta over the empty one.
[[nodiscard]] fib::Delta content(Duty duty, std::span<const FileRoute> routes);

struct BenchNode {
  // With queues for so many cores. pcap: a file to take packets from, instead of net_null; empty:
  // none. Throws StartupError.
  BenchNode(Duty duty, std::span<const FileRoute> routes, rte_mempool* pool,
            const std::string& pcap = {}, std::uint16_t cores = 1);
  ~BenchNode();
  BenchNode(const BenchNode&) = delete;
  BenchNode& operator=(const BenchNode&) = delete;

  // What the places that bring packets receive by a core's queue is of this source from now on.
  void feed_from(PacketSource& source, std::uint16_t core = 0) const;

  node::Shared shared;

 private:
  std::vector<std::uint16_t> sources_;  // DPDK ports
};

}  // namespace rackway::bench
