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
  for (const auto id : delta.removed_groups) remove(id);
  for (const auto key : delta.removed_adjacencies) remove(key);
  for (const auto& address : delta.addresses) add(address);
  for (const auto& address : delta.removed_addresses) remove(address);
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
  const auto before = route.prefix.address.is_v4() ? ipv4.set(route) : ipv6.set(route);
  if (before) forget(Route{route.prefix, *before});
  groups.retain(route.group);
  digest += digest_of(route);
}

void FibContent::forget(const Route& route) {
  groups.release(route.group);
  digest -= digest_of(route);
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
  if (before) forget(Route{prefix, *before});
}

void FibContent::remove(const PortAddress& address) {
  if (addresses.remove(address)) digest -= digest_of(address);
}

Delta FibContent::snapshot() const {
  Delta all;
  for (const auto& [key, adjacency] : adjacencies.records()) all.adjacencies.push_back(adjacency);
  for (const auto& [id, record] : groups.records()) all.groups.push_back(record.group);
  all.routes.reserve(ipv4.size() + ipv6.size());
  all.routes.insert(all.routes.end(), ipv4.begin(), ipv4.end());
  all.routes.insert(all.routes.end(), ipv6.begin(), ipv6.end());
  all.addresses = addresses.all();
  std::ranges::sort(all.adjacencies, {}, &Adjacency::key);
  std::ranges::sort(all.groups, {}, &Group::id);
  std::ranges::sort(all.routes, {}, &Route::prefix);
  return all;
}

}  // namespace rackway::fib
