// SPDX-License-Identifier: Apache-2.0
// Every route that the kernel holds for a prefix, in the kernel's order, so that the one it uses is
// known also after that one is withdrawn. Fed with route messages, of a dump or of events; both may
// tell of the same change, since events that wait during a dump are read after it.
// The kernel's rules, which are this table's:
//  - a prefix's routes stand in the order of table (local first) and metric;
//  - IPv4: equal metrics may stand side by side; an addition goes to the front of them, with
//    NLM_F_APPEND to their end, with NLM_F_REPLACE in the place of the first;
//  - IPv6: routes with gateways and one metric are one route with many next hops, and an addition
//    names them all, but a deletion only those that go.
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "control/kernel/kernel_mirror.hh"
#include "control/kernel/netlink_messages.hh"

namespace rackway::control {

class RouteTable {
 public:
  // unknown: a route was deleted that is not here. doubtful: it stood among equals, of which the
  // kernel's messages do not tell the order for certain. Both ask for a look at its own table.
  enum class Applied : std::uint8_t { sure, unknown, doubtful };
  Applied apply(const RouteMessage& message);

  // The route that the kernel uses for the prefix; nullopt when all are unusable or there is none.
  [[nodiscard]] std::optional<KernelRoute> best(const IpPrefix& prefix) const;
  // Whether a route refers to that next-hop object.
  [[nodiscard]] bool uses_next_hop(std::uint32_t id) const { return uses_.contains(id); }

 private:
  using Entries = std::vector<HeldRoute>;
  using Place = Entries::iterator;

  Applied add(const RouteMessage& message);
  Applied remove(const RouteMessage& message);
  Applied add_ipv4(Entries& entries, Place first, Place last, const RouteMessage& message);
  void add_ipv6(Entries& entries, Place first, Place last, const RouteMessage& message);
  bool remove_ipv4(Entries& entries, Place first, Place last, const HeldRoute& gone);
  bool remove_ipv6(Entries& entries, Place first, Place last, const HeldRoute& gone);
  void insert(Entries& entries, Place at, const HeldRoute& route);
  void assign(Place at, const HeldRoute& route);
  void erase(Entries& entries, Place at);
  void count_use(std::uint32_t nexthop_id);
  void count_disuse(std::uint32_t nexthop_id);

  std::unordered_map<IpPrefix, Entries> prefixes_;       // no empty ones
  std::unordered_map<std::uint32_t, std::size_t> uses_;  // next-hop object -> routes
};

}  // namespace rackway::control
