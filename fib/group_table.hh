// SPDX-License-Identifier: Apache-2.0
// Next-hop groups: the records with the number of routes on each, what the forwarding core reads of
// them by id, and which groups use an adjacency, so that a change of an adjacency finds its groups
// without a search. Owned by a Fib; no checks of its own. One writer while nobody reads.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fib/adjacency_table.hh"
#include "fib/fib.hh"

namespace rackway::fib {

class GroupTable {
 public:
  // Every adjacency that the members name is in the table given.
  void set(const Group& group, const AdjacencyTable& adjacencies);
  void remove(GroupId id);
  // Brings the buckets that lead to the adjacency up to its MTU.
  void refresh_mtu(const Adjacency& adjacency);

  // One route more, or less, on a known group.
  void retain(GroupId id) { ++records_.at(id).routes; }
  void release(GroupId id) { --records_.at(id).routes; }
  [[nodiscard]] std::size_t routes_on(GroupId id) const;

  // Null if unknown. Valid until the next change.
  [[nodiscard]] const Group* find(GroupId id) const;
  // An id without a record reads as unreachable.
  [[nodiscard]] const GroupEntry& entry(GroupId id) const noexcept {
    return id.value < entries_.size() ? entries_[id.value] : no_record_;
  }
  // The first group from `from` on that has the adjacency as a member.
  [[nodiscard]] std::optional<GroupId> next_user(AdjacencyKey key, GroupId from) const;

  [[nodiscard]] std::size_t size() const { return records_.size(); }
  [[nodiscard]] const auto& records() const { return records_; }

 private:
  struct Record {
    Group group;
    std::size_t routes = 0;
  };
  void forget_members(const Group& group);

  std::unordered_map<GroupId, Record> records_;
  std::vector<GroupEntry> entries_;                   // by id; the default where there is no group
  std::set<std::pair<AdjacencyKey, GroupId>> users_;  // of each adjacency
  GroupEntry no_record_;
};

}  // namespace rackway::fib
