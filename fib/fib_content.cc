// SPDX-License-Identifier: Apache-2.0
#include "fib/fib_content.hh"

#include <algorithm>

#include "fib/record_digest.hh"

namespace rackway::fib {

// What is referred to comes first and goes last.
void FibContent::apply(const Delta& delta) {
  for (const auto& adjacency : delta.adjacencies) set(adjacency);
  for (const auto& group : delta.groups) set(group);
  for (const auto& route : delta.routes) set(route);
  for (const auto& prefix : delta.removed_routes) remove(prefix);
  refresh();
  for (const auto id : delta.removed_groups) remove(id);
  for (const auto key : delta.removed_adjacencies) remove(key);
  for (const auto& address : delta.addresses) add(address);
  for (const auto& address : delta.removed_addresses) remove(address);
}

// Default ids show their group as it is after this delta.
void FibContent::refresh() {
  ipv4.refresh();
  ipv6.refresh();
  groups.set_default(kIpv4Default, ipv4.find({Ipv4Address{}, 0}));
  groups.set_default(kIpv6Default, ipv6.find({Ipv6Address{}, 0}));
}

void FibContent::set(const Adjacency& adjacency) {
  bool other_mtu = false;
  if (const Adjacency* old = adjacencies.find(adjacency.key)) {
    digest -= digest_of(*old);
    other_mtu = old->mtu != adjacency.mtu;
  }
  adjacencies.set(adjacency);
  if (other_mtu) groups.refresh_mtu(adjacency);
  digest += digest_of(adjacency);
}

void FibContent::set(const Group& group) {
  if (const Group* old = groups.find(group.id)) digest -= digest_of(*old);
  groups.set(group, adjacencies);
  digest += digest_of(group);
}

void FibContent::set(const Route& route) {
  const auto next_hop = groups.next_hop_of(route.group);
  const auto& prefix = route.prefix;
  const auto before =
      prefix.address.is_v4() ? ipv4.set(prefix, next_hop) : ipv6.set(prefix, next_hop);
  if (before) forget(prefix, *before);
  groups.retain(route.group);
  digest += digest_of(route);
}

void FibContent::forget(const IpPrefix& prefix, NextHopId next_hop) {
  const GroupId group = groups.group_of(next_hop);
  groups.release(group);
  digest -= digest_of(Route{prefix, group});
}

void FibContent::add(const PortAddress& address) {
  if (addresses.add(address)) digest += digest_of(address);
}

void FibContent::remove(AdjacencyKey key) {
  digest -= digest_of(*adjacencies.find(key));
  adjacencies.remove(key);
}

void FibContent::remove(GroupId id) {
  digest -= digest_of(*groups.find(id));
  groups.remove(id);
}

void FibContent::remove(const IpPrefix& prefix) {
  const auto before = prefix.address.is_v4() ? ipv4.remove(prefix) : ipv6.remove(prefix);
  if (before) forget(prefix, *before);
}

void FibContent::remove(const PortAddress& address) {
  if (addresses.remove(address)) digest -= digest_of(address);
}

std::optional<Route> FibContent::find(const IpPrefix& prefix) const {
  const auto next_hop = prefix.address.is_v4() ? ipv4.find(prefix) : ipv6.find(prefix);
  if (!next_hop) return std::nullopt;
  return Route{prefix, groups.group_of(*next_hop)};
}

std::optional<Route> FibContent::longest_match(const IpAddress& address) const {
  const auto match =
      address.is_v4() ? ipv4.longest_match(address.v4()) : ipv6.longest_match(address.v6());
  if (!match) return std::nullopt;
  return Route{match->prefix, groups.group_of(match->next_hop)};
}

std::vector<Route> FibContent::covering(const IpPrefix& prefix) const {
  std::vector<Route> routes;
  const auto found = prefix.address.is_v4() ? ipv4.covering(prefix) : ipv6.covering(prefix);
  for (const auto& route : found) {
    routes.push_back({route.prefix, groups.group_of(route.next_hop)});
  }
  return routes;
}

std::vector<Route> FibContent::routes_after(const std::optional<IpPrefix>& last,
                                            std::size_t most) const {
  std::vector<Route> routes;
  const auto add = [&](const TableRoute& route) {
    routes.push_back({route.prefix, groups.group_of(route.next_hop)});
  };
  const bool in_ipv6 = last && !last->address.is_v4();
  if (!in_ipv6) ipv4.visit_after(last, most, add);
  ipv6.visit_after(in_ipv6 ? last : std::nullopt, most - routes.size(), add);
  return routes;
}

Digest FibContent::digest_without_routes() const {
  Digest sum;
  for (const auto& [key, adjacency] : adjacencies.records()) sum += digest_of(adjacency);
  for (const auto& [id, record] : groups.records()) sum += digest_of(record.group);
  for (const auto& address : addresses.all()) sum += digest_of(address);
  return sum;
}

Delta FibContent::snapshot() const {
  Delta all;
  for (const auto& [key, adjacency] : adjacencies.records()) all.adjacencies.push_back(adjacency);
  for (const auto& [id, record] : groups.records()) all.groups.push_back(record.group);
  all.routes.reserve(ipv4.size() + ipv6.size());
  const auto add_route = [&](const TableRoute& route) {
    all.routes.push_back({route.prefix, groups.group_of(route.next_hop)});
  };
  ipv4.for_each(add_route);
  ipv6.for_each(add_route);
  all.addresses = addresses.all();
  std::ranges::sort(all.adjacencies, {}, &Adjacency::key);
  std::ranges::sort(all.groups, {}, &Group::id);
  return all;
}

}  // namespace rackway::fib
