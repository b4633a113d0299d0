// SPDX-License-Identifier: Apache-2.0
#include "control/fib_builder.hh"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/log.hh"

namespace rackway::control {

FibBuilder::FibBuilder(std::size_t nodes, KernelView kernel, unsigned linger, IndexCeiling ceiling,
                       const topo::RouteDistances& distances)
    : wanted_(kernel, distances), indices_(nodes), ceiling_(std::move(ceiling)), linger_(linger) {}

void FibBuilder::bind(int ifindex, InterfaceRef port) {
  ++interfaces_version_;
  std::set<int> rebound{ifindex};
  if (wanted_.is_bound(port)) {
    rebound.insert(wanted_.interfaces().at(port));
    unbind(port);
  }
  wanted_.bind(ifindex, port);
  auto all = all_on(rebound);
  for (const auto& [prefix, route] : wanted_.kernel().routes) all.routes.insert(prefix);
  mark(all);
  std::set<int> links;
  for (const auto& [index, link] : wanted_.kernel().links) links.insert(index);
  follow_vlans(links);
}

void FibBuilder::unbind(InterfaceRef interface) {
  for (const auto& host : wanted_.unbind(interface)) dirty_routes_.push_back(host);
  mark_neighbors_on(interface);
  dirty_addresses_.insert(interface);
}

// Links that have gone first, as others may have come in their places.
void FibBuilder::follow_vlans(const std::set<int>& links) {
  std::set<int> rebound;
  for (const int ifindex : links) {
    const auto before = wanted_.interface_of(ifindex);
    if (!before || before->vlan == VlanId{} || wanted_.vlan_of_port(ifindex) == before) continue;
    unbind(*before);
    rebound.insert(ifindex);
  }
  for (const int ifindex : links) {
    const auto now = wanted_.vlan_of_port(ifindex);
    if (!now || wanted_.interface_of(ifindex) || wanted_.is_bound(*now)) continue;
    wanted_.bind(ifindex, *now);
    rebound.insert(ifindex);
  }
  if (rebound.empty()) return;
  ++interfaces_version_;
  mark(all_on(rebound));
}

// Everything that names one of these links, as if it had just changed.
KernelChanges FibBuilder::all_on(const std::set<int>& links) const {
  KernelChanges all;
  all.addresses = links;
  for (const auto& [prefix, route] : wanted_.kernel().routes) {
    const auto names_one = [&](const auto& hop) { return links.contains(hop.ifindex); };
    if (std::ranges::any_of(route.next_hops, names_one)) all.routes.insert(prefix);
  }
  for (const auto& [key, mac] : wanted_.kernel().neighbors) {
    if (links.contains(key.ifindex)) all.neighbors.insert(key);
  }
  return all;
}

// ---- changes of the kernel

void FibBuilder::take(const KernelChanges& changes) {
  follow_vlans(changes.links);
  mark(changes);
}

// Routes first: what they say of a neighbour's address is asked when he is looked at.
void FibBuilder::mark(const KernelChanges& changes) {
  for (const auto& prefix : changes.routes) wanted_.kernel_route_changed(prefix);
  take_routes();
  for (const auto& key : changes.neighbors) {
    const auto interface = wanted_.interface_of(key.ifindex);
    if (!interface) continue;
    wanted_.neighbor_changed(key);
    mark_neighbor({*interface, key.address});
  }
  for (const int ifindex : changes.addresses) {
    if (const auto interface = wanted_.interface_of(ifindex)) dirty_addresses_.insert(*interface);
  }
  for (const int ifindex : changes.links) {  // its MTU may be another, or it may be down
    if (const auto interface = wanted_.interface_of(ifindex)) mark_port(*interface);
  }
}

void FibBuilder::take_routes() {
  if (!wanted_.rib().changed()) return;
  const auto changes = wanted_.rib().refresh();
  for (const auto& prefix : changes.prefixes) {
    mark_route(prefix);
    // It may decide whether the neighbours it covers are on the link.
    for (const auto& host : wanted_.hosts_within(prefix)) mark_route(host);
  }
  dirty_paths_.insert(dirty_paths_.end(), changes.paths.begin(), changes.paths.end());
}

// The port's MTU bounds those of its VLANs, also of those that the kernel has no more.
void FibBuilder::mark_port(InterfaceRef interface) {
  if (interface.vlan != VlanId{}) dirty_addresses_.insert(interface);
  for (const auto& [neighbor, adjacency] : adjacencies_) {
    const auto& [node, port, vlan] = neighbor.interface;
    if (node == interface.node && port == interface.port) mark_neighbor(neighbor);
  }
}

void FibBuilder::mark_route(const IpPrefix& prefix) {
  wanted_.confirm(prefix);
  dirty_routes_.push_back(prefix);
}

void FibBuilder::mark_neighbor(const Neighbor& neighbor) {
  wanted_.confirm(neighbor);
  dirty_neighbors_.insert(neighbor);
  mark_route(IpPrefix::host(neighbor.address));
}

void FibBuilder::mark_neighbors_on(InterfaceRef interface) {
  for (const auto& [neighbor, adjacency] : adjacencies_) {
    if (neighbor.interface == interface) mark_neighbor(neighbor);
  }
}

// ---- bookkeeping

void FibBuilder::refresh_adjacencies(Epoch epoch) {
  for (const auto& neighbor : dirty_neighbors_) {
    refresh_adjacency(neighbor, epoch);
    if (const auto users = groups_by_neighbor_.find(neighbor); users != groups_by_neighbor_.end()) {
      dirty_groups_.insert(users->second.begin(), users->second.end());
    }
  }
  dirty_neighbors_.clear();
}

void FibBuilder::refresh_adjacency(const Neighbor& neighbor, Epoch epoch) {
  const auto mac = wanted_.mac_of(neighbor);
  auto at = adjacencies_.find(neighbor);
  if (!mac && at == adjacencies_.end()) return;
  if (at == adjacencies_.end()) {
    const auto index = new_index(neighbor.interface.node, epoch);
    if (!index) {  // its routes stay unresolved until there is one
      without_index_.insert(neighbor);
      return;
    }
    at = adjacencies_.emplace(neighbor, Adjacency{.index = *index}).first;
    neighbors_by_key_[{neighbor.interface.node, *index}] = neighbor;
  }
  auto& adjacency = at->second;
  adjacency.leaving = !mac;
  if (mac) {
    adjacency.mac = *mac;
    adjacency.mtu = wanted_.mtu_of(neighbor.interface);
  }
  dirty_adjacencies_.insert({neighbor.interface.node, adjacency.index});
}

std::optional<AdjacencyId> FibBuilder::new_index(NodeId node, Epoch epoch) {
  auto& indices = indices_[node.value];
  const auto index = indices.allocate();
  if (!index || ceiling_.cover(*index)) return index;
  indices.release(*index, epoch);
  return std::nullopt;
}

// Each looked up as seldom as can be: tables have a million.
void FibBuilder::refresh_routes(const fib::Fib& present, Epoch epoch, fib::Delta& delta) {
  const std::size_t before = cut_short_.size();
  const auto number =
      std::min<std::uint64_t>(epoch.value - first_epoch_->value, UINT32_MAX - 1) + 1;
  for (const auto& prefix : dirty_routes_) {
    auto way = wanted_.way(prefix);
    note_cut_short(prefix, way);
    auto* const state = set_route(prefix, std::move(way), present);
    const auto old = present.find(prefix);
    if (state == nullptr) {
      if (old) delta.removed_routes.push_back(prefix);
    } else if (!old || old->group != state->group) {
      delta.routes.push_back({prefix, state->group});
      state->epoch = static_cast<std::uint32_t>(number);
    }
  }
  dirty_routes_.clear();
  if (cut_short_.size() <= before) return;
  log::warn("{} routes have more than {} next hops, of which no more are used; one is to {}",
            cut_short_.size(), fib::kMaxGroupMembers, cut_short_.begin()->to_string());
}

void FibBuilder::note_cut_short(const IpPrefix& prefix, const std::optional<WantedWay>& way) {
  const bool is_full = way && way->target.next_hops.size() == fib::kMaxGroupMembers;
  if (is_full && wanted_.is_cut_short(prefix)) {
    cut_short_.insert(prefix);
  } else if (!cut_short_.empty()) {
    cut_short_.erase(prefix);
  }
}

// Null: there is no route. Valid until the next one.
FibBuilder::RouteState* FibBuilder::set_route(const IpPrefix& prefix, std::optional<WantedWay> way,
                                              const fib::Fib& present) {
  if (!way) {
    const auto at = routes_.find(prefix);
    if (at == routes_.end()) return nullptr;
    const auto old = at->second.group;
    routes_.erase(at);
    release(old);
    return nullptr;
  }
  const auto [at, is_new] = routes_.try_emplace(prefix);
  auto& state = at->second;
  const auto known = find_group(*way);
  if (!is_new && known == state.group) return &state;
  const auto id = known ? *known : add_group(std::move(*way), prefix, present);
  ++groups_[id.value].routes;
  if (!is_new) release(state.group);
  state = {id};
  return &state;
}

// ---- the difference

bool FibBuilder::changed() const {
  return !dirty_routes_.empty() || !dirty_neighbors_.empty() || !dirty_addresses_.empty() ||
         !dirty_groups_.empty() || !dirty_adjacencies_.empty() || !dirty_paths_.empty() ||
         wanted_.rib().changed() || compare_present_;
}

void FibBuilder::compare_everything() {
  compare_present_ = true;
  take_routes();
  wanted_.rib().for_each([&](const IpPrefix& prefix, auto) { mark_route(prefix); });
  for (const auto& [prefix, route] : routes_) mark_route(prefix);
  for (GroupId id; id.value < groups_.size(); ++id.value) {
    if (has_group(id)) dirty_groups_.insert(id);
  }
  for (const auto& [neighbor, adjacency] : adjacencies_) mark_neighbor(neighbor);
  for (const auto& [interface, ifindex] : wanted_.interfaces()) dirty_addresses_.insert(interface);
}

// Not marked: that would confirm what is stale.
void FibBuilder::look_again(std::span<const fib::Route> routes) {
  for (const auto& route : routes) dirty_routes_.push_back(route.prefix);
}

void FibBuilder::look_again_at_rest() {
  for (GroupId id; id.value < groups_.size(); ++id.value) {
    if (has_group(id)) dirty_groups_.insert(id);
  }
  for (const auto& [neighbor, adjacency] : adjacencies_) dirty_neighbors_.insert(neighbor);
  for (const auto& [interface, ifindex] : wanted_.interfaces()) dirty_addresses_.insert(interface);
}

// Also what is in the FIB and nowhere here.
void FibBuilder::mark_present(const fib::Fib& present) {
  const auto all = present.snapshot();
  for (const auto& route : all.routes) mark_route(route.prefix);
  for (const auto& group : all.groups) dirty_groups_.insert(group.id);
  for (const auto& adjacency : all.adjacencies) dirty_adjacencies_.insert(adjacency.key);
  for (const auto& address : all.addresses) {
    dirty_addresses_.insert({address.node, address.port, address.vlan});
  }
}

fib::Delta FibBuilder::take_delta(const fib::Fib& present, Epoch epoch) {
  if (!first_epoch_) first_epoch_ = epoch;
  take_routes();
  if (std::exchange(compare_present_, false)) mark_present(present);
  std::ranges::sort(dirty_routes_);
  const auto twice = std::ranges::unique(dirty_routes_);
  dirty_routes_.erase(twice.begin(), twice.end());
  refresh_adjacencies(epoch);
  refresh_groups();
  fib::Delta delta;
  refresh_routes(present, epoch, delta);
  emit_adjacencies(present, epoch, delta);
  emit_groups(present, epoch, delta);
  emit_addresses(present, delta);
  return delta;
}

// In `present`; perhaps no more after this delta. Whatever names an adjacency that is to go is
// among the dirty groups.
std::set<fib::AdjacencyKey> FibBuilder::named_by_dirty_groups(const fib::Fib& present) const {
  std::set<fib::AdjacencyKey> keys;
  for (const auto id : dirty_groups_) {
    const auto* old = present.find(id);
    if (old == nullptr) continue;
    for (const auto& member : old->members) keys.insert(member.adjacency);
  }
  return keys;
}

// Nothing when it is to go.
std::optional<fib::Adjacency> FibBuilder::adjacency_record(fib::AdjacencyKey key) const {
  const auto at = neighbors_by_key_.find(key);
  if (at == neighbors_by_key_.end()) return std::nullopt;
  const auto& [interface, address] = at->second;
  const auto& adjacency = adjacencies_.at(at->second);
  if (adjacency.leaving) return std::nullopt;
  return fib::Adjacency{key, interface.port, interface.vlan, adjacency.mac, adjacency.mtu, address};
}

void FibBuilder::emit_adjacencies(const fib::Fib& present, Epoch epoch, fib::Delta& delta) {
  const auto still_named = named_by_dirty_groups(present);
  std::set<fib::AdjacencyKey> later;
  for (const auto& key : dirty_adjacencies_) {
    const auto* old = present.find(key);
    const auto record = adjacency_record(key);
    if (record) {
      lingering_.erase(key);
      if (old != nullptr && *old == *record) continue;
      delta.adjacencies.push_back(*record);
      adjacencies_.at(neighbors_by_key_.at(key)).epoch = epoch;
    } else if (still_named.contains(key)) {
      later.insert(key);
    } else if (has_lingered(key)) {
      if (old != nullptr) delta.removed_adjacencies.push_back(key);
      forget_adjacency(key, epoch);
    }
  }
  dirty_adjacencies_ = std::move(later);
}

// From the first question on. One that is not yet to go is looked at again by age().
bool FibBuilder::has_lingered(fib::AdjacencyKey key) {
  const auto at = lingering_.try_emplace(key, linger_).first;
  if (at->second > 0) return false;
  lingering_.erase(at);
  return true;
}

void FibBuilder::age() {
  for (auto& [key, left] : lingering_) {
    if (left > 0 && --left == 0) dirty_adjacencies_.insert(key);
  }
}

void FibBuilder::forget_adjacency(fib::AdjacencyKey key, Epoch epoch) {
  const auto at = neighbors_by_key_.find(key);
  if (at == neighbors_by_key_.end()) return;
  indices_[key.node.value].release(key.index, epoch);
  adjacencies_.erase(at->second);
  neighbors_by_key_.erase(at);
}

std::optional<Epoch> FibBuilder::epoch_of(const IpPrefix& prefix) const {
  const auto at = routes_.find(prefix);
  if (at == routes_.end() || at->second.epoch == 0) return std::nullopt;
  return Epoch{first_epoch_->value + at->second.epoch - 1};
}

std::optional<Epoch> FibBuilder::epoch_of(GroupId id) const {
  if (!has_group(id) || groups_[id.value].epoch == Epoch{}) return std::nullopt;
  return groups_[id.value].epoch;
}

std::optional<Epoch> FibBuilder::epoch_of(fib::AdjacencyKey key) const {
  const auto neighbor = neighbors_by_key_.find(key);
  if (neighbor == neighbors_by_key_.end()) return std::nullopt;
  const auto epoch = adjacencies_.at(neighbor->second).epoch;
  return epoch == Epoch{} ? std::nullopt : std::optional(epoch);
}

void FibBuilder::emit_addresses(const fib::Fib& present, fib::Delta& delta) {
  for (const auto& interface : dirty_addresses_) {
    const auto wanted_addresses = wanted_.addresses_on(interface);
    std::set<fib::PortAddress> old;
    for (const auto& record : present.addresses_of(interface.node)) {
      if (record.port == interface.port && record.vlan == interface.vlan) old.insert(record);
    }
    std::set_difference(wanted_addresses.begin(), wanted_addresses.end(), old.begin(), old.end(),
                        std::back_inserter(delta.addresses));
    std::set_difference(old.begin(), old.end(), wanted_addresses.begin(), wanted_addresses.end(),
                        std::back_inserter(delta.removed_addresses));
  }
  dirty_addresses_.clear();
}

void FibBuilder::all_nodes_have(Epoch epoch) {
  bool freed = false;
  for (auto& indices : indices_) freed |= indices.all_nodes_have(epoch);
  if (!freed) return;
  for (const auto& neighbor : std::exchange(without_index_, {})) mark_neighbor(neighbor);
}

std::vector<KernelNeighborKey> FibBuilder::unresolved() const {
  std::vector<KernelNeighborKey> keys;
  for (const auto& [neighbor, groups] : groups_by_neighbor_) {
    if (const auto key = wanted_.key_of(neighbor);
        key && !wanted_.kernel().neighbors.contains(*key)) {
      keys.push_back(*key);
    }
  }
  return keys;
}

}  // namespace rackway::control
