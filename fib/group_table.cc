// SPDX-License-Identifier: Apache-2.0
#include "fib/group_table.hh"

#include "fib/bucket_layout.hh"

namespace rackway::fib {
namespace {

GroupEntry entry_of(const Group& group, const AdjacencyTable& adjacencies) {
  const BucketLayout layout = lay_out_buckets(group.members);
  std::vector<Bucket> of_members;
  for (const AdjacencyKey key : layout.members) {
    of_members.push_back({key.node, adjacencies.find(key)->mtu, key.index});
  }
  GroupEntry entry{group.kind, {}};
  entry.buckets.reserve(layout.owners.size());
  for (const std::uint16_t owner : layout.owners) entry.buckets.push_back(of_members[owner]);
  return entry;
}

}  // namespace

void GroupTable::set(const Group& group, const AdjacencyTable& adjacencies) {
  const auto [at, is_new] = records_.try_emplace(group.id);
  Record& record = at->second;
  if (is_new) {
    record.next_hop = new_next_hop();
    groups_[record.next_hop.value] = group.id;
  } else {
    forget_members(record.group);
  }
  record.group = group;
  for (const GroupMember& member : group.members) users_.emplace(member.adjacency, group.id);
  entries_[record.next_hop.value] = entry_of(group, adjacencies);
}

NextHopId GroupTable::new_next_hop() {
  if (free_.empty()) {
    entries_.emplace_back();
    groups_.emplace_back();
    return {static_cast<std::uint32_t>(entries_.size() - 1)};
  }
  return free_.extract(free_.begin()).value();
}

void GroupTable::remove(GroupId id) {
  const auto known = records_.find(id);
  forget_members(known->second.group);
  free_.insert(known->second.next_hop);
  entries_[known->second.next_hop.value] = {};
  records_.erase(known);
  if (!records_.empty()) return;
  entries_.resize(kFirstNextHop);
  groups_.resize(kFirstNextHop);
  free_.clear();
}

void GroupTable::set_default(NextHopId default_id, std::optional<NextHopId> next_hop) {
  entries_[default_id.value] = next_hop ? entries_[next_hop->value] : GroupEntry{};
}

void GroupTable::forget_members(const Group& group) {
  for (const GroupMember& member : group.members) users_.erase({member.adjacency, group.id});
}

void GroupTable::refresh_mtu(const Adjacency& adjacency) {
  const auto [node, index] = adjacency.key;
  for (auto user = next_user(adjacency.key, {0}); user;
       user = next_user(adjacency.key, {user->value + 1})) {
    for (Bucket& bucket : entries_[next_hop_of(*user).value].buckets) {
      if (bucket.node == node && bucket.index == index) bucket.mtu = adjacency.mtu;
    }
  }
}

std::size_t GroupTable::routes_on(GroupId id) const {
  const auto known = records_.find(id);
  return known == records_.end() ? 0 : known->second.routes;
}

const Group* GroupTable::find(GroupId id) const {
  const auto known = records_.find(id);
  return known == records_.end() ? nullptr : &known->second.group;
}

std::optional<GroupId> GroupTable::next_user(AdjacencyKey key, GroupId from) const {
  const auto user = users_.lower_bound({key, from});
  if (user == users_.end() || user->first != key) return std::nullopt;
  return user->second;
}

}  // namespace rackway::fib
