// SPDX-License-Identifier: Apache-2.0
// What a FibBuilder does after a controller's restart: it takes over what the nodes still forward
// by, keeps it under the same numbers, and sweeps what nobody has named again.
#include <algorithm>
#include <utility>

#include "control/fib_builder.hh"

namespace rackway::control {

void FibBuilder::restore(const fib::Delta& snapshot) {
  for (const auto& record : snapshot.adjacencies) restore_adjacency(record);
  std::map<GroupId, Target> targets;
  for (const auto& record : snapshot.groups) {
    for (; next_group_ <= record.id; ++next_group_.value) free_groups_.insert(next_group_);
    free_groups_.erase(record.id);
    restored_groups_.insert(record.id);
    if (auto target = restored_target(record)) {
      restored_ids_[*target] = record.id;
      targets[record.id] = std::move(*target);
    }
  }
  for (const auto& route : snapshot.routes) {
    const auto target = targets.find(route.group);
    if (target != targets.end()) wanted_.keep(route.prefix, target->second);
    mark_route(route.prefix);
  }
  compare_everything();
}

// Of a cluster that nobody knows anything of, all is new.
void FibBuilder::distrust_older(bool took_over, Epoch until) {
  if (!took_over && !ceiling_.before()) return;
  const auto ceiling = ceiling_.before().value_or(kMaxAdjacencies);
  for (auto& indices : indices_) indices.distrust(ceiling, until);
}

void FibBuilder::restore_adjacency(const fib::Adjacency& record) {
  if (record.key.node.value >= indices_.size()) return;
  if (!indices_[record.key.node.value].reserve(record.key.index)) return;
  const Neighbor neighbor{{record.key.node, record.port, record.vlan}, record.next_hop};
  adjacencies_[neighbor] = {record.key.index, record.destination, record.mtu, false, {}};
  neighbors_by_key_[record.key] = neighbor;
  wanted_.keep(neighbor, record.destination);
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

// The id that the nodes know the target by since before the restart. A group of which a next hop is
// not resolved does not tell its target: there it is the route that does.
std::optional<GroupId> FibBuilder::restored_id(const Target& target, const IpPrefix& prefix,
                                               const fib::Fib& present) const {
  if (restored_groups_.empty()) return std::nullopt;
  const auto route = present.find(prefix);
  if (route && restored_groups_.contains(route->group) &&
      *present.find(route->group) == group_record(target, route->group, present).group) {
    return route->group;
  }
  const auto known = restored_ids_.find(target);
  if (known == restored_ids_.end() || !restored_groups_.contains(known->second)) {
    return std::nullopt;
  }
  return known->second;
}

void FibBuilder::settle() {
  const auto stale = wanted_.release_stale();
  for (const auto& [prefix, target] : stale.routes) mark_route(prefix);
  for (const auto& [neighbor, mac] : stale.neighbors) mark_neighbor(neighbor);
  free_groups_.merge(restored_groups_);
  restored_ids_.clear();
}

}  // namespace rackway::control
