// SPDX-License-Identifier: Apache-2.0
// What ARP and neighbour discovery share: is an address the router's own on this port, and does the
// FIB know the asker already as it shows itself?
#pragma once

#include <optional>

#include "node/burst.hh"

namespace rackway::node {

[[nodiscard]] inline bool is_own_address(const Context& context,
                                         const IpAddress& address) noexcept {
  for (const auto& own : context.fib.addresses_of(context.self)) {
    if (own.port == context.port && own.address == address) return true;
  }
  return false;
}

// The node answers a neighbour whom the router knows, and any while the controller is away. An
// unknown one, or one whose MAC changed, is left to the kernel, which answers and learns from it.
[[nodiscard]] inline bool node_answers(const Context& context, const IpAddress& neighbor,
                                       const MacAddress& mac) noexcept {
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
  return adjacency.valid && adjacency.port == context.port && adjacency.destination == mac;
}

}  // namespace rackway::node
