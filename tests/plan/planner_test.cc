// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/planner.hh"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/startup_error.hh"
#include "tests/plan/naive_loads.hh"
#include "topo/plan/catalogue.hh"
#include "topo/plan/plan_files.hh"
#include "topo/plan/transitions.hh"
#include "topo/plan/unit_loads.hh"

namespace rackway::plan {
namespace {

// A server of which everything can be reckoned by hand.
const std::string kSmall = R"({
  "servers": [{"name": "box", "title": "Box", "source": "test", "year": 2020, "cores": 10,
               "mhz": 1000, "nic_slots": 3, "price": 1000, "watts": 100, "rack_units": 1,
               "nics": ["two", "four"]}],
  "nics": [{"name": "two", "title": "2 x 10G", "source": "test", "price": 100, "watts": 10,
            "modes": [{"ports": 2, "mbps": 10000}]},
           {"name": "four", "title": "4 x 2.5G", "source": "test", "price": 50, "watts": 5,
            "modes": [{"ports": 4, "mbps": 2500}]}],
  "cables": [{"mbps": 2500, "price": 1, "source": "test"},
             {"mbps": 10000, "price": 2, "source": "test"}]})";

Catalogue small() {
  Catalogue catalogue;
  add_to_catalogue(catalogue, kSmall, "small.json");
  return catalogue;
}

Requirement wish(unsigned ports, const std::string& rate, const std::string& server) {
  Requirement wish;
  wish.ports = ports;
  wish.rate = parse_rate(rate);
  wish.servers = {server};
  wish.packets = *parse_packet_mix("1500");
  return wish;
}

TEST(Planner, AMeshOfWhatFits) {
  const auto catalogue = small();
  // 8 servers of a port: links of 2 * 10 / 8 = 2.5 Gb/s, seven on two cards of four.
  auto asked = wish(8, "10G", "box");
  asked.fabric = FabricChoice::mesh;
  const auto report = make_plan(catalogue, asked);
  ASSERT_TRUE(report.plan);
  const auto& plan = *report.plan;
  // Two servers of four ports need 40 Gb/s between them, three of three 20, four of two 10:
  // three links and two ports are three cards of two.
  EXPECT_EQ(plan.radices, Radices{4});
  EXPECT_EQ(plan.ports_per_server, 2u);
  EXPECT_EQ(plan.edge.cards(), 3u);
  EXPECT_DOUBLE_EQ(plan.needed_gbps, 10);
  EXPECT_EQ(plan.bill.price, 4u * (1000 + 300) + 6 * 2);
  EXPECT_EQ(plan.bill.watts, 4u * 130);
  EXPECT_NEAR(report.intact.fraction, 1, 1e-9);
}

TEST(Planner, FailuresToSurviveMakeItLarger) {
  const auto catalogue = small();
  auto asked = wish(8, "10G", "box");
  asked.fabric = FabricChoice::mesh;
  asked.survive = {1, 1, 1};
  // Now 8 servers would need 10 * (1/6 + 1/8) > 2.5 Gb/s; 2 ports on each of 4 need 15.
  const auto report = make_plan(catalogue, asked);
  EXPECT_FALSE(report.plan);
  EXPECT_EQ(report.obstacle, "1 dead link can leave two servers without a path");
  ASSERT_FALSE(report.nearest.empty());
  EXPECT_NE(report.nearest[0].find("surviving 0 failures"), std::string::npos);
}

TEST(Planner, EveryPlanKeepsWhatItPromises) {
  const auto catalogue = read_catalogue({});
  for (const unsigned ports : {1u, 2u, 3u, 4u, 7u, 16u, 32u, 50u, 96u, 128u, 256u}) {
    for (const unsigned survive : {0u, 1u}) {
      auto asked = wish(ports, "100G", "r760");
      asked.survive = {survive, survive, survive};
      const auto report = make_plan(catalogue, asked);
      ASSERT_TRUE(report.plan) << ports;
      const auto& plan = *report.plan;
      EXPECT_GE(plan.external_ports(), ports);
      EXPECT_GE(report.intact.fraction, 1 - 1e-9) << ports;
      EXPECT_GE(report.surviving.fraction, 1 - 1e-9) << ports;
      EXPECT_LE(plan.edge.cards(), plan.server.nic_slots);
      EXPECT_LE(plan.relay.cards(), plan.server.nic_slots);
      EXPECT_LE(plan.edge_cores + asked.reserved_cores, plan.server.cores);
      EXPECT_EQ(plan.model(asked.rate).links.size(), plan.links);
      EXPECT_EQ(plan.model(asked.rate).nodes(), plan.bill.servers);
      for (const auto& other : report.alternatives) {
        EXPECT_FALSE(other.why.empty());
        if (!other.plan || other.kind == FabricKind::switches) continue;
        EXPECT_GE(other.plan->bill.price, plan.bill.price);
      }
    }
  }
}

TEST(Planner, AThousandPortsAreAButterfly) {
  const auto catalogue = read_catalogue({});
  auto asked = wish(1024, "100G", "r760");
  asked.survive = {1, 1, 1};
  const auto report = make_plan(catalogue, asked);
  ASSERT_TRUE(report.plan);
  EXPECT_EQ(report.plan->kind, FabricKind::butterfly);
  EXPECT_GE(report.surviving.fraction, 1);
  EXPECT_EQ(report.surviving.stands_for, 1 + report.plan->bill.servers + report.plan->links);
}

TEST(Planner, TheSameWishGivesTheSameOctets) {
  const auto catalogue = read_catalogue({});
  auto asked = wish(40, "100G", "r660");
  asked.survive = {1, 0, 1};
  const auto one = make_plan(catalogue, asked), two = make_plan(catalogue, asked);
  EXPECT_EQ(report_json(one), report_json(two));
  EXPECT_EQ(drawing_svg(wire(*one.plan, asked.rate), one),
            drawing_svg(wire(*two.plan, asked.rate), two));
}

TEST(Planner, CoresFollowFromTheCostOfAPacket) {
  const auto catalogue = small();
  auto asked = wish(1, "10G", "box");
  asked.costs = {100, 50, 100, 152};  // 1500 octets at 10 Gb/s: 822,368 packets a second
  asked.core_load = 0.5;
  EXPECT_EQ(make_plan(catalogue, asked).plan->edge_cores, 1u);
  asked.costs.ingress = 10'000;  // 8.3e9 cycles a second, of 0.5e9 a core
  const auto report = make_plan(catalogue, asked);
  EXPECT_FALSE(report.plan);
  EXPECT_NE(report.obstacle.find("17 cores, box has 8"), std::string::npos) << report.obstacle;
}

// What a server of a mesh passes on for others, under the matrix that loads it most.
TEST(Planner, AServerOfAMeshRelaysAtMostWhatIsPlanned) {
  for (const std::size_t n : {3u, 4u, 5u}) {
    const auto model = full_mesh(n, 1, 1);
    const auto split = valiant(model);
    const NaiveLoads loads(model, split, {});
    std::vector<std::size_t> order(n);
    for (std::size_t i = 0; i < n; ++i) order[i] = i;
    double most = 0;
    do {
      std::vector<std::vector<double>> matrix(n, std::vector<double>(n, 0));
      for (std::size_t i = 0; i < n; ++i) matrix[i][order[i]] = 1;
      if (order[0] == 0) continue;  // sends to itself, and has less to do in other roles
      double relayed = -1;          // what it takes out itself is not passed on
      const auto under = loads.under(matrix);
      for (std::size_t l = 0; l < model.links.size(); ++l) {
        if (model.links[l].a.value == 0) relayed += under[direction(l, false)];
      }
      most = std::max(most, relayed);
    } while (std::next_permutation(order.begin(), order.end()));
    UnitLoads unit({});
    EXPECT_NEAR(unit.of({static_cast<unsigned>(n)}).edge_relay, most, 1e-9);
  }
}

TEST(Planner, ImpossibleRatesAndServersAreNamed) {
  const auto catalogue = read_catalogue({});
  const auto report = make_plan(catalogue, wish(4, "800G", "r760"));
  EXPECT_FALSE(report.plan);
  EXPECT_EQ(report.obstacle, "no NIC of r760 has ports of 800G");
  ASSERT_EQ(report.nearest.size(), 1u);
  EXPECT_NE(report.nearest[0].find("4 ports of 400G"), std::string::npos) << report.nearest[0];
}

TEST(Planner, WhatHasToSurviveADeadServerHasTwo) {
  const auto catalogue = small();
  auto asked = wish(1, "10G", "box");
  asked.survive = {1, 0, 1};
  const auto report = make_plan(catalogue, asked);
  ASSERT_TRUE(report.plan);
  EXPECT_EQ(report.plan->radices, Radices{2});
  UnitLoads loads(asked.survive);
  EXPECT_EQ(loads.of({1}).why_not, "all of 1 servers may die at once");
}

TEST(Planner, GrowthNeedsTheLinksOfTheSmallest) {
  const auto catalogue = read_catalogue({});
  auto asked = wish(32, "100G", "r760");
  asked.growth = {8, 16};
  const auto report = make_plan(catalogue, asked);
  ASSERT_TRUE(report.plan);
  ASSERT_EQ(report.growth.size(), 3u);
  std::size_t servers = 0;
  for (const auto& step : report.growth) {
    EXPECT_GT(step.servers, servers);
    servers = step.servers;
    EXPECT_EQ(step.cables, servers * (servers - 1) / 2);
    EXPECT_GE(step.fraction, 1 - 1e-9);
  }
  EXPECT_EQ(report.growth.back().price, report.plan->bill.price);
}

TEST(Planner, GrowthThatIsNotPossibleNamesWhatIsWithoutIt) {
  const auto catalogue = read_catalogue({});
  auto asked = wish(64, "100G", "r760");
  asked.growth = {24, 32};
  asked.survive = {1, 1, 1};
  const auto report = make_plan(catalogue, asked);
  EXPECT_FALSE(report.plan);
  const auto without = [](const std::string& line) { return line.starts_with("without growing"); };
  EXPECT_TRUE(std::any_of(report.nearest.begin(), report.nearest.end(), without));
}

TEST(Planner, TransitionsOfThePaper) {
  const auto catalogue = read_catalogue({});
  const auto packets = *parse_packet_mix("imix");
  const auto current = transition(catalogue, "rb-current", 10'000, packets, 8, 256);
  EXPECT_EQ(current.largest_mesh, 33u);
  const std::vector<unsigned> expected{4, 8, 16, 32};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(current.points[i].servers, expected[i]);
    EXPECT_EQ(current.points[i].kind, FabricKind::mesh);
  }
  EXPECT_EQ(current.points[4].kind, FabricKind::butterfly);
  const auto more = transition(catalogue, "rb-more-nics", 10'000, packets, 8, 256);
  EXPECT_EQ(more.largest_mesh, 153u);
  EXPECT_EQ(more.points[5].servers, 128u);
  EXPECT_EQ(more.points[5].kind, FabricKind::mesh);
  EXPECT_EQ(more.points[6].kind, FabricKind::butterfly);
  const auto faster = transition(catalogue, "rb-faster", 10'000, packets, 8, 256);
  EXPECT_EQ(faster.largest_mesh, 306u);
  EXPECT_EQ(faster.points[6].servers, 128u);
  EXPECT_EQ(faster.points[6].kind, FabricKind::mesh);
  const auto large = [&](const char* server) {
    return transition_point(catalogue, server, 10'000, packets, 8, 1024).servers;
  };
  EXPECT_EQ(large("rb-current"), 3993u);
  EXPECT_EQ(large("rb-more-nics"), 2048u);
}

TEST(Rates, AreReadAndWritten) {
  EXPECT_EQ(parse_rate("100G"), 100'000u);
  EXPECT_EQ(parse_rate("2.5G"), 2'500u);
  EXPECT_EQ(parse_rate("400M"), 400u);
  EXPECT_EQ(parse_rate("1T"), 1'000'000u);
  for (const char* text :
       {"", "G", "100", "-1G", "100g", "1e3G", "0G", "1.0001M", "9999T", "nanG", "1GG", " 1G"}) {
    EXPECT_EQ(parse_rate(text), 0u) << text;
  }
  EXPECT_EQ(rate_text(2'500), "2.5G");
  EXPECT_EQ(rate_text(1'200'000), "1.2T");
  EXPECT_EQ(rate_text(400), "400M");
  for (const Mbps mbps : {1u, 999u, 1250u, 10'000u, 1'234'567u, 12'000'000u, 1'000'010u}) {
    EXPECT_EQ(parse_rate(rate_text(mbps)), mbps);
  }
}

TEST(PacketMix, IsReadOrRefused) {
  EXPECT_NEAR(parse_packet_mix("imix")->mean_octets, (7 * 64 + 4 * 594 + 1518) / 12.0, 1e-9);
  EXPECT_EQ(parse_packet_mix("64")->mean_octets, 64);
  EXPECT_NEAR(parse_packet_mix("64")->packets_per_gbps(), 1e9 / 672, 1e-3);
  EXPECT_EQ(parse_packet_mix("64:1,128:3")->mean_octets, 112);
  for (const char* text :
       {"", "63", "9239", "64:", ":1", "64:-1", "64,,65", "64:0", "x", "64:1;65:1", "nan"}) {
    EXPECT_FALSE(parse_packet_mix(text)) << text;
  }
}

std::string catalogue_fault(const std::string& text) {
  Catalogue catalogue;
  try {
    add_to_catalogue(catalogue, text, "mine.json");
  } catch (const StartupError& fault) {
    return fault.what();
  }
  return "";
}

TEST(CatalogueFile, FaultsAreNamedWithTheirPlace) {
  EXPECT_EQ(catalogue_fault(kSmall), "");
  EXPECT_NE(catalogue_fault(R"({"server": []})").find("mine.json at /server"), std::string::npos);
  EXPECT_NE(catalogue_fault(R"({"cables": [{"mbps": -1, "price": 1, "source": "x"}]})")
                .find("-1 is out of bounds (mine.json at /cables/0/mbps)"),
            std::string::npos);
  EXPECT_NE(catalogue_fault(R"({"nics": [{"name": "a"}]})").find("\"title\" is missing"),
            std::string::npos);
  EXPECT_NE(catalogue_fault("{").find("not valid JSON"), std::string::npos);
  EXPECT_THROW((void)read_catalogue({"/nonexistent"}), StartupError);
  EXPECT_THROW((void)read_catalogue({"/"}), StartupError);
}

}  // namespace
}  // namespace rackway::plan
