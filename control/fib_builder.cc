// SPDX-License-Identifier: Apache-2.0
#include "control/fib_builder.hh"

#include <algorithm>
#include <iterator>

#include "control/kernel/route_protocol.hh"

namespace rackway::control {
namespace {

fib::GroupKind kind_of(KernelRouteType type) {
  switch (type) {
    case KernelRouteType::unicast:
      return fib::GroupKind::forward;
    case KernelRouteType::local:
      return fib::GroupKind::local;
    case KernelRouteType::broadcast:
      return fib::GroupKind::broadcast;
    case KernelRouteType::blackhole:
      return fib::GroupKind::blackhole;
    case KernelRouteType::unreachable:
      return fib::GroupKind::unreachable;
    case KernelRouteType::prohibit:
      return fib::GroupKind::prohibit;
  }
  return fib::GroupKind::unreachable;
}

bool is_host(const IpPrefix& prefix) {
  return prefix.length == address_bits(prefix.address.family());
}

}  // namespace

FibBuilder::FibBuilder(std::size_t nodes, KernelView kernel) : kernel_(kernel), indices_(nodes) {}

void FibBuilder::bind(int ifindex, PortRef port) {
  if (const auto old = interfaces_.find(port); old != interfaces_.end()) ports_.erase(old->second);
  ports_[ifindex] = port;
  interfaces_[port] = ifindex;
  KernelChanges all;
  for (const auto& [prefix, route] : kernel_.routes) all.routes.insert(prefix);
  for (const auto& [key, mac] : kernel_.neighbors) {
    if (key.ifindex == ifindex) all.neighbors.insert(key);
  }
  all.addresses.insert(ifindex);
  take(all);
}

std::optional<PortRef> FibBuilder::port_of(int ifindex) const {
  const auto at = ports_.find(ifindex);
  if (at == ports_.end()) return std::nullopt;
  return at->second;
}

// ---- changes of the kernel

void FibBuilder::take(const KernelChanges& changes) {
  for (const auto& key : changes.neighbors) {
    const auto port = port_of(key.ifindex);
    if (!port) continue;
    auto& interfaces = neighbors_by_address_[key.address];
    if (kernel_.neighbors.contains(key)) {
      interfaces.insert(key.ifindex);
    } else {
      interfaces.erase(key.ifindex);
    }
    if (interfaces.empty()) neighbors_by_address_.erase(key.address);
    mark_neighbor({*port, key.address});
  }
  for (const auto& prefix : changes.routes) {
    dirty_routes_.insert(prefix);
    mark_neighbors_within(prefix);
  }
  for (const int ifindex : changes.addresses) {
    if (const auto port = port_of(ifindex)) dirty_addresses_.insert(*port);
  }
  for (const int ifindex : changes.links) {  // its MTU may be another
    const auto port = port_of(ifindex);
    if (!port) continue;
    for (const auto& [neighbor, adjacency] : adjacencies_) {
      if (neighbor.port == *port) mark_neighbor(neighbor);
    }
  }
}

void FibBuilder::mark_neighbor(const Neighbor& neighbor) {
  dirty_neighbors_.insert(neighbor);
  dirty_routes_.insert(IpPrefix::host(neighbor.address));
}

// A route may decide whether the neighbours it covers are on the link.
void FibBuilder::mark_neighbors_within(const IpPrefix& prefix) {
  for (auto at = neighbors_by_address_.lower_bound(prefix.address);
       at != neighbors_by_address_.end() && prefix.covers(at->first); ++at) {
    dirty_routes_.insert(IpPrefix::host(at->first));
  }
}

// ---- what is wanted

std::optional<Target> FibBuilder::wanted(const IpPrefix& prefix) const {
  if (const auto route = kernel_.routes.find(prefix); route != kernel_.routes.end()) {
    return target_of(route->second);
  }
  if (const auto neighbor = host_neighbor(prefix)) {
    return Target{fib::GroupKind::forward,
                  {{{ports_.at(neighbor->ifindex), neighbor->address}, 1}}};
  }
  if (const auto stale = stale_routes_.find(prefix); stale != stale_routes_.end()) {
    return stale->second;
  }
  return std::nullopt;
}

// Next hops through interfaces that are none of our ports (loopback, tunnels) are the kernel's
// business; a next hop without gateway means a connected subnet, whose hosts have to be resolved.
Target FibBuilder::target_of(const KernelRoute& route) const {
  Target target{kind_of(route.type), {}};
  if (target.kind != fib::GroupKind::forward) return target;
  bool connected = false;
  for (const auto& hop : route.next_hops) {
    const auto port = port_of(hop.ifindex);
    if (!port) continue;
    if (hop.gateway) {
      target.next_hops.push_back({{*port, *hop.gateway}, hop.weight});
    } else {
      connected = true;
    }
  }
  if (connected || target.next_hops.empty()) {
    return {connected ? fib::GroupKind::glean : fib::GroupKind::local, {}};
  }
  if (target.next_hops.size() > fib::kMaxGroupMembers) {
    target.next_hops.resize(fib::kMaxGroupMembers);
  }
  std::sort(target.next_hops.begin(), target.next_hops.end());
  return target;
}

// A neighbour is reached directly when the route that covers it says so.
bool FibBuilder::on_link(const KernelNeighborKey& neighbor) const {
  for (int length = address_bits(neighbor.address.family()) - 1; length >= 0; --length) {
    const auto prefix = IpPrefix::covering(neighbor.address, static_cast<std::uint8_t>(length));
    const auto route = kernel_.routes.find(prefix);
    if (route == kernel_.routes.end()) continue;
    return std::any_of(
        route->second.next_hops.begin(), route->second.next_hops.end(),
        [&](const auto& hop) { return hop.ifindex == neighbor.ifindex && !hop.gateway; });
  }
  return false;
}

std::optional<KernelNeighborKey> FibBuilder::host_neighbor(const IpPrefix& prefix) const {
  if (!is_host(prefix) || prefix.address.is_link_local()) return std::nullopt;
  const auto at = neighbors_by_address_.find(prefix.address);
  if (at == neighbors_by_address_.end()) return std::nullopt;
  for (const int ifindex : at->second) {
    const KernelNeighborKey key{ifindex, prefix.address};
    if (on_link(key)) return key;
  }
  return std::nullopt;
}

std::optional<KernelNeighborKey> FibBuilder::key_of(const Neighbor& neighbor) const {
  const auto interface = interfaces_.find(neighbor.port);
  if (interface == interfaces_.end()) return std::nullopt;
  return KernelNeighborKey{interface->second, neighbor.address};
}

bool FibBuilder::known_to_kernel(const Neighbor& neighbor) const {
  const auto key = key_of(neighbor);
  return key && kernel_.neighbors.contains(*key);
}

std::optional<MacAddress> FibBuilder::mac_of(const Neighbor& neighbor) const {
  if (known_to_kernel(neighbor)) return kernel_.neighbors.at(*key_of(neighbor));
  if (const auto stale = stale_neighbors_.find(neighbor); stale != stale_neighbors_.end()) {
    return stale->second;
  }
  return std::nullopt;
}

std::uint16_t FibBuilder::mtu_of(PortRef port) const {
  constexpr std::uint32_t kLeast = 68, kDefault = 1500, kMost = 65535;  // RFC 791 3.2
  const auto interface = interfaces_.find(port);
  if (interface == interfaces_.end()) return kDefault;
  const auto link = kernel_.links.find(interface->second);
  if (link == kernel_.links.end()) return kDefault;
  return static_cast<std::uint16_t>(std::clamp(link->second.mtu, kLeast, kMost));
}

// ---- bookkeeping

void FibBuilder::refresh_adjacencies(Epoch epoch) {
  for (const auto& neighbor : dirty_neighbors_) {
    if (known_to_kernel(neighbor)) stale_neighbors_.erase(neighbor);
    const auto mac = mac_of(neighbor);
    const auto at = adjacencies_.find(neighbor);
    auto& indices = indices_[neighbor.port.node.value];
    if (mac && at != adjacencies_.end()) {
      at->second.mac = *mac;
      at->second.mtu = mtu_of(neighbor.port);
      dirty_adjacencies_.insert({neighbor.port.node, at->second.index});
    } else if (mac) {
      const auto index = indices.allocate();
      if (!index) continue;  // full: its routes stay unresolved
      adjacencies_[neighbor] = {*index, *mac, mtu_of(neighbor.port)};
      neighbors_by_key_[{neighbor.port.node, *index}] = neighbor;
      dirty_adjacencies_.insert({neighbor.port.node, *index});
    } else if (at != adjacencies_.end()) {
      indices.release(at->second.index, epoch);
      neighbors_by_key_.erase({neighbor.port.node, at->second.index});
      dirty_adjacencies_.insert({neighbor.port.node, at->second.index});
      adjacencies_.erase(at);
    }
    if (const auto users = groups_by_neighbor_.find(neighbor); users != groups_by_neighbor_.end()) {
      dirty_groups_.insert(users->second.begin(), users->second.end());
    }
  }
  dirty_neighbors_.clear();
}

void FibBuilder::refresh_routes() {
  for (const auto& prefix : dirty_routes_) {
    if (kernel_.routes.contains(prefix)) {
      confirmed_ += stale_routes_.erase(prefix);
    } else if (host_neighbor(prefix)) {
      stale_routes_.erase(prefix);
    }
    set_route(prefix, wanted(prefix));
  }
}

void FibBuilder::set_route(const IpPrefix& prefix, const std::optional<Target>& target) {
  const auto at = routes_.find(prefix);
  const bool present = at != routes_.end();
  if (present && target && at->second->first == *target) return;
  std::optional<Groups::iterator> old;
  if (present) old = at->second;
  if (target) {
    routes_[prefix] = acquire(*target);
  } else if (present) {
    routes_.erase(at);
  }
  if (old) release(*old);
}

// The id that the nodes know the target by, if it is free, else the lowest free one.
GroupId FibBuilder::new_group_id(const Target& target) {
  if (const auto known = restored_ids_.find(target); known != restored_ids_.end()) {
    const auto id = known->second;
    restored_ids_.erase(known);
    if (free_groups_.erase(id) > 0) return id;
  }
  if (free_groups_.empty()) free_groups_.insert({next_group_.value++});
  const auto id = *free_groups_.begin();
  free_groups_.erase(free_groups_.begin());
  return id;
}

FibBuilder::Groups::iterator FibBuilder::acquire(const Target& target) {
  const auto [at, is_new] = groups_.try_emplace(target);
  ++at->second.routes;
  if (!is_new) return at;
  const auto id = at->second.id = new_group_id(target);
  groups_by_id_[id] = at;
  for (const auto& hop : target.next_hops) groups_by_neighbor_[hop.neighbor].insert(id);
  dirty_groups_.insert(id);
  return at;
}

void FibBuilder::release(Groups::iterator group) {
  if (--group->second.routes > 0) return;
  const auto id = group->second.id;
  for (const auto& hop : group->first.next_hops) {
    const auto users = groups_by_neighbor_.find(hop.neighbor);
    if (users == groups_by_neighbor_.end()) continue;
    users->second.erase(id);
    if (users->second.empty()) groups_by_neighbor_.erase(users);
  }
  dirty_groups_.insert(id);
  free_groups_.insert(id);
  groups_by_id_.erase(id);
  groups_.erase(group);
}

// ---- after a restart

void FibBuilder::restore(const fib::Delta& snapshot) {
  for (const auto& record : snapshot.adjacencies) restore_adjacency(record);
  std::map<GroupId, Target> targets;
  for (const auto& record : snapshot.groups) {
    dirty_groups_.insert(record.id);
    for (; next_group_ <= record.id; ++next_group_.value) free_groups_.insert(next_group_);
    if (auto target = restored_target(record)) {
      restored_ids_[*target] = record.id;
      targets[record.id] = std::move(*target);
    }
  }
  for (const auto& route : snapshot.routes) {
    dirty_routes_.insert(route.prefix);
    const auto target = targets.find(route.group);
    if (target != targets.end()) stale_routes_[route.prefix] = target->second;
  }
  compare_everything();
}

void FibBuilder::restore_adjacency(const fib::Adjacency& record) {
  if (record.key.node.value >= indices_.size()) return;
  if (!indices_[record.key.node.value].reserve(record.key.index)) return;
  const Neighbor neighbor{{record.key.node, record.port}, record.next_hop};
  adjacencies_[neighbor] = {record.key.index, record.destination, record.mtu};
  neighbors_by_key_[record.key] = neighbor;
  stale_neighbors_[neighbor] = record.destination;
  mark_neighbor(neighbor);
}

// Nothing when none of the members is known any more.
std::optional<Target> FibBuilder::restored_target(const fib::Group& record) const {
  Target target{record.kind, {}};
  for (const auto& member : record.members) {
    const auto at = neighbors_by_key_.find(member.adjacency);
    if (at != neighbors_by_key_.end()) target.next_hops.push_back({at->second, member.weight});
  }
  std::sort(target.next_hops.begin(), target.next_hops.end());
  if (target.kind == fib::GroupKind::forward && target.next_hops.empty()) return std::nullopt;
  return target;
}

void FibBuilder::settle() {
  for (const auto& [prefix, route] : stale_routes_) dirty_routes_.insert(prefix);
  for (const auto& [neighbor, mac] : stale_neighbors_) mark_neighbor(neighbor);
  stale_routes_.clear();
  stale_neighbors_.clear();
}

// ---- the difference

bool FibBuilder::changed() const {
  return !dirty_routes_.empty() || !dirty_neighbors_.empty() || !dirty_addresses_.empty() ||
         !dirty_groups_.empty() || !dirty_adjacencies_.empty();
}

void FibBuilder::compare_everything() {
  for (const auto& [prefix, route] : kernel_.routes) dirty_routes_.insert(prefix);
  for (const auto& [prefix, group] : routes_) dirty_routes_.insert(prefix);
  for (const auto& [id, group] : groups_by_id_) dirty_groups_.insert(id);
  for (const auto& [neighbor, adjacency] : adjacencies_) mark_neighbor(neighbor);
  for (const auto& [port, ifindex] : interfaces_) dirty_addresses_.insert(port);
}

fib::Delta FibBuilder::take_delta(const fib::Fib& present, Epoch epoch) {
  refresh_adjacencies(epoch);
  refresh_routes();
  fib::Delta delta;
  emit_adjacencies(present, delta);
  emit_groups(present, delta);
  emit_routes(present, delta);
  emit_addresses(present, delta);
  return delta;
}

void FibBuilder::emit_adjacencies(const fib::Fib& present, fib::Delta& delta) {
  for (const auto& key : dirty_adjacencies_) {
    const auto* old = present.find(key);
    const auto at = neighbors_by_key_.find(key);
    if (at == neighbors_by_key_.end()) {
      if (old != nullptr) delta.removed_adjacencies.push_back(key);
      continue;
    }
    const auto& neighbor = at->second;
    const auto& adjacency = adjacencies_.at(neighbor);
    const fib::Adjacency record{key, neighbor.port.port, adjacency.mac, adjacency.mtu,
                                neighbor.address};
    if (old == nullptr || *old != record) delta.adjacencies.push_back(record);
  }
  dirty_adjacencies_.clear();
}

fib::Group FibBuilder::group_record(const Target& target, GroupId id) const {
  fib::Group record{id, target.kind, {}};
  for (const auto& hop : target.next_hops) {
    if (const auto at = adjacencies_.find(hop.neighbor); at != adjacencies_.end()) {
      record.members.push_back({{hop.neighbor.port.node, at->second.index}, hop.weight});
    }
  }
  if (record.kind == fib::GroupKind::forward && record.members.empty()) {
    record.kind = fib::GroupKind::glean;
  }
  return record;
}

void FibBuilder::emit_groups(const fib::Fib& present, fib::Delta& delta) {
  for (const auto id : dirty_groups_) {
    const auto* old = present.find(id);
    const auto at = groups_by_id_.find(id);
    if (at == groups_by_id_.end()) {
      if (old != nullptr) delta.removed_groups.push_back(id);
      continue;
    }
    auto record = group_record(at->second->first, id);
    if (old == nullptr || !(*old == record)) delta.groups.push_back(std::move(record));
  }
  dirty_groups_.clear();
}

void FibBuilder::emit_routes(const fib::Fib& present, fib::Delta& delta) {
  for (const auto& prefix : dirty_routes_) {
    const auto* old = present.find(prefix);
    const auto at = routes_.find(prefix);
    if (at == routes_.end()) {
      if (old != nullptr) delta.removed_routes.push_back(prefix);
    } else if (old == nullptr || old->group != at->second->second.id) {
      delta.routes.push_back({prefix, at->second->second.id});
    }
  }
  dirty_routes_.clear();
}

void FibBuilder::emit_addresses(const fib::Fib& present, fib::Delta& delta) {
  for (const auto& port : dirty_addresses_) {
    std::set<fib::PortAddress> wanted_addresses, old;
    const int ifindex = interfaces_.at(port);
    for (auto at = kernel_.addresses.lower_bound({ifindex, {}, 0});
         at != kernel_.addresses.end() && at->ifindex == ifindex; ++at) {
      wanted_addresses.insert({port.node, port.port, at->address, at->length});
    }
    for (const auto& record : present.addresses_of(port.node)) {
      if (record.port == port.port) old.insert(record);
    }
    std::set_difference(wanted_addresses.begin(), wanted_addresses.end(), old.begin(), old.end(),
                        std::back_inserter(delta.addresses));
    std::set_difference(old.begin(), old.end(), wanted_addresses.begin(), wanted_addresses.end(),
                        std::back_inserter(delta.removed_addresses));
  }
  dirty_addresses_.clear();
}

void FibBuilder::all_nodes_have(Epoch epoch) {
  for (auto& indices : indices_) indices.all_nodes_have(epoch);
}

std::vector<KernelNeighborKey> FibBuilder::unresolved() const {
  std::vector<KernelNeighborKey> keys;
  for (const auto& [neighbor, groups] : groups_by_neighbor_) {
    if (const auto key = key_of(neighbor); key && !kernel_.neighbors.contains(*key)) {
      keys.push_back(*key);
    }
  }
  return keys;
}

FibBuilder::Origin FibBuilder::origin(const IpPrefix& prefix) const {
  const auto route = kernel_.routes.find(prefix);
  if (route == kernel_.routes.end()) {
    return host_neighbor(prefix) ? Origin{"neighbor", false} : Origin{"", true};
  }
  return {protocol_name(route->second.protocol), false};
}

}  // namespace rackway::control
