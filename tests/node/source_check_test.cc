// SPDX-License-Identifier: Apache-2.0
// Where a packet's source may be, by the mode of the port that it came in by.
#include "node/stage/source_check.hh"

#include <gtest/gtest.h>

#include <string>

#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

class SourceCheckTest : public ::testing::Test {
 protected:
  void mode(topo::Urpf urpf) { node_.places.outputs[kPort0]->urpf = urpf; }
  // By port 0, in a VLAN of it or in none, to port 1.
  Outcome from(const std::string& source, std::uint16_t vlan = 0) {
    const bool v4 = source.find(':') == std::string::npos;
    const auto bytes = v4 ? frame(Ipv4{.source = source}) : frame(Ipv6{.source = source});
    return node_.from_port(vlan == 0 ? bytes : tagged(bytes, vlan));
  }
  void expect_passes(const std::string& source, std::uint16_t vlan = 0) {
    EXPECT_EQ(from(source, vlan).fate, Fate::transmit) << source << " in " << vlan;
  }
  void expect_dropped(const std::string& source, std::uint16_t vlan = 0) {
    EXPECT_EQ(from(source, vlan), dropped(DropReason::urpf)) << source << " in " << vlan;
  }
  static std::vector<std::string> sources_via(std::initializer_list<SampleGroup> groups) {
    std::vector<std::string> sources;
    for (const auto group : groups) {
      sources.push_back(ipv4_to(group));
      sources.push_back(ipv6_to(group));
    }
    return sources;
  }

  PacketHarness node_;
};

TEST_F(SourceCheckTest, OffAsksNothing) {
  for (const auto& source : sources_via({kLocal, kGlean, kBlackhole, kUnreachable, kProhibit,
                                         kBroadcast, kViaHost, kViaB, kViaNode2})) {
    expect_passes(source);
  }
  expect_passes("192.0.2.7");
  expect_passes("2001:db8:77::7");
}

TEST_F(SourceCheckTest, LooseWantsARouteThatForwards) {
  mode(topo::Urpf::loose);
  for (const auto& source : sources_via(
           {kLocal, kGlean, kViaHost, kViaB, kViaNode2, kViaNode3, kViaFour, kViaVlan200})) {
    expect_passes(source);
  }
  for (const auto& source : sources_via({kBlackhole, kUnreachable, kProhibit, kBroadcast})) {
    expect_dropped(source);
  }
  expect_dropped("198.51.100.7");
  expect_dropped("2001:db9::7");
}

TEST_F(SourceCheckTest, StrictWantsTheRouteBack) {
  mode(topo::Urpf::strict);
  for (const auto& source : sources_via({kViaHost, kViaFour})) expect_passes(source);
  for (const auto& source :
       sources_via({kLocal, kGlean, kBlackhole, kUnreachable, kProhibit, kBroadcast, kViaB, kViaC,
                    kViaNode2, kViaNode3, kViaPortOutOfRange, kViaVlan100, kViaVlan200})) {
    expect_dropped(source);
  }
  expect_dropped("198.51.100.7");
  expect_dropped("2001:db9::7");
}

// A neighbour has a route of its own as soon as it is known; others of its subnet have none.
TEST_F(SourceCheckTest, StrictTakesTheSubnetsOfTheInterface) {
  mode(topo::Urpf::strict);
  for (const auto* source : {"10.0.0.2", "10.0.0.77", "2001:db8::2", "2001:db8::77"}) {
    expect_passes(source);
    expect_dropped(source, 100);
  }
  for (const auto* source : {"10.0.1.2", "10.0.1.77", "2001:db8:1::2", "2001:db8:1::77"}) {
    expect_dropped(source);
    expect_dropped(source, 100);
  }
}

TEST_F(SourceCheckTest, StrictKnowsTheVlan) {
  mode(topo::Urpf::strict);
  for (const auto& source : sources_via({kViaVlan100})) expect_passes(source, 100);
  for (const auto* source : {"10.100.0.2", "10.100.0.77", "2001:db8:100::2", "2001:db8:100::77"}) {
    expect_passes(source, 100);
    expect_dropped(source);
  }
}

TEST_F(SourceCheckTest, LinkLocalSourcesPass) {
  mode(topo::Urpf::strict);
  const auto bytes = frame(Ipv6{.source = "fe80::7", .destination = "fe80::1", .next_header = 89});
  EXPECT_EQ(node_.from_port(bytes), punted(PuntClass::routing, bytes));
}

TEST_F(SourceCheckTest, WhatIsForTheRouterIsAskedToo) {
  mode(topo::Urpf::strict);
  const Ipv4 packet{.source = "198.51.100.7", .destination = "10.0.0.1", .protocol = kTcp};
  EXPECT_EQ(node_.from_port(frame(packet)), dropped(DropReason::urpf));
}

TEST_F(SourceCheckTest, MartiansStayMartians) {
  mode(topo::Urpf::loose);
  EXPECT_EQ(from("127.0.0.1"), dropped(DropReason::martian_source));
  EXPECT_EQ(from("::1"), dropped(DropReason::martian_source));
}

TEST_F(SourceCheckTest, OtherPortsAreAskedNothing) {
  mode(topo::Urpf::strict);
  const auto bytes = frame(Ipv4{.destination = ipv4_to(kViaHost)}, {.destination = kPort1Mac});
  EXPECT_EQ(node_.run(Entrance::port1, bytes).fate, Fate::transmit);
}

TEST_F(SourceCheckTest, OneBurstOfBothFamilies) {
  mode(topo::Urpf::strict);
  std::vector<rte_mbuf*> burst;
  for (std::size_t i = 0; i < kBurst; ++i) {
    const auto group = i % 4 < 2 ? kViaHost : kViaB;
    burst.push_back(new_frame(i % 2 == 0 ? frame(Ipv4{.source = ipv4_to(group)})
                                         : frame(Ipv6{.source = ipv6_to(group)})));
  }
  const auto outcomes = node_.run(Entrance::port0, burst);
  for (std::size_t i = 0; i < kBurst; ++i) {
    EXPECT_EQ(outcomes[i].fate, i % 4 < 2 ? Fate::transmit : Fate::drop) << i;
  }
}

}  // namespace
}  // namespace rackway::node::testing
