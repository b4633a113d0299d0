// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/cluster/mesh_scenario.hh"

#include "tests/bench/cluster/frame.hh"
#include "topo/fabric_shapes.hh"

namespace rackway::bench {
namespace {

constexpr traffic::Picoseconds kCableDelay = 2 * traffic::kMicrosecond;
constexpr std::uint32_t kLinkBuffer = 256 * 1024;
constexpr std::uint64_t kMatrixSeed = 11;

vlb::Steering steering_of(const MeshCase& of, double link_rate, topo::FabricTable table,
                          NodeId self) {
  vlb::SteeringSetup setup;
  setup.mode = of.mode;
  setup.node_rates.assign(of.nodes, of.rate);
  setup.own_rate = of.rate;
  setup.link_rates.assign(of.nodes - 1, link_rate);
  return {std::move(table), self, setup};
}

}  // namespace

simulator::Scenario mesh_scenario(const MeshCase& of) {
  simulator::Scenario scenario;
  scenario.nodes.assign(of.nodes, {of.rate, 1});
  const double link_rate = of.links_of_2r_n * 2 * of.rate / static_cast<double>(of.nodes);
  for (const auto& ends : topo::full_mesh(of.nodes).links) {
    scenario.links.push_back({ends, {link_rate, kCableDelay, kLinkBuffer}});
  }
  scenario.steering = [of, link_rate](topo::FabricTable table, NodeId self) {
    return steering_of(of, link_rate, std::move(table), self);
  };
  scenario.flow_hash = flow_hash_of;
  scenario.matrix =
      traffic::make_matrix(of.matrix, simulator::rates_of(scenario.nodes), kMatrixSeed)
          .scaled(of.load);
  return scenario;
}

}  // namespace rackway::bench
