// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/plan_files.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "topo/cluster_document.hh"
#include "topo/plan/catalogue.hh"

namespace rackway::plan {
namespace {

class PlanFiles : public testing::TestWithParam<unsigned> {
 protected:
  PlanFiles() : catalogue_(read_catalogue({})) {
    Requirement wish;
    wish.ports = GetParam();
    wish.rate = 100'000;
    wish.servers = {"r760"};
    wish.survive = {1, 1, 1};
    wish.packets = *parse_packet_mix("imix");
    report_ = make_plan(catalogue_, wish);
    wiring_ = wire(*report_.plan, wish.rate);
  }

  Catalogue catalogue_;
  Report report_;
  Wiring wiring_;
};

TEST_P(PlanFiles, TheClusterDocumentIsOne) {
  const auto document =
      topo::parse_cluster_document(cluster_json(wiring_, *report_.plan, 100'000), "cluster.json");
  EXPECT_EQ(document.nodes.size(), report_.plan->bill.servers);
  EXPECT_EQ(document.links.size(), report_.plan->links);
  std::size_t ports = 0;
  for (const auto& node : document.nodes) {
    ports += node.ports.size();
    for (const auto& port : node.ports) EXPECT_EQ(port.rate, 100'000u);
  }
  EXPECT_EQ(ports, report_.plan->external_ports());
  const auto model = report_.plan->model(100'000);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    EXPECT_EQ(document.links[i].rate, report_.plan->edge.link_rate());
    EXPECT_EQ(document.links[i].a, model.links[i].a);
    EXPECT_EQ(document.links[i].b, model.links[i].b);
  }
}

TEST_P(PlanFiles, NoPortIsUsedTwiceAndNoneIsBeyondItsCard) {
  std::set<std::tuple<std::size_t, unsigned, unsigned>> used;
  const auto use = [&](std::size_t server, const PortPlace& place) {
    EXPECT_TRUE(used.emplace(server, place.slot, place.port).second);
    ASSERT_LT(place.slot, wiring_.servers[server].cards.size());
    EXPECT_LT(place.port, wiring_.servers[server].cards[place.slot].mode.ports);
  };
  for (std::size_t i = 0; i < wiring_.servers.size(); ++i) {
    EXPECT_LE(wiring_.servers[i].cards.size(), report_.plan->server.nic_slots);
    for (const auto& place : wiring_.servers[i].external) use(i, place);
  }
  for (const auto& cable : wiring_.cables) {
    use(cable.a, cable.port_a);
    use(cable.b, cable.port_b);
    EXPECT_EQ(wiring_.servers[cable.a].cards[cable.port_a.slot].mode.mbps,
              wiring_.servers[cable.b].cards[cable.port_b.slot].mode.mbps);
  }
}

TEST_P(PlanFiles, TheCablingListHasALineForEachCable) {
  const auto csv = cabling_csv(wiring_, *report_.plan);
  std::istringstream lines(csv);
  std::string line;
  std::size_t count = 0;
  while (std::getline(lines, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), ','), 9) << line;
    ++count;
  }
  EXPECT_EQ(count, 1 + report_.plan->links);
}

// Tags are balanced and nothing is left unescaped: a parser of what the canvas can write.
TEST_P(PlanFiles, TheDrawingIsWellFormed) {
  const auto svg = drawing_svg(wiring_, report_);
  std::vector<std::string> open;
  std::size_t at = svg.find("?>") + 2, elements = 0;
  while (at < svg.size()) {
    const auto begin = svg.find('<', at);
    for (const char c : svg.substr(at, begin - at)) EXPECT_NE(c, '>');
    if (begin == svg.npos) break;
    const auto end = svg.find('>', begin);
    ASSERT_NE(end, svg.npos);
    const auto tag = svg.substr(begin + 1, end - begin - 1);
    EXPECT_EQ(tag.find('<'), tag.npos) << tag;
    EXPECT_EQ(std::count(tag.begin(), tag.end(), '"') % 2, 0) << tag;
    const auto name = tag.substr(tag[0] == '/' ? 1 : 0, tag.find_first_of(" ") - (tag[0] == '/'));
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), name);
      open.pop_back();
    } else if (tag.back() != '/') {
      open.push_back(name);
    }
    ++elements;
    at = end + 1;
  }
  EXPECT_TRUE(open.empty());
  EXPECT_GT(elements, 20u);
  EXPECT_EQ(svg.find("nan"), svg.npos);
  EXPECT_EQ(svg.find("inf"), svg.npos);
  EXPECT_LT(svg.size(), 2u << 20);
}

TEST_P(PlanFiles, TheInventoryNamesEveryServer) {
  const auto inventory = ansible_inventory(wiring_, *report_.plan);
  std::set<std::string> addresses;
  std::istringstream lines(inventory);
  std::string line;
  while (std::getline(lines, line)) {
    const auto at = line.find("ansible_host: ");
    if (at == line.npos) continue;
    EXPECT_TRUE(addresses.insert(line.substr(at)).second) << line;
  }
  EXPECT_EQ(addresses.size(), 1 + wiring_.servers.size());
}

INSTANTIATE_TEST_SUITE_P(Sizes, PlanFiles, testing::Values(4, 32, 96, 1024));

TEST(PlanFilesOfOneServer, AreThereToo) {
  const auto catalogue = read_catalogue({});
  Requirement wish;
  wish.ports = 3;
  wish.rate = 100'000;
  wish.servers = {"r6615"};
  wish.packets = *parse_packet_mix("64");
  const auto report = make_plan(catalogue, wish);
  ASSERT_TRUE(report.plan);
  const auto wiring = wire(*report.plan, wish.rate);
  EXPECT_EQ(
      topo::parse_cluster_document(cluster_json(wiring, *report.plan, wish.rate), "x").nodes.size(),
      1u);
  EXPECT_NE(drawing_svg(wiring, report).find("one server"), std::string::npos);
  EXPECT_NE(report_json(report).find("\"fraction\": null"), std::string::npos);
}

// The largest `y` of anything that is drawn.
double lowest(const std::string& svg) {
  double lowest = 0;
  for (const std::string key : {" y=\"", " y1=\"", " y2=\"", " cy=\""}) {
    for (auto at = svg.find(key); at != svg.npos; at = svg.find(key, at + 1)) {
      lowest = std::max(lowest, std::stod(svg.substr(at + key.size())));
    }
  }
  return lowest;
}

// The paper's servers have 20 slots, a butterfly shows two servers.
TEST(Drawing, StaysOnThePageAlsoWithManySlots) {
  const auto catalogue = read_catalogue({});
  for (const unsigned ports : {8u, 64u, 400u}) {
    Requirement wish;
    wish.ports = ports;
    wish.rate = 10'000;
    wish.servers = {"rb-faster"};
    wish.packets = *parse_packet_mix("imix");
    wish.survive = {1, 1, 1};
    const auto report = make_plan(catalogue, wish);
    ASSERT_TRUE(report.plan) << ports << " " << report.obstacle;
    EXPECT_LT(lowest(drawing_svg(wire(*report.plan, wish.rate), report)), 960) << ports;
  }
}

}  // namespace
}  // namespace rackway::plan
