// SPDX-License-Identifier: Apache-2.0
#include "fib/group_table.hh"

#include "fib/bucket_shares.hh"

namespace rackway::fib {
namespace {

GroupEntry entry_of(const Group& group, const AdjacencyTable& adjacencies) {
  GroupEntry entry{group.kind, {}};
  const auto shares = bucket_shares(group.members);
  for (std::size_t i = 0; i < shares.size(); ++i) {
    const AdjacencyKey key = group.members[i].adjacency;
    const Bucket bucket{key.node, adjacencies.find(key)->mtu, key.index};
    entry.buckets.insert(entry.buckets.end(), shares[i], bucket);
  }
  entry.buckets.shrink_to_fit();
  return entry;
}

}  // namespace

void GroupTable::set(const Group& group, const AdjacencyTable& adjacencies) {
  Record& record = records_[group.id];
  forget_members(record.group);
  record.group = group;
  for (const GroupMember& member : group.members) users_.emplace(member.adjacency, group.id);
  if (entries_.size() <= group.id.value) entries_.resize(group.id.value + 1);
  entries_[group.id.value] = entry_of(group, adjacencies);
}

void GroupTable::remove(GroupId id) {
  const auto known = records_.find(id);
  forget_members(known->second.group);
  records_.erase(known);
  entries_[id.value] = {};
  if (records_.empty()) entries_ = {};
}

void GroupTable::forget_members(const Group& group) {
  for (const GroupMember& member : group.members) users_.erase({member.adjacency, group.id});
}

void GroupTable::refresh_mtu(const Adjacency& adjacency) {
  const auto [node, index] = adjacency.key;
  for (auto user = next_user(adjacency.key, {0}); user;
       user = next_user(adjacency.key, {user->value + 1})) {
    for (Bucket& bucket : entries_[user->value].buckets) {
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
