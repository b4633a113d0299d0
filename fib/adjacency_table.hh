// SPDX-License-Identifier: Apache-2.0
// The adjacencies of the whole cluster: the records by key, and for each egress node what it
// writes, by index. Owned by a Fib; no checks of its own. One writer while nobody reads.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "fib/fib.hh"

namespace rackway::fib {

class AdjacencyTable {
 public:
  void set(const Adjacency& adjacency);
  void remove(AdjacencyKey key);

  // Null if unknown. Valid until the next change.
  [[nodiscard]] const Adjacency* find(AdjacencyKey key) const;
  // By index, valid or not.
  [[nodiscard]] std::span<const LocalAdjacency> of(NodeId node) const noexcept;

  [[nodiscard]] std::size_t size() const { return records_.size(); }
  [[nodiscard]] const auto& records() const { return records_; }

 private:
  std::unordered_map<AdjacencyKey, Adjacency> records_;
  std::vector<std::vector<LocalAdjacency>> by_node_;
};

}  // namespace rackway::fib
