// SPDX-License-Identifier: Apache-2.0
// Every table of docs/api.md, whole; names that there are not, and requests that are none.
#include "control/api.hh"

#include <gtest/gtest.h>

#include "tests/control/answering_controller.hh"

namespace rackway::control::testing {
namespace {

using Json = nlohmann::json;

class ApiTest : public ::testing::Test {
 protected:
  std::string digest() const {
    const auto digest = controller_.coordinator.content().digest();
    char text[33];
    std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(digest.high),
                  static_cast<unsigned long long>(digest.low));
    return text;
  }
  // {"prefix": ..., ...} by one of its fields.
  static Json find(const Json& rows, const std::string& field, const Json& value) {
    for (const auto& row : rows) {
      if (row.at(field) == value) return row;
    }
    return {};
  }
  Json hop_over_n1(unsigned weight = 1) const {
    return {{"node", "n1"},
            {"port", "n1-p0"},
            {"interface", "n1-p0"},
            {"address", "10.0.1.2"},
            {"mac", "02:00:00:00:00:02"},
            {"weight", weight}};
  }
  std::string no(const std::string& table, const std::string& name) const {
    return controller_.error(Json{{"show", table}, {"name", name}}.dump());
  }

  AnsweringController controller_;
};

TEST_F(ApiTest, Cluster) {
  const Json expected = R"([{"name": "lab", "epoch": 2, "nodes": 2, "nodes_up": 2,
      "nodes_in_sync": 1, "ipv4_routes": 4, "ipv6_routes": 1, "groups": 5, "adjacencies": 2,
      "routes_cut_short": 0,
      "uptime_s": 3, "settled": false, "vlb_mode": "adaptive",
      "waiting_static_routes": ["203.0.113.0/24: no such subnet"]}])"_json;
  auto rows = controller_.rows("cluster");
  EXPECT_EQ(rows.at(0).at("digest"), digest());
  rows[0].erase("digest");
  EXPECT_EQ(rows, expected);
  EXPECT_EQ(no("cluster", "lab"), "cluster takes no name, got lab");
}

TEST_F(ApiTest, Nodes) {
  const std::string none(32, '0');
  const Json n1{{"name", "n1"},       {"id", 0},
                {"state", "up"},      {"epoch", 2},
                {"digest", digest()}, {"in_sync", true},
                {"kept_epoch", 0},    {"boot_id", "0123456789abcdef"},
                {"uptime_s", 61},     {"ports", 2},
                {"generated", 14},    {"vlb_mode", "valiant"},
                {"draining", false},  {"flowlet_gap_us", 700},
                {"moved_early", 12},  {"cannot_reach", {"n2"}}};
  const Json n2{{"name", "n2"},       {"id", 1},
                {"state", "syncing"}, {"epoch", 0},
                {"digest", none},     {"in_sync", false},
                {"kept_epoch", 0},    {"boot_id", "0000000000000003"},
                {"uptime_s", 0},      {"ports", 2},
                {"generated", 0},     {"vlb_mode", "adaptive"},
                {"draining", true},   {"flowlet_gap_us", 0},
                {"moved_early", 0},   {"cannot_reach", Json::array()}};
  EXPECT_EQ(controller_.rows("nodes"), (Json{n1, n2}));
  EXPECT_EQ(controller_.rows("nodes", "n2"), Json::array({n2}));
  EXPECT_EQ(no("nodes", "n9"), "no node n9 in this cluster");
}

TEST_F(ApiTest, ASilentNodeIsDownAndSoAreItsPortsAndLinks) {
  for (int i = 1; i <= 100; ++i) {  // in steps: silence counts only while the controller listens
    controller_.coordinator.tick(controller_.now + i * std::chrono::milliseconds(100));
  }
  EXPECT_EQ(controller_.rows("nodes", "n1").at(0).at("state"), "down");
  EXPECT_EQ(controller_.rows("ports", "n1-p0").at(0).at("link"), "down");
  EXPECT_EQ(controller_.rows("fabric", "n1").at(0).at("state"), "down");
  EXPECT_EQ(controller_.rows("cluster").at(0).at("nodes_up"), 0);
}

TEST_F(ApiTest, Ports) {
  const Json n1p0 = R"({"name": "n1-p0", "node": "n1", "port": "p0", "device": "net_tap0",
      "mac": "02:00:00:00:00:64", "mtu": 1500, "link": "up",
      "addresses": ["10.0.1.1/24", "fe80::1/64"], "received": 100, "sent": 90, "punted": 3,
      "dropped": 7, "injected": 5, "icmp_sent": 8, "icmp_withheld": 2, "transmitted": 55, "received_bytes": 6400,
      "transmitted_bytes": 5500})"_json;
  const Json n2p1 = R"({"name": "n2-p1", "node": "n2", "port": "p1", "device": "net_tap3",
      "mac": "", "mtu": 1500, "link": "down", "addresses": [], "received": 0, "sent": 0,
      "punted": 0, "dropped": 0, "injected": 0, "icmp_sent": 0, "icmp_withheld": 0, "transmitted": 0, "received_bytes": 0,
      "transmitted_bytes": 0})"_json;
  const auto rows = controller_.rows("ports");
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0], n1p0);
  EXPECT_EQ(rows[1].at("link"), "down");
  EXPECT_EQ(rows[1].at("mtu"), 9000);
  EXPECT_EQ(rows[3], n2p1);
  EXPECT_EQ(controller_.rows("ports", "n1-p0"), Json::array({n1p0}));
  EXPECT_EQ(no("ports", "n1"), "no port n1 in this cluster");
}

TEST_F(ApiTest, InterfacesAreThePortsAndTheirVlans) {
  auto& kernel = controller_.kernel;
  kernel.add_vlan(kVlan, kPort11, 100);
  kernel.links.at(kVlan).name = "n2-p1.100";
  kernel.add(KernelAddress{kVlan, ip("10.1.0.1"), 24});
  kernel.set(KernelNeighborKey{kVlan, ip("10.1.0.2")}, mac(7));
  kernel.set(prefix("10.1.0.0/24"), unicast({{kVlan, std::nullopt, 1}}, kByKernel));
  controller_.publish();
  const auto rows = controller_.rows("interfaces");
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0], R"({"name": "n1-p0", "node": "n1", "port": "n1-p0", "vlan": 0, "state": "up",
      "mtu": 1500, "addresses": ["10.0.1.1/24", "fe80::1/64"]})"_json);
  const Json vlan = R"({"name": "n2-p1.100", "node": "n2", "port": "n2-p1", "vlan": 100,
      "state": "up", "mtu": 1500, "addresses": ["10.1.0.1/24"]})"_json;
  EXPECT_EQ(rows[4], vlan);
  EXPECT_EQ(controller_.rows("interfaces", "n2-p1.100"), Json::array({vlan}));
  EXPECT_EQ(no("interfaces", "n2-p1.101"), "no interface n2-p1.101 in this cluster");
  EXPECT_EQ(controller_.rows("ports", "n2-p1").at(0).at("addresses"), Json::array());
  const auto neighbor = find(controller_.rows("adjacencies"), "next_hop", "10.1.0.2");
  EXPECT_EQ(neighbor.at("vlan"), 100);
  EXPECT_EQ(neighbor.at("interface"), "n2-p1.100");
  EXPECT_EQ(neighbor.at("port"), "n2-p1");
  const auto host = controller_.rows("routes", "10.1.0.2/32").at(0);
  EXPECT_EQ(host.at("next_hops").at(0).at("interface"), "n2-p1.100");
}

TEST_F(ApiTest, Fabric) {
  const Json end = R"({"node": "n1", "peer": "n2", "link": 0, "state": "up", "received": 20,
      "sent": 17, "punted": 2, "dropped": 1, "direct": 7, "via_relay": 3, "relayed": 2,
      "transmitted": 12, "carrier": true, "peer_ready": true, "peer_draining": false,
      "peer_boot_id": "0000000000000abc", "load_percent": 50, "delay_us": 37, "hellos_sent": 40,
      "hellos_received": 39})"_json;
  EXPECT_EQ(controller_.rows("fabric"), Json::array({end}));
  EXPECT_EQ(controller_.rows("fabric", "n1"), Json::array({end}));
  EXPECT_EQ(controller_.rows("fabric", "n2"), Json::array());
  EXPECT_EQ(no("fabric", "n1-p0"), "no node n1-p0 in this cluster");
}

TEST_F(ApiTest, Queues) {
  const Json first = R"({"node": "n1", "place": "n1-p0", "core": 0, "received": 40, "sent": 30,
      "punted": 3, "dropped": 7, "transmitted": 15})"_json;
  const Json second = R"({"node": "n1", "place": "n1-p0", "core": 1, "received": 60, "sent": 60,
      "punted": 0, "dropped": 0, "transmitted": 40})"_json;
  const Json link = R"({"node": "n1", "place": "fabric n2", "core": 0, "received": 20, "sent": 17,
      "punted": 2, "dropped": 1, "transmitted": 12})"_json;
  EXPECT_EQ(controller_.rows("queues"), Json::array({first, second, link}));
  EXPECT_EQ(controller_.rows("queues", "n1"), Json::array({first, second, link}));
  EXPECT_EQ(controller_.rows("queues", "n2"), Json::array());
  EXPECT_EQ(no("queues", "n9"), "no node n9 in this cluster");
}

TEST_F(ApiTest, Routes) {
  const auto rows = controller_.rows("routes");
  ASSERT_EQ(rows.size(), 5u);
  auto connected = find(rows, "prefix", "10.0.1.0/24");
  EXPECT_TRUE(connected.at("group").is_number_unsigned());
  connected.erase("group");
  EXPECT_EQ(connected, R"({"prefix": "10.0.1.0/24", "kind": "glean", "protocol": "kernel",
                           "next_hops": [], "stale": false})"_json);
  auto host = find(rows, "prefix", "10.0.1.2/32");
  host.erase("group");
  EXPECT_EQ(host, (Json{{"prefix", "10.0.1.2/32"},
                        {"kind", "forward"},
                        {"protocol", "neighbor"},
                        {"next_hops", Json::array({hop_over_n1()})},
                        {"stale", false}}));
  const auto multipath = find(rows, "prefix", "0.0.0.0/0");
  const Json over_n2 =
      R"({"node": "n2", "port": "n2-p1", "interface": "n2-p1", "address": "10.0.4.2",
                           "mac": "02:00:00:00:00:04", "weight": 3})"_json;
  EXPECT_EQ(multipath.at("next_hops"), (Json{hop_over_n1(), over_n2}));
  EXPECT_EQ(multipath.at("protocol"), "bgp");
  EXPECT_EQ(find(rows, "prefix", "198.51.100.0/24").at("kind"), "blackhole");
  EXPECT_EQ(find(rows, "prefix", "2001:db8::/32").at("kind"), "prohibit");
}

TEST_F(ApiTest, RoutesByName) {
  const auto prefix_of = [&](const std::string& name) {
    return controller_.rows("routes", name).at(0).at("prefix");
  };
  EXPECT_EQ(prefix_of("10.0.1.0/24"), "10.0.1.0/24");
  EXPECT_EQ(prefix_of("10.0.1.2"), "10.0.1.2/32");
  EXPECT_EQ(prefix_of("10.0.1.3"), "10.0.1.0/24");
  EXPECT_EQ(prefix_of("192.0.2.1"), "0.0.0.0/0");
  EXPECT_EQ(prefix_of("2001:db8::1"), "2001:db8::/32");
  EXPECT_EQ(no("routes", "2001:db9::1"), "no route covers 2001:db9::1");
  EXPECT_NE(no("routes", "10.0.1.0/25").find("10.0.1.0/25"), std::string::npos);
  for (const std::string nonsense : {"x", "10.0.1.1/24", "10.0.1.0/33", "10.0.1.0/", "/0"}) {
    EXPECT_EQ(no("routes", nonsense), nonsense + " is neither a prefix nor an address");
  }
}

TEST_F(ApiTest, StaleRoutes) {
  controller_.kernel.routes.clear();
  controller_.kernel.neighbors.clear();
  controller_.start_builder();
  controller_.builder->restore(controller_.coordinator.content().snapshot());
  for (const auto& row : controller_.rows("routes")) {
    EXPECT_EQ(row.at("stale"), true) << row;
  }
}

TEST_F(ApiTest, Adjacencies) {
  const Json n1 =
      R"({"node": "n1", "index": 0, "port": "n1-p0", "vlan": 0, "interface": "n1-p0", "next_hop": "10.0.1.2",
                      "mac": "02:00:00:00:00:02", "mtu": 1500})"_json;
  const Json n2 =
      R"({"node": "n2", "index": 0, "port": "n2-p1", "vlan": 0, "interface": "n2-p1", "next_hop": "10.0.4.2",
                      "mac": "02:00:00:00:00:04", "mtu": 1500})"_json;
  EXPECT_EQ(controller_.rows("adjacencies"), (Json{n1, n2}));
  EXPECT_EQ(controller_.rows("adjacencies", "n2"), Json::array({n2}));
  EXPECT_EQ(no("adjacencies", "10.0.1.2"), "no node 10.0.1.2 in this cluster");
}

TEST_F(ApiTest, Drops) {
  const Json expected = R"([
      {"node": "n1", "port": "n1-p0", "reason": "foreign_mac", "packets": 1},
      {"node": "n1", "port": "n1-p0", "reason": "no_route", "packets": 6},
      {"node": "n1", "port": "fabric n2", "reason": "adjacency_unknown", "packets": 1},
      {"node": "n1", "port": "inject", "reason": "inject_malformed", "packets": 9},
      {"node": "n1", "port": "generated", "reason": "adjacency_unknown", "packets": 3}])"_json;
  EXPECT_EQ(controller_.rows("drops"), expected);
  EXPECT_EQ(controller_.rows("drops", "n1"), expected);
  EXPECT_EQ(controller_.rows("drops", "n2"), Json::array());
  EXPECT_EQ(no("drops", "n9"), "no node n9 in this cluster");
}

// ---- what is no good request

TEST_F(ApiTest, AnUnknownTableIsNamed) {
  EXPECT_EQ(controller_.error(R"({"show": "passwords"})"), "no table passwords");
  EXPECT_EQ(controller_.error(R"({"show": ""})"), "no table ");
  EXPECT_EQ(controller_.error(R"({"show": "passwords", "name": "x"})"), "no table passwords");
}

TEST_F(ApiTest, WhatIsNoRequestIsToldHowOneLooks) {
  for (const std::string request :
       {"", " ", "{", "nodes", "null", "[]", "7", "\"nodes\"", "{}", R"({"show": 7})",
        R"({"show": null})", R"({"show": ["nodes"]})", R"({"name": "n1"})",
        R"({"show": "nodes", "name": 1})", R"({"show": "nodes", "name": null})",
        R"({"show": "nodes"} x)", "{\"show\": \"\xff\"}", "\xff\xfe"}) {
    EXPECT_EQ(controller_.error(request), R"(a request is an object like {"show": "nodes"})")
        << request;
  }
}

TEST_F(ApiTest, DeepNestingIsAnError) {
  constexpr std::size_t kDepth = 1 << 17;
  for (const std::string open : {"[", R"({"show":)", R"([{"a":)"}) {
    std::string request;
    for (std::size_t i = 0; i < kDepth; ++i) request += open;
    EXPECT_NE(controller_.error(request), "");
  }
  const auto closed = std::string(kDepth, '[') + std::string(kDepth, ']');
  EXPECT_NE(controller_.error(closed), "");
  EXPECT_EQ(controller_.error(R"({"show": "nodes", "name": )" + closed + "}"),
            R"(a request is an object like {"show": "nodes"})");
}

TEST_F(ApiTest, LongTextIsAnError) {
  const std::string longest(1 << 20, 'x');
  EXPECT_EQ(no("nodes", longest), "no node " + longest + " in this cluster");
  EXPECT_EQ(controller_.error(Json{{"show", longest}}.dump()), "no table " + longest);
  EXPECT_NE(controller_.error(longest), "");
  EXPECT_EQ(no("routes", longest), longest + " is neither a prefix nor an address");
}

TEST_F(ApiTest, OddTextComesBackAsItWas) {
  for (const auto& name : {std::string("a\0b", 3), std::string("\"\\\n\t\x7f"),
                           std::string("\xc3\xa9\xf0\x9f\x98\x80"), std::string("%s{}%n")}) {
    EXPECT_EQ(no("nodes", name), "no node " + name + " in this cluster");
  }
}

TEST_F(ApiTest, TextThatIsNoUtf8IsReplaced) {
  controller_.waiting_static_routes = {"a\xff"};
  EXPECT_EQ(controller_.rows("cluster").at(0).at("waiting_static_routes"),
            Json::array({"a\xef\xbf\xbd"}));
}

TEST_F(ApiTest, Events) {
  EXPECT_EQ(controller_.rows("events"), Json::array());
  cluster::Status status;
  status.events = {{0, cluster::FabricEventKind::link_up, 0, {1}, 5},
                   {1, cluster::FabricEventKind::node_restarted, 0, {1}, 4}};
  controller_.events.take({0}, 7, status, EventLog::Clock::now());
  const auto rows = controller_.rows("events");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1], R"({"age_s": 0, "seen_by": "n1", "number": 1, "node": "n2",
      "event": "node restarted"})"_json);
  EXPECT_EQ(controller_.rows("events", "n2"), rows);
  EXPECT_EQ(no("events", "n9"), "no node n9 in this cluster");
}

TEST_F(ApiTest, EventsOfTheControllersOwnAreOfNoNode) {
  controller_.events.note(EventLog::Grave::no, "something", EventLog::Clock::now());
  EXPECT_EQ(controller_.rows("events"), R"([{"age_s": 0, "seen_by": "controller", "number": 0,
      "node": "", "event": "something"}])"_json);
  EXPECT_EQ(controller_.rows("events", "n1"), Json::array());
}

TEST_F(ApiTest, Sources) {
  const auto rows = controller_.rows("sources");
  ASSERT_EQ(rows.size(), 5u);
  EXPECT_EQ(rows[0].at("source"), "kernel");
  EXPECT_EQ(rows[0].at("routes"), controller_.builder->rib().routes(RouteSource::kernel));
  EXPECT_EQ(rows[4], R"({"source": "fpm", "state": "off", "routes": 0, "waiting": 0, "stale": 0,
      "swept": 0, "next_hop_objects": 0, "connections": 0, "messages": 0, "malformed": 0,
      "ignored": 0, "resyncs": 0, "overruns": 0})"_json);
  EXPECT_EQ(no("sources", "fpm"), "sources takes no name, got fpm");
}

TEST_F(ApiTest, Audit) {
  const auto row = [](const char* check, const char* node) {
    return Json{{"check", check}, {"node", node},     {"result", "none yet"}, {"age_s", nullptr},
                {"runs", 0},      {"differences", 0}, {"repaired", 0},        {"unfinished", 0}};
  };
  const auto before = controller_.rows("audit");
  EXPECT_EQ(before,
            (Json{row("digest", ""), row("rib", ""), row("node", "n1"), row("node", "n2")}));
  EXPECT_EQ(no("audit", "n1"), "audit takes no name, got n1");
}

// Twice every period: what the first asked of node n1 has got no answer when the second comes.
TEST_F(ApiTest, AuditsBeginEveryPeriod) {
  auto& audit = controller_.audit;
  controller_.coordinator.on(NodeId{1},
                             cluster::Status{.epoch = controller_.coordinator.epoch(),
                                             .digest = controller_.coordinator.content().digest()},
                             controller_.now);
  const auto start = AuditCheck::Clock::now();
  audit.tick(start);
  audit.tick(start + std::chrono::seconds(59));
  EXPECT_EQ(controller_.rows("audit").at(0).at("runs"), 0);
  audit.tick(start + std::chrono::seconds(60));
  audit.tick(start + std::chrono::seconds(61));
  audit.tick(start + std::chrono::seconds(121));
  const auto rows = controller_.rows("audit");
  EXPECT_EQ(rows.at(0).at("runs"), 2);
  EXPECT_EQ(rows.at(0).at("result"), "equal");
  EXPECT_EQ(rows.at(1).at("runs"), 1);
  EXPECT_EQ(rows.at(2).at("result"), "no answer in time");
  EXPECT_EQ(rows.at(2).at("unfinished"), 1);
}

// Its cost must not grow with the square of the keys: the controller answers between epochs.
TEST_F(ApiTest, Security) {
  controller_.conduct.blame(NodeId{1}, PeerFault::malformed, PeerConduct::Clock::now());
  EXPECT_TRUE(controller_.conduct.passes_over(NodeId{1}, false, PeerConduct::Clock::now()));
  const auto rows = controller_.rows("security");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].at("node"), "n1");
  EXPECT_EQ(rows[0].at("state"), "insecure");
  EXPECT_EQ(rows[1], R"({"node": "n2", "state": "ignored", "keys": 0, "admitted": 0,
      "refused_revoked": 0, "refused_unknown": 0, "failed_handshakes": 0, "other_name": 0,
      "malformed": 1, "oversized": 0, "ignored": 1, "last_address": "", "last_key": ""})"_json);
  EXPECT_EQ(rows[2].at("node"), "");
  EXPECT_EQ(rows[2].at("state"), "strangers");
  EXPECT_EQ(controller_.rows("security", "n2"), Json::array({rows[1]}));
  EXPECT_EQ(no("security", "n9"), "no node n9 in this cluster");
}

TEST_F(ApiTest, ManyKeysAreTakenInGoodTime) {
  std::string request = R"({"show": "nodes")";
  for (int i = 0; i < 200000; ++i) request += ",\"" + std::to_string(i) + "\":0";
  const auto answered = Json::parse(controller_.answer(request + "}"), nullptr, false);
  EXPECT_TRUE(answered.is_object());
}

// ---- what nodes say that is odd

TEST_F(ApiTest, ReportsOfMorePortsAndLinksThanThereAre) {
  auto& status = controller_.reports[1].status;
  status.ports.resize(70000);
  status.ports[69999].dropped[0] = 1;
  status.links = {{.number = 0, .up = true}, {.number = 1, .up = true}, {.number = 0xffffffff}};
  controller_.reports[1].ports.resize(300);
  EXPECT_EQ(controller_.rows("ports").size(), 4u);
  EXPECT_EQ(controller_.rows("fabric", "n2").size(), 1u);
  const auto drops = controller_.rows("drops", "n2");
  EXPECT_LE(drops.size(), 1u);
}

// A FIB taken over from a cluster that had another node and another port.
TEST_F(ApiTest, RecordsOfNodesAndPortsThatTheDocumentLacks) {
  const fib::AdjacencyKey of_no_node{{2}, {0}}, of_no_port{{1}, {5}};
  ASSERT_TRUE(controller_.coordinator.propose(
      {.adjacencies = {{of_no_node, {0}, {}, mac(1), 1500, ip("10.0.9.2")},
                       {of_no_port, {9}, {}, mac(2), 1500, ip("10.0.9.3")}},
       .groups = {{{100}, fib::GroupKind::forward, {{of_no_node, 1}, {of_no_port, 1}}}},
       .routes = {{prefix("10.9.0.0/16"), {100}}},
       .addresses = {{{2}, {0}, {}, ip("10.0.9.1"), 24}, {{1}, {9}, {}, ip("10.0.9.1"), 24}}},
      controller_.now));
  const auto hops = controller_.rows("routes", "10.9.0.0/16").at(0).at("next_hops");
  ASSERT_EQ(hops.size(), 2u);
  EXPECT_EQ(find(hops, "address", "10.0.9.2").at("node"), "2");
  EXPECT_EQ(find(hops, "address", "10.0.9.3").at("port"), "n2-9");
  for (const auto* table : {"cluster", "nodes", "ports", "fabric", "routes", "adjacencies"}) {
    EXPECT_FALSE(controller_.rows(table).empty());
  }
}

TEST_F(ApiTest, ManyRoutesAreManyRows) {
  for (unsigned i = 0; i < 5000; ++i) {
    controller_.kernel.set(IpPrefix{Ipv4Address{0x14000000 + (i << 8)}, 24},
                           unicast({via(kPort00, "10.0.1.2")}));
  }
  controller_.coordinator.on({1}, cluster::Hello{.boot_id = 4}, controller_.now);
  controller_.publish();
  EXPECT_EQ(controller_.rows("routes").size(), 5005u);
  EXPECT_EQ(controller_.rows("cluster").at(0).at("ipv4_routes"), 5004);
}

}  // namespace
}  // namespace rackway::control::testing
