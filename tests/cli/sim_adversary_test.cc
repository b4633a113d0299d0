// SPDX-License-Identifier: Apache-2.0
// The worst matrix is as bad as the planner says, and no other is worse.
#include "control/cli/sim_adversary.hh"

#include <gtest/gtest.h>

#include "tests/simulator/fluid_cases.hh"
#include "topo/plan/direct_vlb.hh"
#include "vlb/simulator/fluid.hh"
#include "vlb/traffic/random.hh"

namespace rackway::cli {
namespace {

using simulator::Fault;
using simulator::testing::butterfly_of;
using simulator::testing::FluidFabricCase;
using simulator::testing::mesh_of;
using topo::SteeringMode;

constexpr double kRate = 1e9;
constexpr double kWide = 10;  // links so wide that nothing is lost
constexpr SteeringMode kOblivious[] = {SteeringMode::direct, SteeringMode::valiant,
                                       SteeringMode::direct_vlb};

bool is_mesh(const FluidFabricCase& fabric) {
  return fabric.name.find("mesh") != std::string::npos;
}

std::vector<FluidFabricCase> fabrics() {
  std::vector<FluidFabricCase> all{
      mesh_of("equal mesh", std::vector<double>(6, kRate)),
      mesh_of("unequal mesh", {kRate, kRate, kRate / 2, kRate / 2, kRate / 4}),
      butterfly_of("2-ary 2-fly", 2, 2, kRate)};
  all.push_back(all[0]);
  all.back().name = "mesh with a dead link";
  all.back().faults = {{0, Fault::Of::link, 2, false}};
  for (auto& fabric : all) {
    for (auto& link : fabric.links) link.line.rate *= kWide;
  }
  return all;
}

// The largest share of a link's rate that is asked for.
double worst_asked(simulator::Scenario& scenario, SteeringMode mode,
                   const traffic::TrafficMatrix& matrix) {
  scenario.matrix = matrix;
  double most = 0;
  for (const auto& link : simulator::Fluid(scenario, mode).run().links) {
    most = std::max(most, link.asked);
  }
  return most;
}

double planned(const simulator::Scenario& scenario, SteeringMode mode) {
  plan::FabricModel model;
  std::vector<topo::LinkEnds> ends;
  for (const auto& node : scenario.nodes) model.rates.push_back(node.external_rate);
  for (const auto& link : scenario.links) {
    model.links.push_back({link.ends.a, link.ends.b, link.line.rate});
    ends.push_back(link.ends);
  }
  model.one_hop = topo::is_full_mesh(model.nodes(), ends);
  plan::Failures failures;
  for (const auto& fault : scenario.faults) failures.links.push_back(fault.number);
  if (mode == SteeringMode::direct_vlb) {
    return 1 / plan::direct_vlb_guarantee(model, failures).fraction;
  }
  const auto split = mode == SteeringMode::direct ? plan::fixed_share(model, 0) : valiant(model);
  return 1 / plan::guarantee(model, split, failures).fraction;
}

TEST(AdversarialMatrix, LoadsALinkAsMuchAsThePlannerSays) {
  for (const auto& fabric : fabrics()) {
    for (const auto mode : kOblivious) {
      if (mode == SteeringMode::direct_vlb && !is_mesh(fabric)) continue;
      auto scenario = fluid_scenario(fabric, mode, traffic::MatrixKind::uniform, 1);
      const auto matrix = adversarial_matrix(scenario, mode);
      ASSERT_TRUE(matrix) << matrix.error().message;
      EXPECT_NEAR(matrix->load(fabric.rates), 1, 1e-6) << fabric.name;
      const double expected = planned(scenario, mode);
      // To the place of 256. In a butterfly the planner shares out over all shortest ways, where a
      // node picks one.
      const double asked = worst_asked(scenario, mode, *matrix);
      EXPECT_GE(asked, expected * 0.97) << fabric.name << ", " << name_of(mode);
      EXPECT_LE(asked, expected * (is_mesh(fabric) ? 1.03 : 2))
          << fabric.name << ", " << name_of(mode);
    }
  }
}

// A random one: rings through the nodes, of random weights.
traffic::TrafficMatrix random_matrix(const std::vector<double>& rates, traffic::Random& random) {
  traffic::TrafficMatrix matrix(rates.size());
  for (std::uint16_t a = 0; a < rates.size(); ++a) {
    for (std::uint16_t b = 0; b < rates.size(); ++b) {
      if (a != b && rates[a] > 0 && rates[b] > 0 && random.unit() < 0.4) {
        matrix.add(NodeId{a}, NodeId{b}, random.exponential(1));
      }
    }
  }
  const double load = matrix.load(rates);
  return load > 0 ? matrix.scaled(1 / load) : matrix;
}

TEST(AdversarialMatrix, NoOtherIsWorse) {
  traffic::Random random(4);
  for (const auto& fabric : fabrics()) {
    if (!is_mesh(fabric)) continue;
    for (const auto mode : kOblivious) {
      auto scenario = fluid_scenario(fabric, mode, traffic::MatrixKind::uniform, 1);
      const auto matrix = adversarial_matrix(scenario, mode);
      const double worst = worst_asked(scenario, mode, *matrix);
      for (int round = 0; round < 100; ++round) {
        const double asked = worst_asked(scenario, mode, random_matrix(fabric.rates, random));
        EXPECT_LE(asked, worst * 1.05) << fabric.name << ", " << name_of(mode);
      }
    }
  }
}

double goodput(const FluidFabricCase& fabric, SteeringMode mode,
               const traffic::TrafficMatrix& matrix) {
  auto scenario = fluid_scenario(fabric, mode, traffic::MatrixKind::uniform, 1);
  scenario.matrix = matrix;
  return simulator::Fluid(scenario, mode).run().goodput();
}

traffic::TrafficMatrix worst_for(const FluidFabricCase& fabric, SteeringMode mode) {
  return *adversarial_matrix(fluid_scenario(fabric, mode, traffic::MatrixKind::uniform, 1), mode);
}

// Over links of 2ab/R, which valiant steering fills to the brim and adaptive steering carries all
// with, Direct VLB asks the fullest links for 3r/N: a part of 1/N of everything is lost.
TEST(AdversarialMatrix, DirectVlbLosesWhatValiantAndAdaptiveCarry) {
  for (const std::size_t nodes : {4u, 8u, 16u}) {
    const auto fabric = mesh_of("mesh", std::vector<double>(nodes, kRate));
    const auto matrix = worst_for(fabric, SteeringMode::direct_vlb);
    EXPECT_NEAR(goodput(fabric, SteeringMode::direct_vlb, matrix),
                1 - 1 / static_cast<double>(nodes), 0.02);
    EXPECT_GE(goodput(fabric, SteeringMode::valiant, matrix), 0.985);
    EXPECT_GE(goodput(fabric, SteeringMode::adaptive, matrix.scaled(0.95)), 0.99);
  }
}

// So what is worst for valiant steering is worst for adaptive steering as well: over links that are
// too slow by a third there is no other of which it carries clearly less.
TEST(AdversarialMatrix, OfAdaptiveSteeringNoOtherLosesMore) {
  traffic::Random random(9);
  auto all = fabrics();
  for (auto& fabric : all) {
    if (!is_mesh(fabric)) continue;
    for (auto& link : fabric.links) link.line.rate /= 1.5 * kWide;
    const double worst =
        goodput(fabric, SteeringMode::adaptive, worst_for(fabric, SteeringMode::adaptive));
    EXPECT_LT(worst, 0.9) << fabric.name;
    std::vector<traffic::TrafficMatrix> others{worst_for(fabric, SteeringMode::direct),
                                               worst_for(fabric, SteeringMode::direct_vlb)};
    for (int round = 0; round < 30; ++round) others.push_back(random_matrix(fabric.rates, random));
    for (const auto& other : others) {
      EXPECT_GE(goodput(fabric, SteeringMode::adaptive, other), worst - 0.03) << fabric.name;
    }
  }
}

TEST(AdversarialMatrix, OfAThousandEqualNodesAtOnceOfUnequalOnesNot) {
  auto scenario = fluid_scenario(mesh_of("large", std::vector<double>(300, kRate)),
                                 SteeringMode::valiant, traffic::MatrixKind::uniform, 1);
  for (auto& link : scenario.links) link.line.rate = kRate;
  const auto matrix = adversarial_matrix(scenario, SteeringMode::adaptive);
  ASSERT_TRUE(matrix);
  EXPECT_NEAR(matrix->total(), 300 * kRate, 1);
  scenario.nodes[3].external_rate = 2 * kRate;
  const auto none = adversarial_matrix(scenario, SteeringMode::adaptive);
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("of 300 nodes that are not alike takes too long"),
            std::string::npos);
}

}  // namespace
}  // namespace rackway::cli
