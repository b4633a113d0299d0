// SPDX-License-Identifier: Apache-2.0
// Scenarios that both the simulation and the fluid run: all matrices and modes over some fabrics.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "topo/fabric_shapes.hh"
#include "topo/steering_mode.hh"
#include "vlb/simulator/scenario.hh"

namespace rackway::simulator::testing {

struct FluidFabricCase {
  std::string name;
  std::vector<double> rates;  // bits/s, by node
  std::vector<LinkModel> links;
  std::vector<Fault> faults;
};

inline LinkModel cable(topo::LinkEnds ends, double rate) {
  return {ends, {rate, 2 * traffic::kMicrosecond, 256 * 1024}};
}

// Every link as fast as VLB needs it: 2ab/R.
inline FluidFabricCase mesh_of(std::string name, std::vector<double> rates) {
  double all = 0;
  for (const double rate : rates) all += rate;
  FluidFabricCase fabric{std::move(name), std::move(rates), {}, {}};
  for (const auto& ends : topo::full_mesh(fabric.rates.size()).links) {
    fabric.links.push_back(
        cable(ends, 2 * fabric.rates[ends.a.value] * fabric.rates[ends.b.value] / all));
  }
  return fabric;
}

inline FluidFabricCase butterfly_of(std::string name, std::size_t k, std::size_t n, double rate) {
  const auto shape = topo::butterfly(k, n);
  FluidFabricCase fabric{std::move(name), std::vector<double>(shape.nodes, 0), {}, {}};
  for (std::size_t i = 0; i < shape.edge_nodes; ++i) fabric.rates[i] = rate;
  for (const auto& ends : shape.links) fabric.links.push_back(cable(ends, rate));
  return fabric;
}

inline std::vector<FluidFabricCase> fluid_fabrics(double rate) {
  std::vector<FluidFabricCase> fabrics;
  for (const std::size_t nodes : {4, 8, 16}) {
    fabrics.push_back(
        mesh_of("mesh of " + std::to_string(nodes), std::vector<double>(nodes, rate)));
  }
  fabrics.push_back(butterfly_of("2-ary 2-fly", 2, 2, rate));
  fabrics.push_back(butterfly_of("3-ary 2-fly", 3, 2, rate));
  fabrics.push_back(
      mesh_of("unequal mesh", {rate, rate, rate / 2, rate / 2, rate / 4, rate / 4, rate / 4}));
  auto failed = mesh_of("mesh of 8 with a dead link", std::vector<double>(8, rate));
  failed.faults = {{0, Fault::Of::link, 3, false}};
  fabrics.push_back(failed);
  failed = butterfly_of("3-ary 2-fly with a dead link", 3, 2, rate);
  failed.faults = {{0, Fault::Of::link, 0, false}};
  fabrics.push_back(failed);
  return fabrics;
}

inline Scenario fluid_scenario(const FluidFabricCase& fabric, topo::SteeringMode mode,
                               traffic::MatrixKind matrix, double load) {
  Scenario scenario;
  for (const double rate : fabric.rates) scenario.nodes.push_back({rate, 1});
  scenario.links = fabric.links;
  scenario.faults = fabric.faults;
  scenario.hello = {traffic::kMillisecond, 3};
  scenario.steering = [fabric, mode](topo::FabricTable table, NodeId self) {
    vlb::SteeringSetup setup{.mode = mode,
                             .node_rates = fabric.rates,
                             .own_rate = fabric.rates[self.value],
                             .link_rates = {},
                             .gap = {}};
    for (const auto& link : table.local_links()) {
      setup.link_rates.push_back(fabric.links[link.number].line.rate);
    }
    return vlb::Steering(std::move(table), self, setup);
  };
  scenario.matrix = traffic::make_matrix(matrix, fabric.rates, 11).scaled(load);
  scenario.sizes = traffic::PacketSizes::fixed(354);
  // Flows of one packet, so that chance plays as little a part as it can.
  scenario.mix = {"short", 512, std::numeric_limits<double>::infinity(), 1, 1, 1, 1};
  return scenario;
}

}  // namespace rackway::simulator::testing
