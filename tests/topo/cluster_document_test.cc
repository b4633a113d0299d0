// SPDX-License-Identifier: Apache-2.0
#include "topo/cluster_document.hh"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "base/startup_error.hh"
#include "tests/fib/scratch_folder.hh"
#include "tests/topo/good_document.hh"

namespace rackway::topo {
namespace {

IpAddress address(const char* text) {
  return *IpAddress::parse(text);
}
IpPrefix prefix(const char* text) {
  return *IpPrefix::parse(text);
}

TEST(ClusterDocument, ReadsTheController) {
  const auto document = parse_cluster_document(kGood, "lab.json");
  EXPECT_EQ(document.name, "lab.one");
  EXPECT_EQ(document.controller.control, "tcp://10.0.0.1:7700");
  EXPECT_EQ(document.controller.packets, "tcp://[2001:db8::1]:7701");
  EXPECT_EQ(document.controller.api, "ipc:///run/lab/api.sock");
  EXPECT_EQ(document.controller.network_namespace, "lab_ns");
  EXPECT_EQ(document.controller.settle_ms, 1000u);
  EXPECT_EQ(document.controller.settle_max_ms, 2000u);
  EXPECT_EQ(document.controller.netlink_buffer, 8192u);
  EXPECT_EQ(document.controller.audit_s, 0u);
}

TEST(ClusterDocument, ReadsDistancesAndKeepsTheUsualOnes) {
  const auto distances = parse_cluster_document(
                             R"({"name": "lab", "nodes": [{"name": "n1"}],
              "controller": {"distances": {"bgp": 254, "imported": 1}}})",
                             "lab.json")
                             .controller.distances;
  EXPECT_EQ(distances.bgp, 254);
  EXPECT_EQ(distances.imported, 1);
  EXPECT_EQ(distances.kernel, 1);
  EXPECT_EQ(distances.document, 1);
  EXPECT_EQ(distances.added, 1);
  EXPECT_EQ(distances.ospf, 110);
  EXPECT_EQ(distances.isis, 115);
  EXPECT_EQ(distances.rip, 120);
  EXPECT_EQ(distances.other, 150);
}

std::optional<FpmConfig> fpm_of(const std::string& controller) {
  return parse_cluster_document(
             R"({"name": "lab", "nodes": [{"name": "n1"}], "controller": {)" + controller + "}}",
             "lab.json")
      .controller.fpm;
}

TEST(ClusterDocument, FpmIsOffUnlessItIsGiven) {
  EXPECT_FALSE(fpm_of(""));
  const auto usual = fpm_of(R"("fpm": {})");
  ASSERT_TRUE(usual);
  EXPECT_EQ(usual->address, IpAddress::parse("127.0.0.1"));
  EXPECT_EQ(usual->port, 2620);
  const auto given = fpm_of(R"("fpm": {"address": "::1", "port": 65535})");
  ASSERT_TRUE(given);
  EXPECT_EQ(given->address, IpAddress::parse("::1"));
  EXPECT_EQ(given->port, 65535);
}

TEST(ClusterDocument, ReadsNodesAndPortsInTheirOrder) {
  const auto document = parse_cluster_document(kGood, "lab.json");
  ASSERT_EQ(document.nodes.size(), 3u);
  EXPECT_EQ(document.nodes[0].name, "n1");
  EXPECT_EQ(document.nodes[1].name, "n2");
  EXPECT_EQ(document.nodes[2].name, "n-3");
  ASSERT_EQ(document.nodes[0].ports.size(), 2u);
  ASSERT_EQ(document.nodes[1].ports.size(), 1u);
  EXPECT_TRUE(document.nodes[2].ports.empty());
  EXPECT_EQ(document.nodes[0].ports[0].name, "p0");
  EXPECT_EQ(document.nodes[0].ports[0].device, "net_af_packet0,iface=ext0");
  EXPECT_EQ(document.nodes[0].ports[0].mtu, 9000);
  EXPECT_EQ(document.nodes[0].ports[1].name, "p.1");
  EXPECT_EQ(document.nodes[0].ports[1].device, "0000:01:00.0");
  EXPECT_EQ(document.nodes[0].ports[1].mtu, 1500);
  EXPECT_EQ(document.nodes[1].ports[0].name, "p0");
}

TEST(ClusterDocument, ReadsLinksWithTheirEndsAsWritten) {
  const auto document = parse_cluster_document(kGood, "lab.json");
  ASSERT_EQ(document.links.size(), 2u);
  EXPECT_EQ(document.links[0].a, NodeId{1});
  EXPECT_EQ(document.links[0].b, NodeId{0});
  EXPECT_EQ(document.links[1].a, NodeId{1});
  EXPECT_EQ(document.links[1].b, NodeId{2});
  EXPECT_EQ(document.links[1].device_a, "net_memif1,id=1");
  EXPECT_EQ(document.links[1].device_b, "net_memif0,id=1");
  EXPECT_EQ(document.vlb.mode, SteeringMode::direct_vlb);
  EXPECT_EQ(document.vlb.least_flowlet_gap_us, 200u);
  EXPECT_EQ(document.vlb.most_flowlet_gap_us, 40'000u);
  EXPECT_EQ(document.hello, (HelloConfig{50, 5}));
}

TEST(ClusterDocument, ReadsRoutesOfEveryType) {
  const auto document = parse_cluster_document(kGood, "lab.json");
  using Type = StaticRoute::Type;
  ASSERT_EQ(document.routes.size(), 5u);
  EXPECT_EQ(document.routes[0].prefix, prefix("203.0.113.0/24"));
  EXPECT_EQ(document.routes[0].type, Type::unicast);
  EXPECT_EQ(document.routes[0].via, (std::vector{address("10.0.1.2"), address("10.0.1.3")}));
  EXPECT_EQ(document.routes[1].prefix, prefix("198.51.100.0/24"));
  EXPECT_EQ(document.routes[1].type, Type::blackhole);
  EXPECT_TRUE(document.routes[1].via.empty());
  EXPECT_EQ(document.routes[2].type, Type::unicast);
  EXPECT_EQ(document.routes[2].via, (std::vector{address("2001:db8:1::2")}));
  EXPECT_EQ(document.routes[3].prefix, prefix("0.0.0.0/0"));
  EXPECT_EQ(document.routes[3].type, Type::unreachable);
  EXPECT_EQ(document.routes[4].prefix, prefix("::/0"));
  EXPECT_EQ(document.routes[4].type, Type::prohibit);
}

TEST(ClusterDocument, FindsNodesByName) {
  const auto document = parse_cluster_document(kGood, "lab.json");
  EXPECT_EQ(document.find_node("n1"), NodeId{0});
  EXPECT_EQ(document.find_node("n-3"), NodeId{2});
  EXPECT_EQ(document.find_node("n"), std::nullopt);
  EXPECT_EQ(document.find_node(""), std::nullopt);
}

TEST(ClusterDocument, WhatIsLeftOutHasTheDefaults) {
  const auto document = parse_cluster_document(kSmallest, "lab.json");
  EXPECT_EQ(document.controller.control, "tcp://127.0.0.1:7600");
  EXPECT_EQ(document.controller.packets, "tcp://127.0.0.1:7601");
  EXPECT_EQ(document.controller.api, "ipc:///run/rackway/api.sock");
  EXPECT_EQ(document.controller.network_namespace, "rackway");
  EXPECT_EQ(document.controller.settle_ms, 20000u);
  EXPECT_EQ(document.controller.settle_max_ms, 180000u);
  EXPECT_EQ(document.controller.netlink_buffer, 67108864u);
  EXPECT_EQ(document.controller.audit_s, 60u);
  EXPECT_EQ(document.vlb.mode, SteeringMode::adaptive);
  EXPECT_EQ(document.vlb.least_flowlet_gap_us, 500u);
  EXPECT_EQ(document.vlb.most_flowlet_gap_us, 50'000u);
  EXPECT_EQ(document.nodes[0].rate, 0u);
  EXPECT_EQ(document.hello, (HelloConfig{10, 3}));
  EXPECT_TRUE(document.nodes[0].ports.empty());
  EXPECT_TRUE(document.links.empty());
  EXPECT_TRUE(document.routes.empty());
}

TEST(ClusterDocument, EmptyPartsAreLikeMissingOnes) {
  const auto document = parse_cluster_document(
      R"({"name": "x", "nodes": [{"name": "a", "ports": []}], "controller": {}, "vlb": {},
          "fabric": {"links": []}, "routes": []})",
      "lab.json");
  EXPECT_EQ(document.controller.settle_ms, 20000u);
  EXPECT_EQ(document.vlb.mode, SteeringMode::adaptive);
  EXPECT_TRUE(
      parse_cluster_document(with(kSmallest, "]}", R"(], "fabric": {}})"), "").links.empty());
}

TEST(ClusterDocument, AFabricHasAQueueOrAsManyAsItSays) {
  EXPECT_EQ(parse_cluster_document(kGood, "lab.json").fabric_queues, 1u);
  for (const char* queues : {"1", "64"}) {
    const auto text =
        with(kGood, R"({"links")", R"({"queues": )" + std::string(queues) + R"(, "links")");
    EXPECT_EQ(std::to_string(parse_cluster_document(text, "lab.json").fabric_queues), queues);
  }
}

TEST(ClusterDocument, TakesNumbersAtTheirBounds) {
  for (const char* mtu : {"1280", "9216"}) {
    const auto document = parse_cluster_document(with(kGood, "9000", mtu), "lab.json");
    EXPECT_EQ(std::to_string(document.nodes[0].ports[0].mtu), mtu);
  }
  for (const char* gap : {"200", "10000000"}) {
    const auto document = parse_cluster_document(with(kGood, "40000", gap), "lab.json");
    EXPECT_EQ(std::to_string(document.vlb.most_flowlet_gap_us), gap);
  }
  EXPECT_EQ(fault_of(with(with(kGood, "1000", "0"), "2000", "0")), "");
  const std::string hello = R"("interval_ms": 50, "multiplier": 5)";
  for (const HelloConfig bound : {HelloConfig{1, 2}, HelloConfig{10'000, 50}}) {
    const auto text = R"("interval_ms": )" + std::to_string(bound.interval_ms) +
                      R"(, "multiplier": )" + std::to_string(bound.multiplier);
    EXPECT_EQ(parse_cluster_document(with(kGood, hello, text), "lab.json").hello, bound);
  }
  EXPECT_EQ(fault_of(with(with(kGood, "1000", "3600000"), "2000", "3600000")), "");
}

TEST(ClusterDocument, KnowsEveryModeOfSteering) {
  for (const auto mode : kSteeringModes) {
    const auto document =
        parse_cluster_document(with(kGood, "direct-vlb", std::string(mode)), "lab.json");
    EXPECT_EQ(name_of(document.vlb.mode), mode);
  }
}

TEST(ClusterDocument, ANodesRateIsItsOwnOrThatOfItsPorts) {
  const auto rated = with(with(kGood, "0000:01:00.0\"", "0000:01:00.0\", \"rate\": \"40G\""),
                          "\"mtu\": 9000", "\"rate\": \"2.5G\"");
  const auto one_unknown = parse_cluster_document(rated, "lab.json");
  EXPECT_EQ(one_unknown.external_rate(NodeId{0}), 42'500u);
  EXPECT_EQ(one_unknown.external_rate(NodeId{1}), 0u);
  EXPECT_EQ(one_unknown.external_rates(), (std::vector<std::uint32_t>{2, 1, 0}));  // ports
  const auto all_known = parse_cluster_document(
      with(rated, "{\"name\": \"n2\",", "{\"name\": \"n2\", \"rate\": \"100G\","), "lab.json");
  EXPECT_EQ(all_known.external_rates(), (std::vector<std::uint32_t>{42'500, 100'000, 0}));
  EXPECT_EQ(all_known.nodes[1].rate, 100'000u);
  EXPECT_EQ(all_known.links[0].rate, 0u);
  const auto link =
      parse_cluster_document(with(kGood, "\"between\": [\"n2\", \"n-3\"]",
                                  "\"rate\": \"400G\", \"between\": [\"n2\", \"n-3\"]"),
                             "lab.json");
  EXPECT_EQ(link.links[1].rate, 400'000u);
}

TEST(ClusterDocument, TakesTheMostNodesPortsAndNextHops) {
  std::string nodes, links, ports, via;
  for (int i = 0; i < 4096; ++i) {
    nodes += (i > 0 ? "," : "") + std::string(R"({"name": "n)") + std::to_string(i) + "\"}";
    if (i == 0) continue;
    const auto self = std::to_string(i);
    links += (i > 1 ? "," : "") + std::string(R"({"between": ["n0", "n)") + self +
             R"("], "devices": ["to)" + self + R"(", "up"]})";
  }
  for (int i = 0; i < 256; ++i) {
    const auto number = std::to_string(i);
    ports += (i > 0 ? "," : "") + std::string(R"({"name": "p)") + number + R"(", "device": "d)" +
             number + "\"}";
  }
  for (int i = 0; i < 64; ++i) via += (i > 0 ? "," : "") + ("\"10.0.0." + std::to_string(i) + "\"");
  const auto text = R"({"name": "x", "nodes": [)" + nodes + R"(], "fabric": {"links": [)" + links +
                    R"(]}, "routes": [{"prefix": "0.0.0.0/0", "via": [)" + via + "]}]}";
  const auto document = parse_cluster_document(
      with(text, R"("n0"})", R"("n0", "ports": [)" + ports + "]}"), "lab.json");
  EXPECT_EQ(document.nodes.size(), 4096u);
  EXPECT_EQ(document.links.size(), 4095u);
  EXPECT_EQ(document.nodes[0].ports.size(), 256u);
  EXPECT_EQ(document.routes[0].via.size(), 64u);
  EXPECT_EQ(document.find_node("n4095"), NodeId{4095});
}

class ClusterDocumentFile : public testing::Test {
 protected:
  [[nodiscard]] std::string path(const std::string& name) const { return folder_.file(name); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  static std::string fault_of_file(const std::string& file) {
    try {
      (void)read_cluster_document(file);
    } catch (const StartupError& fault) {
      return fault.what();
    }
    return "";
  }

  fib::testing::ScratchFolder folder_;
};

TEST_F(ClusterDocumentFile, IsReadLikeItsText) {
  write("good.json", kGood);
  EXPECT_EQ(read_cluster_document(path("good.json")).nodes.size(), 3u);
}

TEST_F(ClusterDocumentFile, IsNamedInFaults) {
  write("bad.json", with(kGood, "9000", "1"));
  EXPECT_EQ(fault_of_file(path("bad.json")),
            "1 is out of bounds (" + path("bad.json") +
                " at /nodes/0/ports/0/mtu); give a whole number, 1280 to 9216");
}

TEST_F(ClusterDocumentFile, ThatCanNotBeReadIsAFault) {
  const std::string advice = "; give the path of a readable JSON file";
  EXPECT_EQ(fault_of_file(path("none.json")),
            "can not read the cluster document: No such file or directory (" + path("none.json") +
                ")" + advice);
  EXPECT_EQ(fault_of_file(folder_.path()), "can not read the cluster document: Is a directory (" +
                                               folder_.path().string() + ")" + advice);
  // Opens, but there is nothing to read at its address 0.
  EXPECT_EQ(fault_of_file("/proc/self/mem"),
            "can not read the cluster document: Input/output error (/proc/self/mem)" + advice);
  write("file", "");
  EXPECT_NE(fault_of_file(path("file/below")).find("Not a directory"), std::string::npos);
}

TEST_F(ClusterDocumentFile, IsBoundedInSize) {
  constexpr std::size_t kMost = 16u << 20;
  write("most.json", kGood + std::string(kMost - kGood.size(), ' '));
  EXPECT_EQ(fault_of_file(path("most.json")), "");
  write("more.json", kGood + std::string(kMost + 1 - kGood.size(), ' '));
  EXPECT_EQ(fault_of_file(path("more.json")),
            "the cluster document is over 16 MiB (" + path("more.json") + "); give a smaller one");
  EXPECT_NE(fault_of_file("/dev/zero").find("over 16 MiB"), std::string::npos);
}

TEST(ClusterDocument, UrpfIsOffUnlessAskedFor) {
  EXPECT_EQ(parse_cluster_document(kGood, "lab.json").nodes[0].ports[0].urpf, Urpf::off);
  const std::pair<const char*, Urpf> modes[] = {
      {"off", Urpf::off}, {"loose", Urpf::loose}, {"strict", Urpf::strict}};
  for (const auto& [text, mode] : modes) {
    const auto document = parse_cluster_document(
        with(kGood, "9000", R"(9000, "urpf": ")" + std::string(text) + "\""), "lab.json");
    EXPECT_EQ(document.nodes[0].ports[0].urpf, mode);
    EXPECT_EQ(document.nodes[0].ports[1].urpf, Urpf::off);
  }
}

TEST(ClusterDocument, LargestMtuIsThatOfAnyPort) {
  EXPECT_EQ(parse_cluster_document(kGood, "lab.json").largest_mtu(), 9000);
  EXPECT_EQ(parse_cluster_document(with(kGood, "9000", "1280"), "lab.json").largest_mtu(), 1500);
  const auto relay = R"({"name": "lab", "nodes": [{"name": "n1"}]})";
  EXPECT_EQ(parse_cluster_document(relay, "lab.json").largest_mtu(), 1500);
}

}  // namespace
}  // namespace rackway::topo
