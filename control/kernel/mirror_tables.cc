// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/mirror_tables.hh"

#include <linux/if.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "control/kernel/route_protocol.hh"

namespace rackway::control {
namespace {

// Any of them may move next hops between alive and dead without a word (the last two with
// net.ipv4.conf.*.ignore_routes_with_linkdown).
constexpr std::uint32_t kFlagsThatMoveRoutes = IFF_UP | IFF_RUNNING | IFF_LOWER_UP;

// Both ascending: notes each key that only one of them has or that they map to different values.
template <class Map, class Note>
void compare(const Map& before, const Map& after, Note note) {
  auto a = before.begin();
  auto b = after.begin();
  while (a != before.end() || b != after.end()) {
    if (b == after.end() || (a != before.end() && a->first < b->first)) {
      note((a++)->first);
    } else if (a == before.end() || b->first < a->first) {
      note((b++)->first);
    } else {
      if (a->second != b->second) note(a->first);
      ++a;
      ++b;
    }
  }
}

template <class Messages>
bool names(const Messages& members, std::uint32_t id) {
  return std::any_of(members.begin(), members.end(),
                     [&](const NextHopMember& member) { return member.id == id; });
}

}  // namespace

MirrorTables::Silent MirrorTables::apply(const NetlinkMessage& message) {
  return std::visit([&](const auto& one) { return apply_one(one); }, message);
}

MirrorTables::Silent MirrorTables::apply_one(const LinkMessage& message) {
  const int ifindex = message.link.ifindex;
  if (message.removed) {
    forget_link(ifindex);
    return Silent::perhaps;
  }
  const auto known = links_.find(ifindex);
  const bool is_new = known == links_.end();
  if (is_new || known->second != message.link) changes_.links.insert(ifindex);
  links_.insert_or_assign(ifindex, message.link);
  const std::uint32_t before = std::exchange(link_flags_[ifindex], message.flags);
  if (is_new) return Silent::nothing;
  return ((before ^ message.flags) & kFlagsThatMoveRoutes) != 0 ? Silent::perhaps : Silent::nothing;
}

void MirrorTables::forget_link(int ifindex) {
  if (links_.erase(ifindex) > 0) changes_.links.insert(ifindex);
  link_flags_.erase(ifindex);
  if (std::erase_if(addresses_, [&](const auto& a) { return a.ifindex == ifindex; }) > 0) {
    changes_.addresses.insert(ifindex);
  }
  std::erase_if(settled_, [&](const auto& key) { return key.ifindex == ifindex; });
  std::erase_if(neighbors_, [&](const auto& entry) {
    if (entry.first.ifindex != ifindex) return false;
    changes_.neighbors.insert(entry.first);
    return true;
  });
}

bool MirrorTables::has_address(int ifindex, Family family) const {
  const IpAddress lowest =
      family == Family::ipv4 ? IpAddress(Ipv4Address{}) : IpAddress(Ipv6Address{});
  const auto at = addresses_.lower_bound(KernelAddress{ifindex, lowest, 0});
  return at != addresses_.end() && at->ifindex == ifindex && at->address.family() == family;
}

// The first address of a family on a link revives next hops; the last one that goes takes routes
// with it, as does any IPv4 address that routes name as their source.
MirrorTables::Silent MirrorTables::apply_one(const AddressMessage& message) {
  const KernelAddress& address = message.address;
  const Family family = address.address.family();
  if (!message.removed && message.usable) {
    const bool is_first = !has_address(address.ifindex, family);
    if (!addresses_.insert(address).second) return Silent::nothing;
    changes_.addresses.insert(address.ifindex);
    return is_first ? Silent::perhaps : Silent::nothing;
  }
  if (addresses_.erase(address) == 0) return Silent::nothing;
  changes_.addresses.insert(address.ifindex);
  const bool takes_routes = family == Family::ipv4 || !has_address(address.ifindex, family);
  return takes_routes ? Silent::perhaps : Silent::nothing;
}

MirrorTables::Silent MirrorTables::apply_one(const NeighborMessage& message) {
  const bool is_settled = message.fixed || (message.managed && message.mac);
  if (is_settled) settled_.insert(message.key);
  if (!is_settled) settled_.erase(message.key);
  const auto known = neighbors_.find(message.key);
  if (!message.mac) {
    if (known == neighbors_.end()) return Silent::nothing;
    neighbors_.erase(known);
  } else {
    if (known != neighbors_.end() && known->second == *message.mac) return Silent::nothing;
    neighbors_.insert_or_assign(message.key, *message.mac);
  }
  changes_.neighbors.insert(message.key);
  return Silent::nothing;
}

bool MirrorTables::routes_use(std::uint32_t next_hop_id) const {
  if (table_.uses_next_hop(next_hop_id)) return true;
  return std::any_of(groups_.begin(), groups_.end(), [&](const auto& group) {
    return table_.uses_next_hop(group.first) && names(group.second, next_hop_id);
  });
}

// A replaced object makes the kernel tell of every route that uses it; a deleted one takes its
// IPv4 routes, and its place in groups, silently.
MirrorTables::Silent MirrorTables::apply_one(const NextHopMessage& message) {
  if (message.removed) {
    const bool was_used = routes_use(message.id);
    groups_.erase(message.id);
    return was_used ? Silent::perhaps : Silent::nothing;
  }
  if (message.members.empty()) {
    groups_.erase(message.id);
  } else {
    groups_.insert_or_assign(message.id, message.members);
  }
  return Silent::nothing;
}

MirrorTables::Silent MirrorTables::apply_one(const RouteMessage& message) {
  if (daemons_ == DaemonRoutes::by_fpm && is_of_zebra(message.route.protocol)) {
    return Silent::nothing;
  }
  RouteMessage weighted = message;
  // A route message has 8 bits for a weight, a group 16.
  const auto group = groups_.find(message.route.nexthop_id);
  if (group != groups_.end() && group->second.size() == message.route.hops.size()) {
    for (std::size_t i = 0; i < group->second.size(); ++i) {
      weighted.route.hops[i].hop.weight = group->second[i].weight;
    }
  }
  const auto applied = table_.apply(weighted);
  publish(message.prefix);
  switch (applied) {
    case RouteTable::Applied::sure: return Silent::nothing;
    case RouteTable::Applied::unknown: return Silent::unknown_route;
    default: return Silent::perhaps;
  }
}

void MirrorTables::publish(const IpPrefix& prefix) {
  auto best = table_.best(prefix);
  const auto known = routes_.find(prefix);
  if (!best) {
    if (known == routes_.end()) return;
    routes_.erase(known);
  } else {
    if (known != routes_.end() && known->second == *best) return;
    routes_.insert_or_assign(prefix, std::move(*best));
  }
  changes_.routes.insert(prefix);
}

void MirrorTables::become(MirrorTables&& dumped) {
  KernelChanges changes = take_changes();
  compare(links_, dumped.links_, [&](int ifindex) { changes.links.insert(ifindex); });
  compare(neighbors_, dumped.neighbors_, [&](const auto& key) { changes.neighbors.insert(key); });
  compare(routes_, dumped.routes_, [&](const auto& prefix) { changes.routes.insert(prefix); });
  std::vector<KernelAddress> differing;
  std::set_symmetric_difference(addresses_.begin(), addresses_.end(), dumped.addresses_.begin(),
                                dumped.addresses_.end(), std::back_inserter(differing));
  for (const KernelAddress& address : differing) changes.addresses.insert(address.ifindex);
  *this = std::move(dumped);
  changes_ = std::move(changes);
}

KernelChanges MirrorTables::take_changes() {
  return std::exchange(changes_, {});
}

}  // namespace rackway::control
