// SPDX-License-Identifier: Apache-2.0
// From one node: over which of its own fabric links lies a shortest path to each other node, and
// over which a frame may go on when those are down. The same for any connected graph; in a full
// mesh the shortest path is the one direct link. Immutable: links that fail give another table.
//
// A frame that always goes on over a first link gets nearer to its target at every node, so it can
// not go round in circles. Alternates are loop-free for one failure (RFC 5286, inequality 1, where
// every link costs 1): the far end's own shortest paths do not lead back. Several failures at once
// can bring alternates round in a circle, which the hop budget ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topo/fabric_graph.hh"

namespace rackway::topo {

// Relays that a frame may pass at most: four bits of the fabric tag.
inline constexpr std::uint8_t kMaxHopBudget = 15;

// A fabric link as one of its ends sees it.
struct LocalLink {
  std::uint32_t number;  // in the document
  NodeId peer;
  bool operator==(const LocalLink&) const = default;
};

class FabricTable {
 public:
  // down: by number of link, see FabricGraph. They stay among the local links, on no path.
  FabricTable(NodeId self, std::size_t nodes, std::span<const LinkEnds> links,
              const std::vector<bool>& down = {});
  // The same for who makes many of one graph, which is that of the links, with its diameter.
  FabricTable(NodeId self, const FabricGraph& graph, std::span<const LinkEnds> links,
              Hops diameter);
  FabricTable(NodeId self, const FabricGraph& graph, std::span<const LinkEnds> links)
      : FabricTable(self, graph, links, graph.diameter(kMaxHopBudget)) {}

  // This node's links in the order of the document; the local index of a link is its place here.
  [[nodiscard]] std::span<const LocalLink> local_links() const { return local_links_; }
  // Local indices of the links that start a shortest path to the target; empty for self and for
  // nodes that can not be reached.
  [[nodiscard]] std::span<const std::uint16_t> links_to(NodeId target) const {
    return first_links_.of(target);
  }
  // Local indices of other links whose far end is no farther from the target than this node is,
  // lowest first. In a mesh those are all others, which would be a million entries of 1,024 nodes,
  // so they are found when asked for.
  [[nodiscard]] std::vector<std::uint16_t> alternates_to(NodeId target) const;
  // Links on the shortest path, or kUnreachable.
  [[nodiscard]] Hops hops_to(NodeId target) const { return hops_[target.value]; }
  [[nodiscard]] std::size_t nodes() const { return hops_.size(); }

  // Every node has a link to every other, by the document: up or down.
  [[nodiscard]] bool is_mesh() const { return is_mesh_; }
  // What the ingress node gives a frame: enough for two phases of the longest shortest path each,
  // and one detour, as far as four bits go.
  [[nodiscard]] std::uint8_t hop_budget() const { return hop_budget_; }

 private:
  // A list of local links for each node, one behind the other.
  class Lists {
   public:
    [[nodiscard]] std::span<const std::uint16_t> of(NodeId node) const {
      return {links_.data() + begin_[node.value], links_.data() + begin_[node.value + 1u]};
    }
    void add(std::size_t link) { links_.push_back(static_cast<std::uint16_t>(link)); }
    void end_node() { begin_.push_back(static_cast<std::uint32_t>(links_.size())); }

   private:
    std::vector<std::uint32_t> begin_{0};  // by node; one more at the end
    std::vector<std::uint16_t> links_;
  };

  void find_local_links(NodeId self, const FabricGraph& graph, std::span<const LinkEnds> links);
  void find_paths_of_mesh();
  void find_paths(NodeId self, const FabricGraph& graph);

  std::vector<LocalLink> local_links_;
  Lists first_links_, alternates_;  // of a whole mesh no alternates
  std::vector<Hops> hops_;
  bool is_mesh_;
  bool is_whole_mesh_;
  std::uint8_t hop_budget_;
};

// The hop budget for graphs of that diameter; see FabricTable::hop_budget().
[[nodiscard]] constexpr std::uint8_t hop_budget_for(Hops diameter) {
  return static_cast<std::uint8_t>(diameter * 2 < kMaxHopBudget ? diameter * 2 : kMaxHopBudget);
}

}  // namespace rackway::topo
