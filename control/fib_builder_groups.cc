// SPDX-License-Identifier: Apache-2.0
// The groups of a FibBuilder: which there are, by target or by path set, how many routes have each,
// whose neighbours they name, and their records.
#include <utility>

#include "control/fib_builder.hh"

namespace rackway::control {
namespace {

bool is_of(const fib::Adjacency* record, const Neighbor& neighbor) {
  return record != nullptr && record->port == neighbor.interface.port &&
         record->vlan == neighbor.interface.vlan && record->next_hop == neighbor.address;
}

}  // namespace

// The lowest free one.
GroupId FibBuilder::new_group_id() {
  if (free_groups_.empty()) free_groups_.insert({next_group_.value++});
  const auto id = *free_groups_.begin();
  free_groups_.erase(free_groups_.begin());
  return id;
}

std::optional<GroupId> FibBuilder::find_group(const WantedWay& way) const {
  if (way.paths != kNoPaths) {
    return way.paths.value < groups_by_paths_.size() ? groups_by_paths_[way.paths.value]
                                                     : std::nullopt;
  }
  const auto at = groups_by_target_.find(way.target);
  if (at == groups_by_target_.end()) return std::nullopt;
  return at->second;
}

GroupId FibBuilder::add_group(WantedWay way, const IpPrefix& prefix, const fib::Fib& present) {
  if (way.paths != kNoPaths) way.target = *wanted_.rib().target_of(way.paths);
  const auto restored = restored_id(way.target, prefix, present);
  const auto id = restored ? *restored : new_group_id();
  restored_groups_.erase(id);
  if (way.paths == kNoPaths) {
    groups_by_target_[way.target] = id;
  } else {
    if (groups_by_paths_.size() <= way.paths.value) groups_by_paths_.resize(way.paths.value + 1);
    groups_by_paths_[way.paths.value] = id;
  }
  if (groups_.size() <= id.value) groups_.resize(id.value + 1);
  groups_[id.value] = {std::move(way.target), way.paths};
  name_neighbors(id);
  dirty_groups_.insert(id);
  return id;
}

void FibBuilder::name_neighbors(GroupId id) {
  for (const auto& hop : groups_[id.value].target.next_hops) {
    groups_by_neighbor_[hop.neighbor].insert(id);
  }
}

void FibBuilder::unname_neighbors(GroupId id) {
  for (const auto& hop : groups_[id.value].target.next_hops) {
    const auto users = groups_by_neighbor_.find(hop.neighbor);
    if (users == groups_by_neighbor_.end()) continue;
    users->second.erase(id);
    if (users->second.empty()) groups_by_neighbor_.erase(users);
  }
}

void FibBuilder::release(GroupId id) {
  auto& group = groups_[id.value];
  if (--group.routes > 0) return;
  unname_neighbors(id);
  dirty_groups_.insert(id);
  free_groups_.insert(id);
  if (group.paths == kNoPaths) {
    groups_by_target_.erase(group.target);
  } else {
    groups_by_paths_[group.paths.value].reset();
  }
  group = {};
}

// One that leads nowhere now loses its routes, and with them its group, in the same delta.
void FibBuilder::refresh_groups() {
  for (const auto paths : std::exchange(dirty_paths_, {})) {
    const auto id = find_group({paths});
    if (!id) continue;
    const auto& target = wanted_.rib().target_of(paths);
    if (!target) continue;
    unname_neighbors(*id);
    groups_[id->value].target = *target;
    name_neighbors(*id);
    dirty_groups_.insert(*id);
  }
}

// ---- records

FibBuilder::GroupRecord FibBuilder::group_record(const Target& target, GroupId id,
                                                 const fib::Fib& present) const {
  GroupRecord record{{id, target.kind, {}}, true};
  auto& members = record.group.members;
  for (const auto& hop : target.next_hops) {
    const auto at = adjacencies_.find(hop.neighbor);
    if (at == adjacencies_.end() || at->second.leaving) continue;
    const fib::AdjacencyKey key{hop.neighbor.interface.node, at->second.index};
    if (is_of(present.find(key), hop.neighbor)) {
      members.push_back({key, hop.weight});
    } else {
      record.complete = false;
    }
  }
  if (target.kind == fib::GroupKind::forward && members.empty()) {
    record.group.kind = fib::GroupKind::glean;
  }
  return record;
}

void FibBuilder::emit_groups(const fib::Fib& present, Epoch epoch, fib::Delta& delta) {
  std::set<GroupId> later;
  for (const auto id : dirty_groups_) {
    const auto* old = present.find(id);
    if (!has_group(id)) {
      if (old != nullptr) delta.removed_groups.push_back(id);
      continue;
    }
    auto [record, complete] = group_record(groups_[id.value].target, id, present);
    if (!complete) later.insert(id);
    if (old != nullptr && *old == record) continue;
    delta.groups.push_back(std::move(record));
    groups_[id.value].epoch = epoch;
  }
  dirty_groups_ = std::move(later);
}

}  // namespace rackway::control
