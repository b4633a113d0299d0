// SPDX-License-Identifier: Apache-2.0
// The cluster in one process is a cluster: what it delivers, in which order, what it loses when;
// and it agrees with the simulator, which has models in the place of nodes.
#include "tests/bench/cluster/cluster.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "tests/bench/cluster/environment.hh"
#include "tests/bench/cluster/mesh_scenario.hh"
#include "tests/bench/core.hh"
#include "vlb/simulator/simulation.hh"

namespace rackway::bench {
namespace {

using traffic::kMicrosecond;
using traffic::kMillisecond;

constexpr double kRate = 1e9;
constexpr traffic::Picoseconds kStep = 5 * kMicrosecond;

rte_mempool& pool() {
  static const Environment environment(last_core(), {16383, 1514});
  return environment.pool();
}

simulator::Scenario small(MeshCase of) {
  of.rate = kRate;
  auto scenario = mesh_scenario(of);
  scenario.warm_up = 10 * kMillisecond;
  scenario.measured = 20 * kMillisecond;
  return scenario;
}

simulator::Report run(const simulator::Scenario& scenario) {
  return ClusterInOneProcess(scenario, kStep, pool()).run().fabric;
}

std::uint64_t dropped(const simulator::Report& report) {
  return std::accumulate(report.dropped.begin(), report.dropped.end(), std::uint64_t{0});
}

TEST(Cluster, DeliversWhatIsAdmissibleInOrder) {
  for (const std::size_t nodes : {4, 8}) {
    const auto report = run(small({.nodes = nodes, .links_of_2r_n = 2}));
    EXPECT_EQ(report.meter.lost(), 0u);
    EXPECT_EQ(dropped(report), 0u);
    EXPECT_EQ(report.meter.reordered(), 0u);
    EXPECT_GT(report.meter.arrived().packets, 10'000u);
    EXPECT_GT(report.entered, 10'000u);
    for (const auto& port : report.ports) EXPECT_NEAR(port.load, 0.8, 0.03);
  }
}

TEST(Cluster, EveryFrameArrivesOrIsCountedAsDropped) {
  auto scenario = small({.nodes = 4, .matrix = traffic::MatrixKind::permutation, .load = 1});
  scenario.links.resize(scenario.links.size() - 1);  // so that some frames have to go around
  for (auto& link : scenario.links) link.line.rate /= 2;
  scenario.warm_up = 0;
  scenario.measured = 30 * kMillisecond;
  scenario.hello = {kMillisecond, 3};
  scenario.faults = {{15 * kMillisecond, simulator::Fault::Of::node, 1, false},
                     {22 * kMillisecond, simulator::Fault::Of::link, 2, false},
                     {25 * kMillisecond, simulator::Fault::Of::node, 1, true}};
  const auto report = run(scenario);
  EXPECT_GT(report.meter.lost(), 0u);
  EXPECT_EQ(report.meter.lost(), dropped(report));
}

// Endless equal flows, all there from the start, have no pause in which they could be moved: where
// they begin decides.
TEST(Cluster, SteadyFlowsThatBeginAtOnceFindRelaysToo) {
  auto scenario = small({.nodes = 4, .matrix = traffic::MatrixKind::permutation, .load = 1});
  scenario.mix = traffic::FlowMix::steady();
  const auto report = run(scenario);
  EXPECT_GT(report.meter.goodput(), 0.85);  // straight alone: 0.5
  EXPECT_EQ(report.meter.reordered(), 0u);
}

TEST(Cluster, TheSameForASeed) {
  auto scenario = small({.matrix = traffic::MatrixKind::permutation, .load = 0.95});
  const auto figures = [](const simulator::Report& r) {
    return std::tuple(r.meter.sent().octets, r.meter.arrived().octets, r.straight, r.entered,
                      r.meter.reordered(), r.meter.latency().percentile(0.99));
  };
  const auto first = figures(run(scenario));
  EXPECT_EQ(figures(run(scenario)), first);
  scenario.seed = 2;
  EXPECT_NE(figures(run(scenario)), first);
}

TEST(Cluster, ADeadNodeHurtsOthersOnlyUntilNoticed) {
  auto scenario = small({.nodes = 4, .links_of_2r_n = 2});
  scenario.hello = {kMillisecond, 3};
  scenario.faults = {{15 * kMillisecond, simulator::Fault::Of::node, 3, false}};
  const auto report = run(scenario);
  const auto lost = report.bystanders_sent.packets - report.bystanders_arrived.packets;
  EXPECT_LT(static_cast<double>(lost),
            static_cast<double>(report.bystanders_sent.packets) * 4 / 20 / 3);
  EXPECT_EQ(report.meter.lost(), dropped(report));
}

TEST(Cluster, ADeathMovesOnlyFlowsThatUsedTheNode) {
  auto scenario = small({.nodes = 4, .matrix = traffic::MatrixKind::permutation, .load = 0.9});
  scenario.hello = {kMillisecond, 3};
  const auto dies = 15 * kMillisecond;
  scenario.faults = {{dies, simulator::Fault::Of::node, 3, false}};
  constexpr auto kPause = vlb::GapBounds{}.least * kMicrosecond;
  FlowMoves moves(NodeId{3}, {dies, dies + 8 * kMillisecond}, kPause);
  ClusterInOneProcess cluster(scenario, kStep, pool());
  cluster.tell(moves);
  EXPECT_GT(cluster.run().fabric.moved_early, 0u);
  EXPECT_GT(moves.used_it(), 0u);
  EXPECT_EQ(moves.did_not(), 0u);
}

TEST(FlowMoves, CountAFlowOnceAndByWhatItUsed) {
  FlowMoves moves(NodeId{3}, {1000, 2000}, 100);
  const auto at = [&](std::uint32_t flow, std::uint16_t target, traffic::Picoseconds now,
                      std::uint16_t egress = 1) {
    const traffic::Packet packet{now, flow, 0, 0, 64, NodeId{0}, NodeId{egress}};
    moves.see(packet, NodeId{target}, target, now);
  };
  at(1, 3, 990);
  at(1, 2, 1010);  // off the dead one
  at(1, 1, 1020);
  at(2, 1, 990);
  at(2, 2, 1010);  // another
  at(3, 3, 900);
  at(3, 2, 1010);  // after a pause
  at(4, 2, 980);
  at(4, 3, 990);  // too early
  at(5, 3, 1990);
  at(5, 1, 2000);  // too late
  at(6, 3, 1000, 3);
  at(6, 2, 1010, 3);  // to the dead one itself
  at(7, 2, 1000);
  at(7, 2, 1010);  // stays
  EXPECT_EQ(moves.used_it(), 1u);
  EXPECT_EQ(moves.did_not(), 1u);
}

// Of the same scenario in both. What a full link has accepted may be a little more than its rate.
struct Both {
  simulator::Report real, model;

  explicit Both(const simulator::Scenario& scenario)
      : real(run(scenario)), model(simulator::Simulation(scenario).run()) {}

  void expect_agreement(const std::string& what) const {
    const auto fullest = [](const simulator::Report& report) {
      return std::min(1.0, report.largest_link_load());
    };
    EXPECT_EQ(real.meter.sent(), model.meter.sent()) << what;
    EXPECT_NEAR(real.meter.goodput() / model.meter.goodput(), 1, 0.05) << what;
    EXPECT_NEAR(real.mean_link_load() / model.mean_link_load(), 1, 0.05) << what;
    EXPECT_NEAR(fullest(real) / fullest(model), 1, 0.05) << what;
  }
  void expect_agreement_of_every_cable(const std::string& what) const {
    ASSERT_EQ(real.links.size(), model.links.size());
    for (std::size_t i = 0; i < real.links.size(); ++i) {
      EXPECT_NEAR(real.links[i].load, model.links[i].load, 0.05) << what << " cable " << i;
    }
  }
};

std::string name_of_case(const MeshCase& of) {
  return std::string(name_of(of.matrix)) + " of " + std::to_string(of.nodes) + " at " +
         std::to_string(of.load);
}

// Where every flow has one path for good, every cable carries the same in both.
TEST(Agreement, OfEveryCableWithDirectSteering) {
  for (const std::size_t nodes : {4, 8}) {
    for (const auto matrix : traffic::kMatrixKinds) {
      const MeshCase of{
          .nodes = nodes, .matrix = matrix, .load = 0.8, .mode = topo::SteeringMode::direct};
      const Both both(small(of));
      both.expect_agreement(name_of_case(of));
      both.expect_agreement_of_every_cable(name_of_case(of));
    }
  }
}

// Adaptive steering has many ways to spread the same load evenly and finds others in each.
TEST(Agreement, OfGoodputAndLoadWithAdaptation) {
  for (const auto matrix : traffic::kMatrixKinds) {
    for (const double load : {0.5, 0.95}) {
      const MeshCase of{.nodes = 4, .matrix = matrix, .load = load};
      auto scenario = small(of);
      scenario.warm_up = scenario.measured = 40 * kMillisecond;
      Both(scenario).expect_agreement(name_of_case(of));
    }
  }
}

}  // namespace
}  // namespace rackway::bench
