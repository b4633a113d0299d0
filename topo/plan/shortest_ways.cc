// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/shortest_ways.hh"

namespace rackway::plan {

ShortestWays::ShortestWays(const FabricModel& model, const Failures& failures)
    : around_(model.nodes()) {
  const auto living = living_links(model, failures);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    if (!living[i]) continue;
    const auto& link = model.links[i];
    around_[link.a.value].push_back({link.b, direction(i, true)});
    around_[link.b.value].push_back({link.a, direction(i, false)});
  }
}

ShortestWays::Distances ShortestWays::to(NodeId target) const {
  Distances distances{std::vector<std::uint32_t>(around_.size(), kFar), {target}};
  distances.order.reserve(around_.size());
  distances.hops[target.value] = 0;
  for (std::size_t i = 0; i < distances.order.size(); ++i) {
    const auto node = distances.order[i];
    for (const auto& step : around_[node.value]) {
      auto& hops = distances.hops[step.to.value];
      if (hops != kFar) continue;
      hops = distances.hops[node.value] + 1;
      distances.order.push_back(step.to);
    }
  }
  return distances;
}

}  // namespace rackway::plan
