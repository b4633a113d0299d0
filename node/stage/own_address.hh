// SPDX-License-Identifier: Apache-2.0
// The router's own addresses on the interface that a frame came in by, and what ARP and neighbour
// discovery ask: is this one of them, and does the FIB know the asker already as it shows itself?
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "node/burst.hh"

namespace rackway::node {

// On the port, or in a VLAN of it; a VLAN without any is none of the router's interfaces.
[[nodiscard]] inline std::span<const fib::PortAddress> own_addresses(const Context& context,
                                                                     VlanId vlan) noexcept {
  const auto all = context.fib.addresses_of(context.self);
  const auto before = [](const fib::PortAddress& a, const fib::PortAddress& b) {
    return std::pair(a.port, a.vlan) < std::pair(b.port, b.vlan);
  };
  const fib::PortAddress interface { .port = context.port, .vlan = vlan };
  const auto [first, last] = std::equal_range(all.begin(), all.end(), interface, before);
  return {first, last};
}

[[nodiscard]] inline bool is_own_address(const Context& context, VlanId vlan,
                                         const IpAddress& address) noexcept {
  return std::ranges::any_of(own_addresses(context, vlan),
                             [&](const fib::PortAddress& own) { return own.address == address; });
}

// The node answers a neighbour whom the router knows, and any while the controller is away. An
// unknown one, or one whose MAC changed, is left to the kernel, which answers and learns from it.
[[nodiscard]] inline bool node_answers(const Context& context, VlanId vlan,
                                       const IpAddress& neighbor, const MacAddress& mac) noexcept {
  if (!context.controller_present) return true;
  const auto id =
      neighbor.is_v4() ? context.fib.lookup(neighbor.v4()) : context.fib.lookup(neighbor.v6());
  const auto group = context.fib.group(id);
  if (group.kind != fib::GroupKind::forward || group.buckets.size() != 1) return false;
  const auto& bucket = group.buckets.front();
  if (bucket.node != context.self) return false;
  const auto adjacencies = context.fib.adjacencies_of(context.self);
  if (bucket.index.value >= adjacencies.size()) return false;
  const auto& adjacency = adjacencies[bucket.index.value];
  return adjacency.valid && adjacency.port == context.port && adjacency.vlan == vlan &&
         adjacency.destination == mac;
}

}  // namespace rackway::node
