// SPDX-License-Identifier: Apache-2.0
// Small clusters whose figures can be told beforehand.
#include "vlb/simulator/simulation.hh"

#include <gtest/gtest.h>

#include <numeric>

namespace rackway::simulator {
namespace {

using traffic::kMicrosecond;
using traffic::kMillisecond;

constexpr double kRate = 1e9;

NodeId node(std::size_t i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

Scenario mesh(std::size_t nodes, double link_rate, const vlb::SteeringSetup& setup = {}) {
  Scenario scenario;
  scenario.nodes.assign(nodes, {kRate, 1});
  for (std::uint16_t a = 0; a < nodes; ++a) {
    for (std::uint16_t b = a + 1; b < nodes; ++b) {
      scenario.links.push_back({{NodeId{a}, NodeId{b}}, {link_rate, 5 * kMicrosecond, 256 * 1024}});
    }
  }
  scenario.steering = [setup](topo::FabricTable table, NodeId self) {
    return vlb::Steering(std::move(table), self, setup);
  };
  scenario.matrix = traffic::uniform(rates_of(scenario.nodes)).scaled(0.8);
  scenario.warm_up = 5 * kMillisecond;
  scenario.measured = 20 * kMillisecond;
  return scenario;
}

// In two phases by weights; a flow keeps its path.
vlb::SteeringSetup two_phases(std::vector<double> rates = {}) {
  vlb::SteeringSetup setup;
  setup.mode = topo::SteeringMode::valiant;
  setup.node_rates = std::move(rates);
  setup.gap = {1'000'000, 1'000'000};
  return setup;
}

Report run(const Scenario& scenario) {
  return Simulation(scenario).run();
}

std::uint64_t dropped(const Report& report) {
  return std::accumulate(report.dropped.begin(), report.dropped.end(), std::uint64_t{0});
}
std::uint64_t dropped(const Report& report, DropCause cause) {
  return report.dropped[static_cast<std::size_t>(cause)];
}

TEST(Simulation, ALonePacketTakesTheTimeOfItsCables) {
  auto scenario = mesh(2, 1e9);
  scenario.sizes = traffic::PacketSizes::fixed(105);  // 1 us at 1 Gb/s
  scenario.matrix = traffic::uniform(rates_of(scenario.nodes)).scaled(0.001);
  scenario.mix = traffic::FlowMix::steady();
  scenario.costs = {2 * kMicrosecond, 100 * kMicrosecond, 3 * kMicrosecond};
  const auto report = run(scenario);
  // Ingress 2, cable 1 + 5, egress 3, external port 1.
  EXPECT_GE(report.meter.latency().percentile(0.5), 12 * kMicrosecond);
  EXPECT_LE(report.meter.latency().percentile(0.5), 12 * kMicrosecond * 65 / 64);
  EXPECT_EQ(report.meter.goodput(), 1);
  EXPECT_EQ(report.straight_share(), 1);
}

TEST(Simulation, RelayedPacketsTakeTwoCables) {
  auto scenario = mesh(3, 1e9, two_phases({0, 1, 0}));  // all weight is node 1's
  scenario.sizes = traffic::PacketSizes::fixed(105);
  scenario.matrix = traffic::TrafficMatrix(3);
  scenario.matrix.add(node(0), node(2), 0.001 * kRate);
  scenario.costs = {2 * kMicrosecond, kMicrosecond, 3 * kMicrosecond};
  scenario.mix = traffic::FlowMix::steady();
  const auto report = run(scenario);
  EXPECT_GE(report.meter.latency().percentile(0.5), 19 * kMicrosecond);
  EXPECT_LE(report.meter.latency().percentile(0.5), 19 * kMicrosecond * 65 / 64);
  EXPECT_EQ(report.straight_share(), 0);
}

TEST(Simulation, LinksCarryWhatTheMatrixSays) {
  // Direct: 0.8 r / 3 on each of the links. In two phases half of it takes two of them.
  for (const bool straight : {true, false}) {
    const auto report = run(mesh(4, 1e9, straight ? vlb::SteeringSetup() : two_phases()));
    const double expected = 0.8 / 3 * (straight ? 1 : 1.5);
    EXPECT_NEAR(report.mean_link_load(), expected, expected * 0.02);
    EXPECT_EQ(report.meter.goodput(), 1);
    EXPECT_EQ(dropped(report), 0u);
    for (const auto& port : report.ports) EXPECT_NEAR(port.load, 0.8, 0.02);
    EXPECT_EQ(report.links.size(), 12u);
  }
}

// Direct VLB sends straight what fits in r/N of each pair: under uniform traffic all of it, of one
// pair's r a quarter of its octets in a node (RouteBricks, SOSP'09, 3.2).
TEST(Simulation, DirectVlbSendsItsQuotaStraight) {
  vlb::SteeringSetup setup;
  setup.mode = topo::SteeringMode::direct_vlb;
  setup.node_rates.assign(4, kRate);
  setup.own_rate = kRate;
  setup.gap = {100, 100};
  auto scenario = mesh(4, 2e9, setup);
  scenario.sizes = traffic::PacketSizes::fixed(504);
  scenario.warm_up = 100 * kMillisecond;
  scenario.matrix = traffic::uniform(rates_of(scenario.nodes)).scaled(0.7);
  EXPECT_GT(run(scenario).straight_share(), 0.99);
  scenario.matrix = traffic::permutation(rates_of(scenario.nodes), 1).scaled(0.8);
  // On the cable a frame has 524 octets, in a node 500.
  EXPECT_NEAR(run(scenario).straight_share(), 0.25 / (0.8 * 500 / 524), 0.02);
}

TEST(Simulation, EveryPacketArrivesOrIsCountedAsDropped) {
  auto scenario = mesh(4, 0.3e9, two_phases());
  scenario.matrix = traffic::permutation(rates_of(scenario.nodes), 1);
  scenario.costs = {500'000, 500'000, 500'000};
  scenario.receive_queue = 64;
  scenario.faults = {{8 * kMillisecond, Fault::Of::link, 2, false},
                     {15 * kMillisecond, Fault::Of::node, 1, false},
                     {18 * kMillisecond, Fault::Of::node, 1, true}};
  const auto report = run(scenario);
  EXPECT_EQ(report.meter.lost(), dropped(report));
  EXPECT_GT(dropped(report, DropCause::link_full), 0u);
  EXPECT_GT(dropped(report, DropCause::link_down), 0u);
}

TEST(Simulation, ALinkTooThinLosesWhatIsTooMuch) {
  auto scenario = mesh(2, 0.5e9);
  scenario.links[0].line.buffer = 64 * 1024;
  scenario.matrix = traffic::uniform(rates_of(scenario.nodes));
  const auto report = run(scenario);
  EXPECT_NEAR(report.meter.goodput(), 0.5, 0.02);
  EXPECT_NEAR(report.mean_link_load(), 1, 0.01);
  EXPECT_EQ(report.meter.lost(), dropped(report, DropCause::link_full));
  EXPECT_GT(report.links[0].mean_queue, 60 * 1024);
}

TEST(Simulation, ANodeTooSlowLosesWhatIsTooMuch) {
  auto scenario = mesh(2, 10e9);
  scenario.sizes = traffic::PacketSizes::fixed(105);
  scenario.mix = traffic::FlowMix::steady();
  scenario.matrix = traffic::uniform(rates_of(scenario.nodes));
  scenario.receive_queue = 256;
  // 1 Mpps in and 1 Mpps out: two thirds of what the core has to do can be done.
  scenario.costs = {750'000, 0, 750'000};
  const auto report = run(scenario);
  EXPECT_EQ(report.meter.lost(), dropped(report, DropCause::node_busy));
  EXPECT_NEAR(report.core_use[0], 1, 0.01);
}

TEST(Simulation, TheSameForASeed) {
  auto scenario = mesh(4, 0.5e9, two_phases());
  const auto one = run(scenario), two = run(scenario);
  scenario.seed = 2;
  const auto other = run(scenario);
  const auto figures = [](const Report& r) {
    return std::tuple(r.events, r.meter.sent().octets, r.meter.arrived().octets, r.straight,
                      r.meter.latency().percentile(0.99), r.meter.reordered(), r.path_changes);
  };
  EXPECT_EQ(figures(one), figures(two));
  EXPECT_NE(figures(one), figures(other));
}

TEST(Simulation, FlowsOnOnePathKeepTheirOrder) {
  auto scenario = mesh(4, 1e9, two_phases());
  const auto report = run(scenario);
  EXPECT_EQ(report.meter.reordered(), 0u);
  EXPECT_NEAR(report.straight_share(), 0.5, 0.05);
}

// From the failure until it is noticed frames are lost, afterwards none is.
TEST(Simulation, ADeadLinkIsGoneAroundOnceNoticed) {
  for (const auto of : {Fault::Of::link, Fault::Of::a_to_b}) {
    auto setup = two_phases();
    setup.mode = topo::SteeringMode::adaptive;
    auto scenario = mesh(4, 1e9, setup);
    scenario.hello = {kMillisecond, 3};
    scenario.measured = 50 * kMillisecond;
    scenario.faults = {{20 * kMillisecond, of, 0, false}};
    const auto report = run(scenario);
    // 3 ms of 0.8 r / 3, in one direction or both.
    const double directions = of == Fault::Of::link ? 2 : 1;
    const double mean = scenario.sizes.mean_on_cable() * 8;
    const double expected = directions * 0.8 * kRate / 3 * 0.003 / mean;
    EXPECT_NEAR(static_cast<double>(report.meter.lost()), expected, expected * 0.15);
    EXPECT_EQ(report.meter.lost(), dropped(report, DropCause::link_down));
    EXPECT_LT(report.path_changes_while_live, 5u);  // of flows that share a flowlet's entry
  }
}

TEST(Simulation, ADeadNodeHurtsOthersOnlyUntilNoticed) {
  auto scenario = mesh(4, 1e9, two_phases());
  scenario.hello = {kMillisecond, 3};
  scenario.measured = 50 * kMillisecond;
  scenario.faults = {{20 * kMillisecond, Fault::Of::node, 3, false}};
  const auto dies = run(scenario);
  EXPECT_LT(dies.bystanders_arrived.packets, dies.bystanders_sent.packets);
  // A third of a half of the others' traffic is over node 3: 4 ms of it at most.
  const auto lost = dies.bystanders_sent.packets - dies.bystanders_arrived.packets;
  const auto most = static_cast<double>(dies.bystanders_sent.packets) * 4 / 50 / 4 * 1.2;
  EXPECT_LT(static_cast<double>(lost), most);
  scenario.faults.push_back({40 * kMillisecond, Fault::Of::node, 3, true});
  const auto comes_back = run(scenario);
  // Coming back costs nothing more.
  EXPECT_NEAR(static_cast<double>(comes_back.bystanders_sent.packets -
                                  comes_back.bystanders_arrived.packets),
              static_cast<double>(lost), 2);
  EXPECT_GT(comes_back.meter.arrived().packets, dies.meter.arrived().packets);
}

// Three nodes in a row: the one in the middle has no ports and passes everything on.
TEST(Simulation, PureRelaysBetween) {
  Scenario scenario = mesh(2, 1e9);
  scenario.nodes = {{kRate, 1}, {0, 1}, {kRate, 1}};
  scenario.links = {{{node(0), node(1)}, {2e9, kMicrosecond, 256 * 1024}},
                    {{node(1), node(2)}, {2e9, kMicrosecond, 256 * 1024}}};
  scenario.matrix = traffic::uniform(rates_of(scenario.nodes)).scaled(0.5);
  const auto report = run(scenario);
  EXPECT_EQ(report.meter.goodput(), 1);
  EXPECT_NEAR(report.mean_link_load(), 0.25, 0.01);
}

}  // namespace
}  // namespace rackway::simulator
