// SPDX-License-Identifier: Apache-2.0
#include "vlb/simulator/fluid_routes.hh"

#include <algorithm>

namespace rackway::simulator {

FluidRoutes::FluidRoutes(const Scenario& scenario)
    : works_(scenario.nodes.size(), true), alive_(scenario.links.size(), true) {
  std::vector<topo::LinkEnds> links;
  links.reserve(scenario.links.size());
  ends_.reserve(2 * scenario.links.size());
  for (const auto& link : scenario.links) {
    links.push_back(link.ends);
    ends_.push_back(link.ends.b);
    ends_.push_back(link.ends.a);
  }
  const topo::FabricGraph graph(scenario.nodes.size(), links);
  const auto diameter = graph.diameter(topo::kMaxHopBudget);
  tables_.reserve(scenario.nodes.size());
  for (std::size_t i = 0; i < scenario.nodes.size(); ++i) {
    tables_.emplace_back(NodeId{static_cast<std::uint16_t>(i)}, graph, links, diameter);
  }
  find_dead(scenario);
}

void FluidRoutes::find_dead(const Scenario& scenario) {
  auto faults = scenario.faults;
  std::stable_sort(faults.begin(), faults.end(),
                   [](const Fault& a, const Fault& b) { return a.at < b.at; });
  std::vector<bool> there(alive_.size(), true), back(alive_.size(), true);
  for (const auto& fault : faults) {
    if (fault.of == Fault::Of::node) works_[fault.number] = fault.works;
    if (fault.of == Fault::Of::link || fault.of == Fault::Of::a_to_b) {
      there[fault.number] = fault.works;
    }
    if (fault.of == Fault::Of::link || fault.of == Fault::Of::b_to_a) {
      back[fault.number] = fault.works;
    }
  }
  for (std::size_t i = 0; i < alive_.size(); ++i) {
    const auto& ends = scenario.links[i].ends;
    alive_[i] = there[i] && back[i] && works_[ends.a.value] && works_[ends.b.value];
    all_alive_ = all_alive_ && alive_[i];
  }
}

bool FluidRoutes::has_way(NodeId node, NodeId target) const {
  const auto links = tables_[node.value].links_to(target);
  return std::any_of(links.begin(), links.end(),
                     [&](std::uint16_t link) { return is_alive(node, link); });
}

bool FluidRoutes::leg_is_alive(NodeId node, std::uint16_t link, NodeId target) const {
  const NodeId peer = tables_[node.value].local_links()[link].peer;
  return is_alive(node, link) && (peer == target || has_way(peer, target));
}

bool FluidRoutes::is_open(NodeId ingress, const vlb::Path& path, NodeId egress) const {
  if (all_alive_) return true;
  const NodeId peer = tables_[ingress.value].local_links()[path.link].peer;
  if (!leg_is_alive(ingress, path.link, path.target)) return false;
  return path.relayed == 0 || peer != path.target || has_way(peer, egress);
}

FluidRoutes::Step FluidRoutes::onward_around(NodeId at, NodeId target, NodeId ingress) const {
  std::vector<std::uint16_t> live;
  const auto find_live = [&](std::span<const std::uint16_t> links) {
    live.clear();
    for (const auto link : links) {
      if (leg_is_alive(at, link, target)) live.push_back(link);
    }
  };
  const auto& table = tables_[at.value];
  find_live(table.links_to(target));
  if (!live.empty()) return {target, live[target.value % live.size()]};
  find_live(table.alternates_to(target));
  if (live.empty()) return {target, vlb::kNoLink};
  auto link = live[target.value % live.size()];
  if (table.local_links()[link].peer == ingress) link = live[(target.value + 1u) % live.size()];
  return {table.local_links()[link].peer, link};
}

}  // namespace rackway::simulator
