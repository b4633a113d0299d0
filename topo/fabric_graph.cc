// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_graph.hh"

#include <algorithm>

namespace rackway::topo {
namespace {

bool is_down(const std::vector<bool>& down, std::size_t link) {
  return link < down.size() && down[link];
}

// One search from 64 nodes at a time, a bit for each: how many steps bring something new.
class SearchFrom64 {
 public:
  explicit SearchFrom64(const FabricGraph& graph)
      : graph_(graph), reached_(graph.nodes()), next_(graph.nodes()) {}

  Hops steps(std::size_t first_source, Hops most) {
    std::fill(reached_.begin(), reached_.end(), 0);
    const auto end = std::min(first_source + 64, graph_.nodes());
    for (auto source = first_source; source < end; ++source) {
      reached_[source] = std::uint64_t{1} << (source - first_source);
    }
    Hops count = 0;
    while (count < most && step()) ++count;
    return count;
  }

 private:
  bool step() {
    bool grown = false;
    for (std::uint16_t node = 0; node < graph_.nodes(); ++node) {
      auto bits = reached_[node];
      for (const auto& neighbor : graph_.neighbors(NodeId{node})) {
        bits |= reached_[neighbor.node.value];
      }
      next_[node] = bits;
      grown |= bits != reached_[node];
    }
    reached_.swap(next_);
    return grown;
  }

  const FabricGraph& graph_;
  std::vector<std::uint64_t> reached_, next_;  // by node: which of the sources come here
};

}  // namespace

FabricGraph::FabricGraph(std::size_t nodes, std::span<const LinkEnds> links,
                         const std::vector<bool>& down)
    : first_(nodes + 1), is_mesh_(is_full_mesh(nodes, links)) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (is_down(down, i)) continue;
    ++first_[links[i].a.value + 1u];
    ++first_[links[i].b.value + 1u];
  }
  for (std::size_t node = 0; node < nodes; ++node) first_[node + 1] += first_[node];
  neighbors_.resize(first_.back());
  std::vector<std::uint32_t> at(first_.begin(), first_.end() - 1);
  for (std::uint32_t i = 0; i < links.size(); ++i) {
    if (is_down(down, i)) continue;
    neighbors_[at[links[i].a.value]++] = {links[i].b, i};
    neighbors_[at[links[i].b.value]++] = {links[i].a, i};
  }
  is_whole_ = neighbors_.size() == 2 * links.size();
}

std::vector<Hops> FabricGraph::hops_from(NodeId start) const {
  std::vector<Hops> hops(nodes(), kUnreachable);
  std::vector<NodeId> queue{start};
  queue.reserve(nodes());
  hops[start.value] = 0;
  for (std::size_t i = 0; i < queue.size() && queue.size() < nodes(); ++i) {
    for (const auto& neighbor : neighbors(queue[i])) {
      auto& there = hops[neighbor.node.value];
      if (there != kUnreachable) continue;
      there = static_cast<Hops>(hops[queue[i].value] + 1);
      queue.push_back(neighbor.node);
    }
  }
  return hops;
}

Hops FabricGraph::diameter(Hops most) const {
  SearchFrom64 search(*this);
  Hops found = 0;
  for (std::size_t source = 0; source < nodes() && found < most; source += 64) {
    found = std::max(found, search.steps(source, most));
  }
  return found;
}

bool is_full_mesh(std::size_t nodes, std::span<const LinkEnds> links) {
  const std::size_t pairs = nodes * (nodes - 1) / 2;
  if (links.size() < pairs) return false;
  std::vector<bool> joined(nodes * nodes);
  std::size_t found = 0;
  for (const auto& link : links) {
    const auto [low, high] = std::minmax(link.a.value, link.b.value);
    if (joined[low * nodes + high]) continue;
    joined[low * nodes + high] = true;
    ++found;
  }
  return found == pairs;
}

}  // namespace rackway::topo
