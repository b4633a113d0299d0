// SPDX-License-Identifier: Apache-2.0
// Routes as the router's owner thinks of them: a prefix goes to neighbours on interfaces of the
// router, or is of a kind that needs none. Between the kernel's view (links) and the FIB's (groups,
// adjacencies, indices).
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "base/id.hh"
#include "base/ip_address.hh"
#include "fib/records.hh"

namespace rackway::control {

// An interface of the router: an external port, or a VLAN of it.
struct InterfaceRef {
  NodeId node;
  PortId port;
  VlanId vlan{};
  auto operator<=>(const InterfaceRef&) const = default;
};

// A neighbour: an address on an interface's link. Link-local addresses mean one neighbour per
// interface.
struct Neighbor {
  InterfaceRef interface;
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
