// SPDX-License-Identifier: Apache-2.0
#include "fib/adjacency_table.hh"

namespace rackway::fib {

void AdjacencyTable::set(const Adjacency& adjacency) {
  const auto [node, index] = adjacency.key;
  records_.insert_or_assign(adjacency.key, adjacency);
  if (by_node_.size() <= node.value) by_node_.resize(node.value + 1);
  auto& slots = by_node_[node.value];
  if (slots.size() <= index.value) slots.resize(index.value + 1);
  slots[index.value] = {adjacency.destination, adjacency.mtu, adjacency.port, adjacency.vlan, true};
}

void AdjacencyTable::remove(AdjacencyKey key) {
  records_.erase(key);
  auto& slots = by_node_[key.node.value];
  slots[key.index.value] = {};
  while (!slots.empty() && !slots.back().valid) slots.pop_back();
  if (slots.empty()) slots.shrink_to_fit();
}

const Adjacency* AdjacencyTable::find(AdjacencyKey key) const {
  const auto known = records_.find(key);
  return known == records_.end() ? nullptr : &known->second;
}

std::span<const LocalAdjacency> AdjacencyTable::of(NodeId node) const noexcept {
  if (node.value >= by_node_.size()) return {};
  return by_node_[node.value];
}

}  // namespace rackway::fib
