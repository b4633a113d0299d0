// SPDX-License-Identifier: Apache-2.0
// The router's own addresses, per node and sorted by port and VLAN. The whole record is its key: a
// changed subnet length is one record removed and another added. Owned by a Fib; no checks of its
// own. One writer while nobody reads.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "fib/records.hh"

namespace rackway::fib {

class PortAddressTable {
 public:
  // False, and nothing changed, if it is there already, or not there.
  bool add(const PortAddress& address);
  bool remove(const PortAddress& address);

  [[nodiscard]] bool contains(const PortAddress& address) const;
  [[nodiscard]] std::span<const PortAddress> of(NodeId node) const noexcept;
  [[nodiscard]] std::size_t size() const { return size_; }
  // All of them, sorted by node, port and VLAN.
  [[nodiscard]] std::vector<PortAddress> all() const;

 private:
  std::vector<std::vector<PortAddress>> by_node_;
  std::size_t size_ = 0;
};

}  // namespace rackway::fib
