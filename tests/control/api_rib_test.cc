// SPDX-License-Identifier: Apache-2.0
// The tables `rib` and `explain`, and the orders about routes.
#include "control/api_rib.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/api_route_order.hh"
#include "tests/control/answering_controller.hh"

namespace rackway::control::testing {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

class ApiRibTest : public ::testing::Test {
 protected:
  // The order's answer, as the controller makes it.
  Json order(const Json& request) {
    const auto done = follow_route_order(request.dump(), routes_);
    if (!done) return "no order";
    if (!*done) return (*done)->question.empty() ? Json(done->error().message) : Json();
    controller_.publish();
    return (*done)->question.empty() ? Json::parse((*done)->answer)
                                     : controller_.ask(Json::parse((*done)->question));
  }
  std::string fault(const Json& request) {
    const auto done = follow_route_order(request.dump(), routes_);
    return done && !*done ? done->error().message : "no fault";
  }
  Json add(const char* to, const char* target) {
    return order({{"order", "route-add"}, {"name", to}, {"target", target}});
  }

  AnsweringController controller_;
  OperatorRoutes routes_{*controller_.builder, {}};
};

TEST_F(ApiRibTest, AnAddedRouteIsAnsweredWithWhatBecameOfIt) {
  const Json expected = R"({"ok": true, "rows": [{"prefix": "203.0.113.0/24", "source": "added",
      "origin": "added", "distance": 1, "kind": "forward", "via": ["10.0.1.2*2", "192.0.2.1"],
      "state": "used",
      "resolved": ["10.0.1.2@n1-p0*3", "10.0.4.2@n2-p1"]}]})"_json;
  EXPECT_EQ(add("203.0.113.0/24", "192.0.2.1,10.0.1.2,2"), expected);
  EXPECT_EQ(controller_.rows("routes", "203.0.113.0/24")[0]["protocol"], "added");
  EXPECT_EQ(order({{"order", "route-del"}, {"name", "203.0.113.0/24"}}),
            R"({"ok": true, "rows": []})"_json);
  EXPECT_EQ(controller_.error(R"({"show": "rib", "name": "203.0.113.0/24"})"),
            "no source has a route 203.0.113.0/24");
}

TEST_F(ApiRibTest, RibHasARowForEachSource) {
  add("0.0.0.0/0", "blackhole");
  add("198.51.100.0/24", "2001:db8:9::1");
  auto rows = controller_.rows("rib", "198.51.100.7");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["source"], "kernel");
  EXPECT_EQ(rows[0]["origin"], "connected");
  EXPECT_EQ(rows[0]["state"], "used");
  EXPECT_EQ(rows[0]["kind"], "blackhole");
  EXPECT_EQ(rows[1]["source"], "added");
  EXPECT_EQ(rows[1]["state"], "beaten");  // by the prohibited 2001:db8::/32 it would be that
  rows = controller_.rows("rib", "192.0.2.1");
  EXPECT_EQ(rows[0]["state"], "used");
  EXPECT_EQ(rows[0]["source"], "added");
  EXPECT_EQ(rows[1]["state"], "beaten");
  EXPECT_EQ(rows[1]["origin"], "bgp");
  EXPECT_EQ(rows[1]["via"], R"(["10.0.1.2@n1-p0", "10.0.4.2@n2-p1*3"])"_json);
  EXPECT_EQ(controller_.rows("rib").size(), 6u);
  EXPECT_EQ(controller_.error(R"({"show": "rib", "name": "2001:db9::1"})"),
            "no route covers 2001:db9::1");
  EXPECT_EQ(controller_.error(R"({"show": "rib", "name": "n1"})"),
            "n1 is neither a prefix nor an address");
}

TEST_F(ApiRibTest, ExplainSaysEverything) {
  add("203.0.113.0/24", "192.0.2.1");
  const auto row = controller_.rows("explain", "203.0.113.9")[0];
  EXPECT_EQ(row["prefix"], "203.0.113.0/24");
  EXPECT_EQ(row["protocol"], "added");
  EXPECT_EQ(row["candidates"].size(), 1u);
  EXPECT_EQ(row["recursion"], R"([{"depth": 0, "next_hop": "192.0.2.1", "through": "0.0.0.0/0",
      "origin": "bgp", "outcome": "next hops"}])"_json);
  const auto epoch = controller_.coordinator.epoch().value;
  EXPECT_EQ(row["route_epoch"], epoch);
  EXPECT_EQ(row["group_epoch"], epoch);
  EXPECT_EQ(row["kind"], "forward");
  ASSERT_EQ(row["next_hops"].size(), 2u);
  const Json hop = row["next_hops"][0];
  EXPECT_EQ(hop, Json({{"node", "n1"},
                       {"port", "n1-p0"},
                       {"interface", "n1-p0"},
                       {"address", "10.0.1.2"},
                       {"mac", "02:00:00:00:00:02"},
                       {"weight", 1},
                       {"share_percent", 25},
                       {"vlan", 0},
                       {"mtu", 1500},
                       {"adjacency", 0},
                       {"epoch", 1}}));
  EXPECT_EQ(row["nodes"][0],
            Json({{"node", "n1"}, {"state", "up"}, {"epoch", epoch}, {"took", epoch}}));
  // What was there before keeps its epoch; the node that came later took all of it at once.
  const auto older = controller_.rows("explain", "198.51.100.1")[0];
  EXPECT_EQ(older["route_epoch"], 1);
  EXPECT_EQ(older["nodes"][0]["took"], 1);
  EXPECT_EQ(older["nodes"][1]["took"], controller_.coordinator.nodes()[1].whole.value);
  EXPECT_EQ(controller_.error(R"({"show": "explain"})"), "explain needs a prefix or an address");
  EXPECT_EQ(controller_.error(R"({"show": "explain", "name": "9.0.0.0/8"})"), "no route 9.0.0.0/8");
}

TEST_F(ApiRibTest, ImportsInParts) {
  const auto first = order({{"order", "route-import"},
                            {"part", 0},
                            {"text", "20.0.0.0/8,10.0.1.2\nbad\n"},
                            {"last", false}});
  EXPECT_EQ(first, R"({"ok": true, "rows": [{"lines": 2, "routes": 1, "imported": 1,
      "skipped": {"bad line": 1}, "bad_lines": [{"line": 2,
      "why": "it does not begin with a prefix ADDRESS/LENGTH without host bits"}]}]})"_json);
  EXPECT_EQ(order({{"order", "route-import"},
                   {"part", 1},
                   {"text", ""},
                   {"last", true}})["rows"][0]["imported"],
            1);
  EXPECT_EQ(order({{"order", "route-del-imported"}})["ok"], true);
  EXPECT_EQ(controller_.builder->rib().routes(RouteSource::imported), 0u);
}

TEST_F(ApiRibTest, SaysWhatIsWrongWithAnOrder) {
  EXPECT_THAT(fault({{"order", "route-add"}}), HasSubstr("names no prefix"));
  EXPECT_THAT(fault({{"order", "route-add"}, {"name", "10.0.0.1/8"}, {"target", "10.0.1.2"}}),
              HasSubstr("10.0.0.1/8 is no prefix"));
  EXPECT_THAT(fault({{"order", "route-add"}, {"name", "10.0.0.0/8"}}), HasSubstr("no target"));
  EXPECT_THAT(fault({{"order", "route-add"}, {"name", "10.0.0.0/8"}, {"target", "n1"}}),
              HasSubstr("'n1' is no next hop"));
  EXPECT_THAT(fault({{"order", "route-del"}, {"name", "10.0.0.0/8"}}), HasSubstr("was added"));
  EXPECT_THAT(fault({{"order", "route-import"}, {"part", -1}, {"text", ""}}), HasSubstr("part"));
  EXPECT_THAT(fault({{"order", "route-import"}, {"part", 0}}), HasSubstr("text"));
  for (const auto* other : {R"({"order": "drain", "name": "n1"})", R"({"show": "rib"})", "[]", "x",
                            R"({"order": 1})"}) {
    EXPECT_FALSE(follow_route_order(other, routes_)) << other;
  }
}

}  // namespace
}  // namespace rackway::control::testing
