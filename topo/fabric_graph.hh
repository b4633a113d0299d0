// SPDX-License-Identifier: Apache-2.0
// The fabric as a graph: nodes, and the links between them that are up, as neighbours of each node.
// Links that are down keep their numbers and join nothing. Immutable.
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

using Hops = std::uint16_t;
inline constexpr Hops kUnreachable = 0xffff;

class FabricGraph {
 public:
  struct Neighbor {
    NodeId node;
    std::uint32_t link;  // its number
  };

  // Every link's ends are below nodes. down: by number of link; those beyond its end are up.
  FabricGraph(std::size_t nodes, std::span<const LinkEnds> links,
              const std::vector<bool>& down = {});

  [[nodiscard]] std::size_t nodes() const { return first_.size() - 1; }
  // Every two nodes are joined by a link, up or down.
  [[nodiscard]] bool is_mesh() const { return is_mesh_; }
  // No link is down.
  [[nodiscard]] bool is_whole() const { return is_whole_; }
  // In the order of the links' numbers.
  [[nodiscard]] std::span<const Neighbor> neighbors(NodeId node) const {
    return {neighbors_.data() + first_[node.value], neighbors_.data() + first_[node.value + 1]};
  }
  // By node: the least number of links to it, or kUnreachable.
  [[nodiscard]] std::vector<Hops> hops_from(NodeId start) const;
  // The most links between two nodes that reach each other; stops counting at `most`.
  [[nodiscard]] Hops diameter(Hops most) const;

 private:
  std::vector<std::uint32_t> first_;  // by node: where its neighbours begin; one more at the end
  std::vector<Neighbor> neighbors_;
  bool is_mesh_;
  bool is_whole_;
};

// Every node has a link to every other one; several between two count once.
[[nodiscard]] bool is_full_mesh(std::size_t nodes, std::span<const LinkEnds> links);

}  // namespace rackway::topo
