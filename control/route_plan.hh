// SPDX-License-Identifier: Apache-2.0
// Routes as the router's owner thinks of them: a prefix goes to neighbours on ports of the cluster,
// or is of a kind that needs none. Between the kernel's view (interfaces) and the FIB's (groups,
// adjacencies, indices).
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/id.hh"
#include "base/ip_address.hh"
#include "fib/records.hh"

namespace rackway::control {

struct PortRef {
  NodeId node;
  PortId port;
  auto operator<=>(const PortRef&) const = default;
};

// A neighbour: an address on a port's link. Link-local addresses mean one neighbour per port.
struct Neighbor {
  PortRef port;
  IpAddress address;
  auto operator<=>(const Neighbor&) const = default;
};

struct NextHop {
  Neighbor neighbor;
  std::uint16_t weight{1};
  auto operator<=>(const NextHop&) const = default;
};

// Where packets go; equal targets share a next-hop group.
struct Target {
  fib::GroupKind kind{};
  std::vector<NextHop> next_hops;  // 1 or more if forward, else none; sorted
  auto operator<=>(const Target&) const = default;
};

}  // namespace rackway::control
