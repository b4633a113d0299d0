// SPDX-License-Identifier: Apache-2.0
// A route as the tables of one family know it: its next hop is an id within the FIB.
#pragma once

#include <compare>

#include "base/ip_address.hh"
#include "fib/next_hop_id.hh"

namespace rackway::fib {

struct TableRoute {
  IpPrefix prefix;
  NextHopId next_hop;
  auto operator<=>(const TableRoute&) const = default;
};

}  // namespace rackway::fib
