// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/route_table.hh"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rackway::control {
namespace {

bool is_same_hop(const RouteHop& a, const RouteHop& b) {
  return a.hop.ifindex == b.hop.ifindex && a.hop.gateway == b.hop.gateway;
}

bool contains(const std::vector<RouteHop>& hops, const RouteHop& hop) {
  return std::any_of(hops.begin(), hops.end(),
                     [&](const RouteHop& h) { return is_same_hop(h, hop); });
}

// Whether the kernel would call them the same route. State and weights of next hops may have
// changed in between, and a next-hop object's content as well.
bool is_same(const HeldRoute& a, const HeldRoute& b) {
  if (a.type != b.type || a.protocol != b.protocol || a.variant != b.variant) return false;
  if (a.nexthop_id != b.nexthop_id) return false;
  return a.nexthop_id != 0 ||
         std::equal(a.hops.begin(), a.hops.end(), b.hops.begin(), b.hops.end(), is_same_hop);
}

// IPv6: whether it is one route with its like, however many commands made it.
bool joins_next_hops(const HeldRoute& route) {
  return route.nexthop_id == 0 && !route.hops.empty() &&
         std::all_of(route.hops.begin(), route.hops.end(),
                     [](const RouteHop& h) { return h.hop.gateway.has_value(); });
}

// One of an unsupported type is used as well, though not by us: what stands behind it is not.
bool is_usable(const HeldRoute& route) {
  return route.type != KernelRouteType::unicast ||
         std::any_of(route.hops.begin(), route.hops.end(),
                     [](const RouteHop& h) { return h.usable; });
}

bool refuses(KernelRouteType type) {
  return type == KernelRouteType::blackhole || type == KernelRouteType::unreachable ||
         type == KernelRouteType::prohibit;
}

KernelRoute published(const HeldRoute& held) {
  KernelRoute route{*held.type, held.protocol, {}};
  if (refuses(*held.type)) return route;
  for (const RouteHop& hop : held.hops) {
    if (hop.usable) route.next_hops.push_back(hop.hop);
  }
  std::sort(route.next_hops.begin(), route.next_hops.end());
  return route;
}

bool ranks_before(const HeldRoute& a, const HeldRoute& b) {
  return std::pair(!a.local_table, a.metric) < std::pair(!b.local_table, b.metric);
}

}  // namespace

RouteTable::Applied RouteTable::apply(const RouteMessage& message) {
  return message.removed ? remove(message) : add(message);
}

std::optional<KernelRoute> RouteTable::best(const IpPrefix& prefix) const {
  const auto found = prefixes_.find(prefix);
  if (found == prefixes_.end()) return std::nullopt;
  const auto used = std::find_if(found->second.begin(), found->second.end(), is_usable);
  if (used == found->second.end() || !used->type) return std::nullopt;
  return published(*used);
}

RouteTable::Applied RouteTable::add(const RouteMessage& message) {
  Entries& entries = prefixes_[message.prefix];
  const auto [first, last] =
      std::equal_range(entries.begin(), entries.end(), message.route, ranks_before);
  if (message.prefix.address.is_v4()) return add_ipv4(entries, first, last, message);
  const bool among_others = std::distance(first, last) > 1;
  add_ipv6(entries, first, last, message);
  return among_others ? Applied::doubtful : Applied::sure;
}

RouteTable::Applied RouteTable::add_ipv4(Entries& entries, Place first, Place last,
                                         const RouteMessage& message) {
  const auto known =
      std::find_if(first, last, [&](const HeldRoute& r) { return is_same(r, message.route); });
  if (known != last) {
    assign(known, message.route);  // told twice; the kernel holds no two of the same
    return Applied::sure;
  }
  if (message.replace && first != last) {
    const bool only = std::distance(first, last) == 1;
    assign(first, message.route);
    return only ? Applied::sure : Applied::doubtful;
  }
  insert(entries, message.append ? last : first, message.route);
  return Applied::sure;
}

void RouteTable::add_ipv6(Entries& entries, Place first, Place last, const RouteMessage& message) {
  const bool joins = joins_next_hops(message.route);
  auto place = std::find_if(first, last, [&](const HeldRoute& r) {
    if (joins_next_hops(r) != joins) return false;
    return joins || message.replace || is_same(r, message.route);
  });
  if (place == last && message.replace) place = first;
  if (place == last) {
    insert(entries, last, message.route);
  } else {
    assign(place, message.route);
  }
}

RouteTable::Applied RouteTable::remove(const RouteMessage& message) {
  const auto found = prefixes_.find(message.prefix);
  if (found == prefixes_.end()) return Applied::unknown;
  Entries& entries = found->second;
  const auto [first, last] =
      std::equal_range(entries.begin(), entries.end(), message.route, ranks_before);
  const bool is_v4 = message.prefix.address.is_v4();
  const bool among_others = !is_v4 && std::distance(first, last) > 1;
  const bool removed = is_v4 ? remove_ipv4(entries, first, last, message.route)
                             : remove_ipv6(entries, first, last, message.route);
  if (entries.empty()) prefixes_.erase(found);
  if (!removed) return Applied::unknown;
  return among_others ? Applied::doubtful : Applied::sure;
}

bool RouteTable::remove_ipv4(Entries& entries, Place first, Place last, const HeldRoute& gone) {
  const auto known =
      std::find_if(first, last, [&](const HeldRoute& r) { return is_same(r, gone); });
  if (known == last) return false;
  erase(entries, known);
  return true;
}

bool RouteTable::remove_ipv6(Entries& entries, Place first, Place last, const HeldRoute& gone) {
  if (!joins_next_hops(gone)) return remove_ipv4(entries, first, last, gone);
  const auto known = std::find_if(first, last, [&](const HeldRoute& r) {
    return joins_next_hops(r) && r.type == gone.type &&
           std::all_of(gone.hops.begin(), gone.hops.end(),
                       [&](const RouteHop& hop) { return contains(r.hops, hop); });
  });
  if (known == last) return false;
  std::erase_if(known->hops, [&](const RouteHop& hop) { return contains(gone.hops, hop); });
  if (known->hops.empty()) erase(entries, known);
  return true;
}

void RouteTable::insert(Entries& entries, Place at, const HeldRoute& route) {
  count_use(route.nexthop_id);
  entries.insert(at, route);
}

void RouteTable::assign(Place at, const HeldRoute& route) {
  count_use(route.nexthop_id);
  count_disuse(at->nexthop_id);
  *at = route;
}

void RouteTable::erase(Entries& entries, Place at) {
  count_disuse(at->nexthop_id);
  entries.erase(at);
}

void RouteTable::count_use(std::uint32_t nexthop_id) {
  if (nexthop_id != 0) ++uses_[nexthop_id];
}

void RouteTable::count_disuse(std::uint32_t nexthop_id) {
  const auto use = uses_.find(nexthop_id);
  if (use != uses_.end() && --use->second == 0) uses_.erase(use);
}

}  // namespace rackway::control
