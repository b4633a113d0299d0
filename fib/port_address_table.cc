// SPDX-License-Identifier: Apache-2.0
#include "fib/port_address_table.hh"

#include <algorithm>

namespace rackway::fib {

bool PortAddressTable::add(const PortAddress& address) {
  if (by_node_.size() <= address.node.value) by_node_.resize(address.node.value + 1);
  auto& own = by_node_[address.node.value];
  const auto at = std::lower_bound(own.begin(), own.end(), address);
  if (at != own.end() && *at == address) return false;
  own.insert(at, address);
  ++size_;
  return true;
}

bool PortAddressTable::remove(const PortAddress& address) {
  if (!contains(address)) return false;
  auto& own = by_node_[address.node.value];
  own.erase(std::lower_bound(own.begin(), own.end(), address));
  --size_;
  return true;
}

bool PortAddressTable::contains(const PortAddress& address) const {
  const auto own = of(address.node);
  return std::binary_search(own.begin(), own.end(), address);
}

std::span<const PortAddress> PortAddressTable::of(NodeId node) const noexcept {
  if (node.value >= by_node_.size()) return {};
  return by_node_[node.value];
}

std::vector<PortAddress> PortAddressTable::all() const {
  std::vector<PortAddress> all;
  all.reserve(size_);
  for (const auto& own : by_node_) all.insert(all.end(), own.begin(), own.end());
  return all;
}

}  // namespace rackway::fib
