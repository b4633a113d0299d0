// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_table.hh"

#include <algorithm>
#include <bit>
#include <numeric>

namespace rackway::topo {
namespace {

// For each node a set of local links, as bits.
class LinkSets {
 public:
  LinkSets(std::size_t nodes, std::size_t links)
      : words_((links + 63) / 64), bits_(nodes * words_) {}

  void add(NodeId node, std::size_t link) {
    bits_[node.value * words_ + link / 64] |= std::uint64_t{1} << link % 64;
  }
  // What is in the other sets for `from`, also for `to` in these.
  void add_all(NodeId to, const LinkSets& sets, NodeId from) {
    const auto target = to.value * words_, source = from.value * words_;
    for (std::size_t i = 0; i < words_; ++i) bits_[target + i] |= sets.bits_[source + i];
  }
  void remove_all(const LinkSets& others) {
    for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] &= ~others.bits_[i];
  }
  // Calls visit(link) for each link of the node's set, lowest first.
  template <class Visit>
  void for_each(NodeId node, Visit&& visit) const {
    for (std::size_t i = 0; i < words_; ++i) {
      for (auto bits = bits_[node.value * words_ + i]; bits != 0; bits &= bits - 1) {
        visit(i * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
      }
    }
  }

 private:
  std::size_t words_;
  std::vector<std::uint64_t> bits_;
};

// The nodes that can be reached, by their distance.
std::vector<std::vector<NodeId>> by_distance(const std::vector<Hops>& hops) {
  std::vector<std::vector<NodeId>> nodes;
  for (std::uint16_t node = 0; node < hops.size(); ++node) {
    if (hops[node] == kUnreachable) continue;
    if (hops[node] >= nodes.size()) nodes.resize(hops[node] + 1u);
    nodes[hops[node]].push_back(NodeId{node});
  }
  return nodes;
}

// With d the distance from the node whose table this is: a link of its own starts a shortest path
// to another node if it starts one to a neighbour of that node which is nearer by one. The link's
// far end is no farther from the node than d, if that is so of such a neighbour, or if the link
// starts a shortest path to a neighbour that is as far away as the node.
struct Paths {
  Paths(const FabricGraph& graph, std::size_t links)
      : first(graph.nodes(), links), no_farther(graph.nodes(), links) {}

  // For nodes of one distance, when those of lesser distances are known.
  void extend(const FabricGraph& graph, const std::vector<Hops>& hops,
              const std::vector<NodeId>& nodes) {
    for (const auto node : nodes) {
      for (const auto& neighbor : graph.neighbors(node)) {
        if (hops[neighbor.node.value] + 1u != hops[node.value]) continue;
        first.add_all(node, first, neighbor.node);
        no_farther.add_all(node, no_farther, neighbor.node);
      }
    }
    for (const auto node : nodes) {
      for (const auto& neighbor : graph.neighbors(node)) {
        if (hops[neighbor.node.value] != hops[node.value]) continue;
        no_farther.add_all(node, first, neighbor.node);
      }
    }
  }

  LinkSets first, no_farther;
};

}  // namespace

FabricTable::FabricTable(NodeId self, std::size_t nodes, std::span<const LinkEnds> links,
                         const std::vector<bool>& down)
    : FabricTable(self, FabricGraph(nodes, links, down), links) {}

FabricTable::FabricTable(NodeId self, const FabricGraph& graph, std::span<const LinkEnds> links,
                         Hops diameter)
    : hops_(graph.hops_from(self)),
      is_mesh_(graph.is_mesh()),
      is_whole_mesh_(graph.is_mesh() && graph.is_whole()),
      hop_budget_(hop_budget_for(diameter)) {
  find_local_links(self, graph, links);
  is_whole_mesh_ ? find_paths_of_mesh() : find_paths(self, graph);
}

void FabricTable::find_local_links(NodeId self, const FabricGraph& graph,
                                   std::span<const LinkEnds> links) {
  if (graph.is_whole()) {
    for (const auto& neighbor : graph.neighbors(self)) {
      local_links_.push_back({neighbor.link, neighbor.node});
    }
    return;
  }
  for (std::uint32_t number = 0; number < links.size(); ++number) {
    const auto& link = links[number];
    if (link.a != self && link.b != self) continue;
    local_links_.push_back({number, link.a == self ? link.b : link.a});
  }
}

// The links straight there.
void FabricTable::find_paths_of_mesh() {
  std::vector<std::size_t> by_peer(local_links_.size());
  std::iota(by_peer.begin(), by_peer.end(), std::size_t{0});
  std::stable_sort(by_peer.begin(), by_peer.end(), [this](std::size_t a, std::size_t b) {
    return local_links_[a].peer < local_links_[b].peer;
  });
  std::size_t at = 0;
  for (std::uint16_t node = 0; node < nodes(); ++node) {
    for (; at < by_peer.size() && local_links_[by_peer[at]].peer == NodeId{node}; ++at) {
      first_links_.add(by_peer[at]);
    }
    first_links_.end_node();
  }
}

void FabricTable::find_paths(NodeId self, const FabricGraph& graph) {
  Paths paths(graph, local_links_.size());
  std::size_t local = 0;
  for (const auto& neighbor : graph.neighbors(self)) {
    while (local_links_[local].number != neighbor.link) ++local;  // those between are down
    paths.first.add(neighbor.node, local);
    paths.no_farther.add(neighbor.node, local);
  }
  for (const auto& nodes : by_distance(hops_)) paths.extend(graph, hops_, nodes);
  paths.no_farther.remove_all(paths.first);
  for (std::uint16_t node = 0; node < graph.nodes(); ++node) {
    paths.first.for_each(NodeId{node}, [&](std::size_t link) { first_links_.add(link); });
    paths.no_farther.for_each(NodeId{node}, [&](std::size_t link) { alternates_.add(link); });
    first_links_.end_node();
    alternates_.end_node();
  }
}

std::vector<std::uint16_t> FabricTable::alternates_to(NodeId target) const {
  std::vector<std::uint16_t> alternates;
  if (!is_whole_mesh_) {
    const auto listed = alternates_.of(target);
    alternates.assign(listed.begin(), listed.end());
  } else if (const auto first = links_to(target); !first.empty()) {
    alternates.reserve(local_links_.size());
    for (std::uint16_t link = 0; link < local_links_.size(); ++link) {
      if (!std::binary_search(first.begin(), first.end(), link)) alternates.push_back(link);
    }
  }
  return alternates;
}

}  // namespace rackway::topo
