// SPDX-License-Identifier: Apache-2.0
// From one node: over which of its own fabric links lies a shortest path to each other node. For a
// full mesh that is the one direct link; other connected graphs work the same way. Computed once
// from the document, immutable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/id.hh"

namespace rackway::topo {

// Both ends of a cable; the number of a link is its place in the list.
struct LinkEnds {
  NodeId a, b;
  bool operator==(const LinkEnds&) const = default;
};

// A fabric link as one of its ends sees it.
struct LocalLink {
  std::uint32_t number;  // in the document
  NodeId peer;
  bool operator==(const LocalLink&) const = default;
};

class FabricTable {
 public:
  FabricTable(NodeId self, std::size_t nodes, std::span<const LinkEnds> links);

  // This node's links in the order of the document; the local index of a link is its place here.
  [[nodiscard]] std::span<const LocalLink> local_links() const { return local_links_; }
  // Local indices of the links that start a shortest path to the target; empty for self and for
  // nodes that can not be reached.
  [[nodiscard]] std::span<const std::uint16_t> links_to(NodeId target) const {
    return first_links_[target.value];
  }
  [[nodiscard]] std::size_t nodes() const { return first_links_.size(); }

 private:
  std::vector<LocalLink> local_links_;
  std::vector<std::vector<std::uint16_t>> first_links_;  // by target
};

}  // namespace rackway::topo
