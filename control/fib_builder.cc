// SPDX-License-Identifier: Apache-2.0
#include "control/fib_builder.hh"

#include <algorithm>
#include <iterator>
#include <utility>

#include "control/kernel/route_protocol.hh"

namespace rackway::control {
namespace {

fib::GroupKind kind_of(KernelRouteType type) {
  switch (type) {
    case KernelRouteType::unicast: return fib::GroupKind::forward;
    case KernelRouteType::local: return fib::GroupKind::local;
    case KernelRouteType::broadcast: return fib::GroupKind::broadcast;
    case KernelRouteType::blackhole: return fib::GroupKind::blackhole;
    case KernelRouteType::unreachable: return fib::GroupKind::unreachable;
    case KernelRouteType::prohibit: return fib::GroupKind::prohibit;
  }
  return fib::GroupKind::unreachable;
}

bool is_host(const IpPrefix& prefix) {
  return prefix.length == address_bits(prefix.address.family());
}

}  // namespace

FibBuilder::FibBuilder(std::size_t nodes, KernelView kernel) : kernel_(kernel), indices_(nodes) {}

void FibBuilder::bind(int ifindex, PortRef port) {
  if (interfaces_.contains(port)) unbind(port);
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

// Its neighbours were another interface's.
void FibBuilder::unbind(PortRef port) {
  const auto at = interfaces_.find(port);
  for (auto& [address, interfaces] : neighbors_by_address_) {
    if (interfaces.erase(at->second) > 0) dirty_routes_.insert(IpPrefix::host(address));
  }
  std::erase_if(neighbors_by_address_, [](const auto& entry) { return entry.second.empty(); });
  ports_.erase(at->second);
  interfaces_.erase(at);
  for (const auto& [neighbor, adjacency] : adjacencies_) {
    if (neighbor.port == port) mark_neighbor(neighbor);
  }
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
    mark_route(prefix);
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

// What the kernel names is its own from then on, also if it goes again before the next delta.
void FibBuilder::mark_route(const IpPrefix& prefix) {
  dirty_routes_.insert(prefix);
  if (stale_routes_.empty()) return;
  if (kernel_.routes.contains(prefix)) {
    confirmed_ += stale_routes_.erase(prefix);
  } else if (host_neighbor(prefix)) {
    stale_routes_.erase(prefix);
  }
}

void FibBuilder::mark_neighbor(const Neighbor& neighbor) {
  if (known_to_kernel(neighbor)) stale_neighbors_.erase(neighbor);
  dirty_neighbors_.insert(neighbor);
  mark_route(IpPrefix::host(neighbor.address));
}

// A route may decide whether the neighbours it covers are on the link.
void FibBuilder::mark_neighbors_within(const IpPrefix& prefix) {
  for (auto at = neighbors_by_address_.lower_bound(prefix.address);
       at != neighbors_by_address_.end() && prefix.covers(at->first); ++at) {
    mark_route(IpPrefix::host(at->first));
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
    const auto& [type, protocol, next_hops] = route->second;
    return type == KernelRouteType::unicast &&
           std::any_of(next_hops.begin(), next_hops.end(), [&](const auto& hop) {
             return hop.ifindex == neighbor.ifindex && !hop.gateway;
           });
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

void FibBuilder::refresh_routes(const fib::Fib& present) {
  for (const auto& prefix : dirty_routes_) set_route(prefix, wanted(prefix), present);
}

void FibBuilder::set_route(const IpPrefix& prefix, const std::optional<Target>& target,
                           const fib::Fib& present) {
  const auto at = routes_.find(prefix);
  const bool known = at != routes_.end();
  if (known && target && at->second->first == *target) return;
  std::optional<Groups::iterator> old;
  if (known) old = at->second;
  if (target) {
    routes_[prefix] = acquire(*target, prefix, present);
  } else if (known) {
    routes_.erase(at);
  }
  if (old) release(*old);
}

// The lowest free one.
GroupId FibBuilder::new_group_id() {
  if (free_groups_.empty()) free_groups_.insert({next_group_.value++});
  const auto id = *free_groups_.begin();
  free_groups_.erase(free_groups_.begin());
  return id;
}

FibBuilder::Groups::iterator FibBuilder::acquire(const Target& target, const IpPrefix& prefix,
                                                 const fib::Fib& present) {
  const auto [at, is_new] = groups_.try_emplace(target);
  ++at->second.routes;
  if (!is_new) return at;
  const auto restored = restored_id(target, prefix, present);
  const auto id = at->second.id = restored ? *restored : new_group_id();
  restored_groups_.erase(id);
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

// ---- the difference

bool FibBuilder::changed() const {
  return !dirty_routes_.empty() || !dirty_neighbors_.empty() || !dirty_addresses_.empty() ||
         !dirty_groups_.empty() || !dirty_adjacencies_.empty() || compare_present_;
}

void FibBuilder::compare_everything() {
  compare_present_ = true;
  for (const auto& [prefix, route] : kernel_.routes) mark_route(prefix);
  for (const auto& [prefix, group] : routes_) mark_route(prefix);
  for (const auto& [id, group] : groups_by_id_) dirty_groups_.insert(id);
  for (const auto& [neighbor, adjacency] : adjacencies_) mark_neighbor(neighbor);
  for (const auto& [port, ifindex] : interfaces_) dirty_addresses_.insert(port);
}

// Also what is in the FIB and nowhere here.
void FibBuilder::mark_present(const fib::Fib& present) {
  const auto all = present.snapshot();
  for (const auto& route : all.routes) mark_route(route.prefix);
  for (const auto& group : all.groups) dirty_groups_.insert(group.id);
  for (const auto& adjacency : all.adjacencies) dirty_adjacencies_.insert(adjacency.key);
  for (const auto& address : all.addresses) dirty_addresses_.insert({address.node, address.port});
}

fib::Delta FibBuilder::take_delta(const fib::Fib& present, Epoch epoch) {
  if (std::exchange(compare_present_, false)) mark_present(present);
  refresh_adjacencies(epoch);
  refresh_routes(present);
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

std::set<fib::PortAddress> FibBuilder::addresses_on(PortRef port) const {
  std::set<fib::PortAddress> addresses;
  const auto interface = interfaces_.find(port);
  if (interface == interfaces_.end()) return addresses;
  const int ifindex = interface->second;
  for (auto at = kernel_.addresses.lower_bound({ifindex, {}, 0});
       at != kernel_.addresses.end() && at->ifindex == ifindex; ++at) {
    addresses.insert({port.node, port.port, at->address, at->length});
  }
  return addresses;
}

void FibBuilder::emit_addresses(const fib::Fib& present, fib::Delta& delta) {
  for (const auto& port : dirty_addresses_) {
    const auto wanted_addresses = addresses_on(port);
    std::set<fib::PortAddress> old;
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
    if (host_neighbor(prefix)) return {"neighbor", false};
    return {"", stale_routes_.contains(prefix)};
  }
  return {protocol_name(route->second.protocol), false};
}

}  // namespace rackway::control
