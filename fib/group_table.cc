// SPDX-License-Identifier: Apache-2.0
#include "fib/group_table.hh"

#include <algorithm>
#include <bit>

#include "fib/bucket_layout.hh"

namespace rackway::fib {
namespace {

std::vector<Bucket> buckets_for(const Group& group, const AdjacencyTable& adjacencies) {
  const BucketLayout layout = lay_out_buckets(group.members);
  std::vector<Bucket> of_members;
  for (const AdjacencyKey key : layout.members) {
    of_members.push_back({key.node, adjacencies.find(key)->mtu, key.index});
  }
  std::vector<Bucket> buckets;
  buckets.reserve(layout.owners.size());
  for (const std::uint16_t owner : layout.owners) buckets.push_back(of_members[owner]);
  return buckets;
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
  const auto buckets = buckets_for(group, adjacencies);
  Entry& entry = entries_[record.next_hop.value];
  release_buckets(entry);
  entry = {.kind = group.kind};
  if (buckets.size() == 1) entry.single = buckets.front();
  if (buckets.size() <= 1) return;
  entry.first = buckets_.allocate(buckets.size());
  entry.shift = static_cast<std::uint8_t>(kSingle - std::countr_zero(buckets.size()));
  std::ranges::copy(buckets, buckets_of(entry).begin());
}

std::span<Bucket> GroupTable::buckets_of(Entry& entry) noexcept {
  if (entry.shift != kSingle) {
    return buckets_.block(entry.first, std::size_t{1} << (kSingle - entry.shift));
  }
  return {&entry.single, entry.kind == GroupKind::forward ? 1u : 0u};
}

void GroupTable::release_buckets(Entry& entry) {
  if (entry.shift != kSingle) buckets_.release(entry.first, buckets_of(entry).size());
  entry = {};
}

GroupEntry GroupTable::entry(NextHopId id) const noexcept {
  const Entry& entry = entries_[id.value];
  if (entry.shift != kSingle) {
    return {entry.kind, {buckets_.data() + entry.first, std::size_t{1} << (kSingle - entry.shift)}};
  }
  return {entry.kind, {&entry.single, entry.kind == GroupKind::forward ? 1u : 0u}};
}

void GroupTable::pick(std::span<const NextHopId> ids, std::span<const std::uint32_t> flow_hashes,
                      std::span<Bucket> out) const noexcept {
  const Entry* const entries = entries_.data();
  if (buckets_.empty()) {  // as on most routers: no group has more than one
    for (std::size_t i = 0; i < ids.size(); ++i) out[i] = entries[ids[i].value].single;
    return;
  }
  const Bucket* const arena = buckets_.data();
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const Entry& entry = entries[ids[i].value];
    const std::uint64_t index = std::uint64_t{flow_hashes[i]} >> entry.shift;
    // No branch: a table has groups of both sorts. The mask is all ones for a single one.
    const auto inside = reinterpret_cast<std::uintptr_t>(&entry.single);
    const auto outside = reinterpret_cast<std::uintptr_t>(arena + entry.first + index);
    const std::uintptr_t single = 0 - static_cast<std::uintptr_t>(entry.shift >> 5);
    out[i] = *reinterpret_cast<const Bucket*>((inside & single) | (outside & ~single));
  }
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
  release_buckets(entries_[known->second.next_hop.value]);
  records_.erase(known);
  if (!records_.empty()) return;
  entries_.resize(kFirstNextHop);
  groups_.resize(kFirstNextHop);
  free_.clear();
  buckets_.clear();
}

void GroupTable::set_default(NextHopId default_id, std::optional<NextHopId> next_hop) {
  entries_[default_id.value] = next_hop ? entries_[next_hop->value] : Entry{};
}

void GroupTable::forget_members(const Group& group) {
  for (const GroupMember& member : group.members) users_.erase({member.adjacency, group.id});
}

void GroupTable::refresh_mtu(const Adjacency& adjacency) {
  const auto [node, index] = adjacency.key;
  for (auto user = next_user(adjacency.key, {0}); user;
       user = next_user(adjacency.key, {user->value + 1})) {
    for (Bucket& bucket : buckets_of(entries_[next_hop_of(*user).value])) {
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
