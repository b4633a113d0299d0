// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/bench/cluster/cluster.hh"
#include "tests/bench/cluster/rows.hh"
#include "tests/bench/measure.hh"

namespace rackway::bench {
namespace {

using traffic::MatrixKind;

constexpr std::uint16_t kSmallest = 64;
constexpr std::uint32_t kLinkBuffer = 32 * 1024;
constexpr double kTargetEfficiency = 0.52;

// In a step some full bursts come in at an external port whose cable is full: a node has the caches
// to itself for that long.
constexpr int kBursts = 4;
traffic::Picoseconds step_of_bursts(double rate) {
  return traffic::time_on_cable(kSmallest, traffic::picoseconds_per_octet(rate)) * node::kBurst *
         kBursts;
}

simulator::Scenario of_small_packets(const Bench& bench, MeshCase of) {
  auto scenario = bench.scenario(of);
  scenario.sizes = traffic::PacketSizes::fixed(kSmallest);
  scenario.mix = traffic::FlowMix::heavy_tailed();
  for (auto& link : scenario.links) link.line.buffer = kLinkBuffer;
  return scenario;
}

// One node, whose FIB sends all out by the port where it came in; the matrix is that of two nodes
// of which only the first sends, as many flows as one in the mesh does.
simulator::Scenario alone(const Bench& bench, std::size_t nodes) {
  auto scenario = of_small_packets(bench, {.nodes = 2, .load = 1});
  scenario.mix.concurrent *= static_cast<std::uint32_t>(nodes - 1);
  scenario.matrix = traffic::TrafficMatrix(2);
  scenario.matrix.add(NodeId{0}, NodeId{1}, bench.extent.rate);
  return scenario;
}

struct Costs {
  std::vector<double> ingress, relay, egress, whole;
};

Costs measure(const Bench& bench, const simulator::Scenario& scenario, bool everything_local) {
  Costs costs;
  for (unsigned i = 0; i < bench.extent.repeats; ++i) {
    ClusterInOneProcess cluster(scenario, step_of_bursts(bench.extent.rate), bench.small_pool,
                                everything_local);
    const RoleCycles cycles = cluster.run().cycles;
    costs.ingress.push_back(cycles.ingress());
    costs.relay.push_back(cycles.relay());
    costs.egress.push_back(cycles.egress());
    costs.whole.push_back(cycles.whole_way());
  }
  return costs;
}

}  // namespace

void add_cycle_rows(const Bench& bench, std::size_t nodes) {
  const double routed = median(measure(bench, alone(bench, nodes), true).ingress);
  bench.report.add({"a node alone, as many flows as one of " + std::to_string(nodes) + ": routed",
                    routed,
                    "cycles",
                    "",
                    {},
                    {}});
  double dearest = 0;
  std::string worst;
  for (const auto matrix :
       {MatrixKind::uniform, MatrixKind::permutation, MatrixKind::worst_direct}) {
    const auto scenario = of_small_packets(bench, {.nodes = nodes, .matrix = matrix, .load = 1});
    const auto costs = measure(bench, scenario, false);
    const auto what =
        "mesh of " + std::to_string(nodes) + ", " + std::string(name_of(matrix)) + ", 64 octets: ";
    for (const auto& [role, cycles] :
         {std::pair{"ingress", &costs.ingress}, std::pair{"relay", &costs.relay},
          std::pair{"egress", &costs.egress}}) {
      bench.report.add({what + role, median(*cycles), "cycles", "", {}, {}});
    }
    const double whole = median(costs.whole);
    bench.report.add({what + "whole way", whole, "cycles", "a node alone", routed / whole, {}});
    if (whole > dearest) {
      dearest = whole;
      worst = name_of(matrix);
    }
  }
  const bool has_target = nodes == 4;
  bench.report.add({"mesh of " + std::to_string(nodes) + ", efficiency with " + worst, dearest,
                    "cycles", "a node alone", routed / dearest,
                    has_target ? std::optional(ratio_at_least(kTargetEfficiency)) : std::nullopt});
}

}  // namespace rackway::bench
