// SPDX-License-Identifier: Apache-2.0
// Next-hop groups: the records with the number of routes on each, what the forwarding core reads of
// them by next-hop id, and which groups use an adjacency, so that a change of an adjacency finds
// its groups without a search. Owned by a Fib; no checks of its own. One writer while nobody reads.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fib/adjacency_table.hh"
#include "fib/bucket_arena.hh"
#include "fib/fib.hh"
#include "fib/next_hop_id.hh"

namespace rackway::fib {

class GroupTable {
 public:
  // Every adjacency that the members name is in the table given.
  void set(const Group& group, const AdjacencyTable& adjacencies);
  void remove(GroupId id);
  // Brings the buckets that lead to the adjacency up to its MTU.
  void refresh_mtu(const Adjacency& adjacency);

  // The group's id for lookups: the lowest that was free when the group came.
  [[nodiscard]] NextHopId next_hop_of(GroupId id) const { return records_.at(id).next_hop; }
  // For an id of a group that is there.
  [[nodiscard]] GroupId group_of(NextHopId id) const { return groups_[id.value]; }
  // What a default id shows: the entry of that group as it is now; unreachable without one.
  void set_default(NextHopId default_id, std::optional<NextHopId> next_hop);

  // One route more, or less, on a known group.
  void retain(GroupId id) { ++records_.at(id).routes; }
  void release(GroupId id) { --records_.at(id).routes; }
  [[nodiscard]] std::size_t routes_on(GroupId id) const;

  // Null if unknown. Valid until the next change.
  [[nodiscard]] const Group* find(GroupId id) const;
  // Of a group that is there, or a default id.
  [[nodiscard]] GroupEntry entry(NextHopId id) const noexcept;
  // See Fib::pick().
  void pick(std::span<const NextHopId> ids, std::span<const std::uint32_t> flow_hashes,
            std::span<Bucket> out) const noexcept;
  // The first group from `from` on that has the adjacency as a member.
  [[nodiscard]] std::optional<GroupId> next_user(AdjacencyKey key, GroupId from) const;

  [[nodiscard]] std::size_t size() const { return records_.size(); }
  [[nodiscard]] const auto& records() const { return records_; }

 private:
  struct Record {
    Group group;
    NextHopId next_hop;
    std::size_t routes = 0;
  };
  // What forwarding reads of a group; one cache line for most. A single bucket is here, more are in
  // the arena from `first` on, the one for a flow at its hash >> shift.
  struct Entry {
    Bucket single{kNoBucket};
    std::uint32_t first{};
    std::uint8_t shift{kSingle};
    GroupKind kind{GroupKind::unreachable};
  };
  static_assert(sizeof(Entry) == 16);
  static constexpr std::uint8_t kSingle = 32;

  void forget_members(const Group& group);
  void release_buckets(Entry& entry);
  [[nodiscard]] std::span<Bucket> buckets_of(Entry& entry) noexcept;
  [[nodiscard]] NextHopId new_next_hop();

  std::unordered_map<GroupId, Record> records_;
  // By next-hop id.
  std::vector<Entry> entries_ = std::vector<Entry>(kFirstNextHop);
  std::vector<GroupId> groups_ = std::vector<GroupId>(kFirstNextHop);
  std::set<NextHopId> free_;                          // ids below the greatest
  std::set<std::pair<AdjacencyKey, GroupId>> users_;  // of each adjacency
  BucketArena buckets_;
};

}  // namespace rackway::fib
