// SPDX-License-Identifier: Apache-2.0
#include "node/steering_of.hh"

namespace rackway::node {
namespace {

vlb::SteeringSetup steering_setup(const cluster::Welcome& welcome, std::size_t cores) {
  constexpr double kMegabit = 1e6;
  vlb::SteeringSetup setup{
      .mode = welcome.mode,
      .node_rates = {welcome.node_rates.begin(), welcome.node_rates.end()},
      .own_rate = welcome.external_rate * kMegabit / static_cast<double>(cores),
      .link_rates = {},
      .gap = {.least = welcome.least_flowlet_gap_us, .most = welcome.most_flowlet_gap_us}};
  for (const auto rate : welcome.link_rates) setup.link_rates.push_back(rate * kMegabit);
  return setup;
}

}  // namespace

vlb::Steering steering_of(const cluster::Welcome& welcome, std::size_t cores,
                          const std::vector<bool>& down) {
  topo::FabricTable table(welcome.self, welcome.node_names.size(), welcome.links, down);
  return {std::move(table), welcome.self, steering_setup(welcome, cores)};
}

}  // namespace rackway::node
