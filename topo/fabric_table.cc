// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_table.hh"

#include <limits>
#include <queue>

namespace rackway::topo {
namespace {

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

using Neighbours = std::vector<std::vector<std::uint16_t>>;

Neighbours neighbours_of_each(std::size_t nodes, std::span<const LinkEnds> links) {
  Neighbours neighbours(nodes);
  for (const auto& link : links) {
    neighbours[link.a.value].push_back(link.b.value);
    neighbours[link.b.value].push_back(link.a.value);
  }
  return neighbours;
}

// Hops from one node to each other one, without passing through `avoided`.
std::vector<std::uint32_t> distances_from(NodeId start, NodeId avoided, const Neighbours& graph) {
  std::vector<std::uint32_t> distance(graph.size(), kUnreached);
  std::queue<std::uint16_t> frontier({start.value});
  distance[start.value] = 0;
  while (!frontier.empty()) {
    const auto at = frontier.front();
    frontier.pop();
    for (const auto next : graph[at]) {
      if (distance[next] != kUnreached || next == avoided.value) continue;
      distance[next] = distance[at] + 1;
      frontier.push(next);
    }
  }
  return distance;
}

}  // namespace

FabricTable::FabricTable(NodeId self, std::size_t nodes, std::span<const LinkEnds> links)
    : first_links_(nodes) {
  const auto graph = neighbours_of_each(nodes, links);
  std::vector<std::vector<std::uint32_t>> beyond;  // by local link: hops from its far end
  for (std::uint32_t number = 0; number < links.size(); ++number) {
    const auto& link = links[number];
    if (link.a != self && link.b != self) continue;
    local_links_.push_back({number, link.a == self ? link.b : link.a});
    beyond.push_back(distances_from(local_links_.back().peer, self, graph));
  }
  for (std::size_t target = 0; target < nodes; ++target) {
    std::uint32_t best = kUnreached;
    for (const auto& distance : beyond) best = std::min(best, distance[target]);
    if (best == kUnreached || target == self.value) continue;
    for (std::uint16_t i = 0; i < beyond.size(); ++i) {
      if (beyond[i][target] == best) first_links_[target].push_back(i);
    }
  }
}

}  // namespace rackway::topo
