// SPDX-License-Identifier: Apache-2.0
// The fluid: what can be reckoned by hand, and that it agrees with the simulation packet by packet.
#include "vlb/simulator/fluid.hh"

#include <gtest/gtest.h>

#include "tests/simulator/fluid_cases.hh"
#include "vlb/simulator/simulation.hh"

namespace rackway::simulator::testing {
namespace {

using topo::SteeringMode;
using traffic::kMillisecond;
using traffic::MatrixKind;

constexpr double kRate = 1e9;

FluidReport fluid(const FluidFabricCase& fabric, SteeringMode mode, MatrixKind matrix,
                  double load) {
  return Fluid(fluid_scenario(fabric, mode, matrix, load), mode).run();
}

TEST(Fluid, DirectSendsEachPairOverItsLink) {
  const auto mesh = mesh_of("mesh", {kRate, kRate, kRate, kRate});
  const auto even = fluid(mesh, SteeringMode::direct, MatrixKind::uniform, 0.6);
  EXPECT_DOUBLE_EQ(even.offered, 2.4e9);
  EXPECT_EQ(even.straight_share(), 1);
  for (const auto& link : even.links) EXPECT_NEAR(link.load, 0.4, 1e-6);
  for (const auto& port : even.ports) EXPECT_NEAR(port.load, 0.6, 1e-6);
  // All of a node's r over a link of r/2.
  const auto pairs = fluid(mesh, SteeringMode::direct, MatrixKind::worst_direct, 1);
  EXPECT_NEAR(pairs.goodput(), 0.5, 1e-4);
  EXPECT_NEAR(pairs.lost_on_links, 2e9, 1);
  EXPECT_NEAR(pairs.largest_link_load(), 1, 1e-6);
}

// Zhang-Shen and McKeown: links of 2ab/R carry any admissible matrix, full to the brim.
TEST(Fluid, ValiantCarriesAnyMatrixOverLinksOfTwoABOverR) {
  for (const auto& fabric : {mesh_of("equal", std::vector<double>(8, kRate)),
                             mesh_of("unequal", {kRate, kRate, kRate / 2, kRate / 4})}) {
    for (const auto matrix : traffic::kMatrixKinds) {
      const auto report = fluid(fabric, SteeringMode::valiant, matrix, 1);
      // To the place, of which there are 256.
      EXPECT_NEAR(report.goodput(), 1, 0.01) << fabric.name;
      EXPECT_LE(report.mean_link_load(), 1 + 1e-6);
    }
  }
}

TEST(Fluid, WhatALinkLosesIsNotAskedOfTheNext) {
  // Three in a row, 10 over links of 5 and 4: 4 arrive, 5 are asked of the second.
  FluidFabricCase row{"row", {10e9, 0, 10e9}, {}, {}};
  row.links = {cable({NodeId{0}, NodeId{1}}, 5e9), cable({NodeId{1}, NodeId{2}}, 4e9)};
  auto scenario = fluid_scenario(row, SteeringMode::direct, MatrixKind::uniform, 1);
  scenario.matrix = traffic::TrafficMatrix(3);
  scenario.matrix.add(NodeId{0}, NodeId{2}, 10e9);
  const auto report = Fluid(scenario, SteeringMode::direct).run();
  EXPECT_NEAR(report.delivered, 4e9, 1e6);
  EXPECT_NEAR(report.links[0].asked, 2, 1e-6);
  EXPECT_NEAR(report.links[2].asked, 1.25, 1e-3);
  EXPECT_NEAR(report.lost_on_links, 6e9, 2e6);
  EXPECT_TRUE(report.is_settled);
}

TEST(Fluid, WhatIsDeadInTheEndIsDead) {
  auto mesh = mesh_of("mesh", {kRate, kRate, kRate, kRate});
  mesh.faults = {{5, Fault::Of::node, 3, true},
                 {1, Fault::Of::node, 3, false},
                 {2, Fault::Of::a_to_b, 0, false}};
  const auto direct = fluid(mesh, SteeringMode::direct, MatrixKind::uniform, 0.6);
  EXPECT_NEAR(direct.goodput(), 10.0 / 12, 1e-6);
  EXPECT_NEAR(direct.lost_without_path, 0.4e9, 1);
  EXPECT_EQ(fluid(mesh, SteeringMode::adaptive, MatrixKind::uniform, 0.6).goodput(), 1);
  mesh.faults.push_back({6, Fault::Of::node, 3, false});
  const auto dead = fluid(mesh, SteeringMode::valiant, MatrixKind::uniform, 0.6);
  // Of the three others' traffic a third is for the dead node; nothing enters there.
  EXPECT_NEAR(dead.offered, 1.8e9, 1);
  EXPECT_NEAR(dead.goodput(), 2.0 / 3, 1e-6);
}

TEST(Fluid, AdaptiveSendsStraightWhatFits) {
  const auto mesh = mesh_of("mesh", std::vector<double>(8, 100 * kRate));
  EXPECT_EQ(fluid(mesh, SteeringMode::adaptive, MatrixKind::uniform, 0.9).straight_share(), 1);
  // 0.8 r over a straight link of r/4, which is used up to between 0.87 and 0.9.
  const auto pairs = fluid(mesh, SteeringMode::adaptive, MatrixKind::permutation, 0.8);
  EXPECT_NEAR(pairs.straight_share(), 0.885 / 4 / 0.8, 0.015);
  EXPECT_NEAR(pairs.goodput(), 1, 1e-4);
}

TEST(Fluid, TheSameEachTime) {
  const auto mesh = mesh_of("mesh", std::vector<double>(6, kRate));
  const auto one = fluid(mesh, SteeringMode::adaptive, MatrixKind::permutation, 0.9);
  const auto two = fluid(mesh, SteeringMode::adaptive, MatrixKind::permutation, 0.9);
  EXPECT_EQ(one.steps, two.steps);
  for (std::size_t i = 0; i < one.links.size(); ++i) {
    EXPECT_EQ(one.links[i].load, two.links[i].load);
  }
}

// Direct VLB measures for some tens of milliseconds, adaptive steering returns in hundreds.
traffic::Picoseconds warm_up(SteeringMode mode) {
  return (mode == SteeringMode::adaptive     ? 350
          : mode == SteeringMode::direct_vlb ? 150
                                             : 40) *
         kMillisecond;
}

void expect_agreement(const Report& packets, const FluidReport& rates, SteeringMode mode,
                      const std::string& what) {
  EXPECT_NEAR(rates.goodput() / packets.meter.goodput(), 1, 0.05) << what;
  EXPECT_NEAR(rates.mean_link_load() / packets.mean_link_load(), 1, 0.05) << what;
  // Adaptive steering has many ways to spread the same load and finds others each time.
  const bool is_one_of_many = mode == SteeringMode::adaptive;
  EXPECT_NEAR(rates.largest_link_load(), std::min(1.0, packets.largest_link_load()),
              is_one_of_many ? 0.1 : 0.05)
      << what;
  EXPECT_NEAR(rates.straight_share(), packets.straight_share(), 0.05) << what;
  ASSERT_EQ(rates.links.size(), packets.links.size());
  for (std::size_t i = 0; i < rates.links.size(); ++i) {
    EXPECT_EQ(rates.links[i].from, packets.links[i].from);
    if (is_one_of_many) continue;
    // The quotas of direct VLB follow what is measured and never stand still.
    EXPECT_NEAR(rates.links[i].load, std::min(1.0, packets.links[i].load),
                mode == SteeringMode::direct_vlb ? 0.07 : 0.05)
        << what << " cable " << i;
  }
}

// Which relays adaptive steering draws differs from run to run; the fluid is what it does on
// average. Links between nodes that relays make all alike differ by chance only, so runs of a few
// seeds do.
TEST(Fluid, AgreesOnEachLinkWithTheMeanOfAdaptiveRuns) {
  constexpr int kSeeds = 4;
  for (const std::size_t nodes : {4u, 8u}) {
    const auto fabric = mesh_of("mesh", std::vector<double>(nodes, kRate));
    for (const auto matrix : {MatrixKind::uniform, MatrixKind::permutation, MatrixKind::hot_spot,
                              MatrixKind::worst_direct}) {
      auto scenario = fluid_scenario(fabric, SteeringMode::adaptive, matrix, 0.8);
      scenario.warm_up = 100 * kMillisecond;
      scenario.measured = 50 * kMillisecond;
      const auto rates = Fluid(scenario, SteeringMode::adaptive).run();
      std::vector<double> loads(rates.links.size(), 0);
      for (scenario.seed = 1; scenario.seed <= kSeeds; ++scenario.seed) {
        const auto packets = Simulation(scenario).run();
        for (std::size_t i = 0; i < loads.size(); ++i) {
          loads[i] += std::min(1.0, packets.links[i].load) / kSeeds;
        }
      }
      for (std::size_t i = 0; i < loads.size(); ++i) {
        EXPECT_NEAR(rates.links[i].load, loads[i], nodes == 4 ? 0.05 : 0.06)
            << nodes << " nodes, " << name_of(matrix) << ", cable " << i;
      }
    }
  }
}

class FluidAgreement : public ::testing::TestWithParam<SteeringMode> {};

TEST_P(FluidAgreement, WithPacketsOverAllMatricesAndFabrics) {
  // Of what goes over relays more is left to chance.
  const bool relays = GetParam() == SteeringMode::valiant || GetParam() == SteeringMode::direct_vlb;
  for (const auto& fabric : fluid_fabrics(relays ? 2 * kRate : kRate)) {
    for (const auto matrix : traffic::kMatrixKinds) {
      auto scenario = fluid_scenario(fabric, GetParam(), matrix, 0.8);
      scenario.warm_up = warm_up(GetParam());
      scenario.measured = 100 * kMillisecond;
      expect_agreement(Simulation(scenario).run(), Fluid(scenario, GetParam()).run(), GetParam(),
                       fabric.name + ", " + std::string(name_of(matrix)));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, FluidAgreement,
                         ::testing::Values(SteeringMode::direct, SteeringMode::valiant,
                                           SteeringMode::direct_vlb, SteeringMode::adaptive));

}  // namespace
}  // namespace rackway::simulator::testing
