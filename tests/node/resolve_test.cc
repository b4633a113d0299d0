// SPDX-License-Identifier: Apache-2.0
#include "node/stage/resolve.hh"

#include <gtest/gtest.h>

#include <string>

#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

constexpr std::uint8_t kIcmp = 1, kIcmpv6 = 58, kOspf = 89, kVrrp = 112;

// The same question to both families.
Bytes ipv4_frame_to(SampleGroup group, std::uint8_t ttl = 64) {
  return frame(Ipv4{.destination = ipv4_to(group), .ttl = ttl});
}
Bytes ipv6_frame_to(SampleGroup group, std::uint8_t hops = 64) {
  return frame(Ipv6{.destination = ipv6_to(group), .hop_limit = hops});
}

TEST(Resolve, WhatForwardsNothing) {
  PacketHarness node;
  const std::pair<SampleGroup, DropReason> dropping[] = {
      {kBlackhole, DropReason::blackhole}, {kBroadcast, DropReason::directed_broadcast}};
  for (const auto& [group, reason] : dropping) {
    for (const std::uint8_t ttl : {0, 1, 2, 64}) {
      EXPECT_EQ(node.from_port(ipv4_frame_to(group, ttl)), dropped(reason)) << group;
      EXPECT_EQ(node.from_port(ipv6_frame_to(group, ttl)), dropped(reason)) << group;
    }
  }
  const std::pair<SampleGroup, DropReason> answered[] = {{kUnreachable, DropReason::no_route},
                                                         {kProhibit, DropReason::prohibited}};
  for (const std::uint8_t ttl : {2, 64}) {
    for (const auto& [group, reason] : answered) {
      EXPECT_EQ(node.from_port(ipv4_frame_to(group, ttl)), dropped(reason)) << group;
      EXPECT_EQ(node.from_port(ipv6_frame_to(group, ttl)), dropped(reason)) << group;
    }
    for (const auto& received : {ipv4_frame_to(kGlean, ttl), ipv6_frame_to(kGlean, ttl)}) {
      EXPECT_EQ(node.from_port(received), punted(PuntClass::exception, received));
    }
  }
  for (const auto& received :
       {frame(Ipv4{.destination = "99.0.0.1"}), frame(Ipv6{.destination = "2001:db9::1"})}) {
    EXPECT_EQ(node.from_port(received), dropped(DropReason::no_route));
  }
}

struct LocalCase {
  const char* what;
  std::uint8_t protocol;
  Bytes payload;
  PuntClass punt_class;
};

std::vector<LocalCase> local_cases() {
  return {{"BGP to us", kTcp, ports(40000, 179), PuntClass::routing},
          {"BGP from us", kTcp, ports(179, 40000), PuntClass::routing},
          {"BFD", kUdp, ports(49152, 3784), PuntClass::routing},
          {"BFD over several hops", kUdp, ports(49152, 4784), PuntClass::routing},
          {"OSPF", kOspf, counting(24), PuntClass::routing},
          {"VRRP", kVrrp, counting(8), PuntClass::routing},
          {"echo", kIcmp, {8, 0, 0, 0, 0, 1, 0, 1}, PuntClass::icmp},
          {"ICMPv6 echo", kIcmpv6, {128, 0, 0, 0, 0, 1, 0, 1}, PuntClass::icmp},
          {"SSH", kTcp, ports(40000, 22), PuntClass::other},
          {"TCP on BFD's port", kTcp, ports(40000, 3784), PuntClass::other},
          {"UDP on BGP's port", kUdp, ports(179, 179), PuntClass::other},
          {"UDP from BFD's port", kUdp, ports(3784, 40000), PuntClass::other},
          {"SNMP", kUdp, ports(40000, 161), PuntClass::other},
          {"GRE", 47, counting(24), PuntClass::other},
          {"nothing behind the header", kTcp, {}, PuntClass::other},
          {"half of the ports", kTcp, {0, 179, 0}, PuntClass::other}};
}

TEST(Resolve, PacketsToTheRouterByClass) {
  PacketHarness node;
  for (const auto& [what, protocol, payload, punt_class] : local_cases()) {
    for (const std::uint8_t ttl : {0, 1, 64, 255}) {  // spent or not: it has arrived
      const auto ipv4 = frame(
          Ipv4{.destination = "10.0.0.1", .protocol = protocol, .ttl = ttl, .payload = payload});
      EXPECT_EQ(node.from_port(ipv4), punted(punt_class, ipv4)) << what;
      const auto ipv6 = frame(Ipv6{.destination = "2001:db8::1",
                                   .next_header = protocol,
                                   .hop_limit = ttl,
                                   .payload = payload});
      EXPECT_EQ(node.from_port(ipv6), punted(punt_class, ipv6)) << what;
    }
  }
}

// Wherever it begins.
TEST(Resolve, TheUpperLayerTellsTheClass) {
  PacketHarness node;
  const Bytes routing{kTcp, 0, 0, 0, 0, 0, 0, 0};
  const auto class_of = [&](std::uint8_t next, std::initializer_list<Bytes> parts) {
    Bytes payload;
    for (const auto& part : parts) payload.insert(payload.end(), part.begin(), part.end());
    const auto received =
        frame(Ipv6{.destination = "2001:db8::1", .next_header = next, .payload = payload});
    const auto outcome = node.from_port(received);
    EXPECT_EQ(outcome, punted(outcome.punt_class, received));
    return outcome.punt_class;
  };
  const auto bgp = ports(40000, 179);
  EXPECT_EQ(class_of(43, {routing, bgp}), PuntClass::routing);
  EXPECT_EQ(class_of(60, {{43, 0, 0, 0, 0, 0, 0, 0}, routing, bgp}), PuntClass::routing);
  EXPECT_EQ(class_of(60, {{kIcmpv6, 0, 0, 0, 0, 0, 0, 0}, {128, 0, 0, 0}}), PuntClass::icmp);
  EXPECT_EQ(class_of(44, {{kTcp, 0, 0, 1, 0, 0, 0, 9}, bgp}), PuntClass::routing);  // the first
  EXPECT_EQ(class_of(44, {{kTcp, 0, 0, 9, 0, 0, 0, 9}, bgp}), PuntClass::other);    // a later one
  EXPECT_EQ(class_of(44, {{kOspf, 0, 0, 9, 0, 0, 0, 9}, bgp}), PuntClass::routing);
  EXPECT_EQ(class_of(60, {{kTcp, 0, 0, 0, 0, 0, 0, 0}}), PuntClass::other);
}

TEST(Resolve, TheRoutersAddressOnAnotherPortIsItsOwnToo) {
  PacketHarness node;
  for (const auto& received :
       {frame(Ipv4{.destination = "10.0.1.1"}), frame(Ipv6{.destination = "2001:db8:1::1"})}) {
    EXPECT_EQ(node.from_port(received), punted(PuntClass::other, received));
  }
}

// Only the first fragment has a transport header; in the others any octets may stand there.
TEST(Resolve, LaterFragmentsHaveNoPorts) {
  PacketHarness node;
  const auto class_of = [&](std::uint16_t fragment, const Bytes& payload) {
    const auto received = frame(Ipv4{
        .destination = "10.0.0.1", .protocol = kTcp, .payload = payload, .fragment = fragment});
    const auto outcome = node.from_port(received);
    EXPECT_EQ(outcome.fate, Fate::punt);
    return outcome.punt_class;
  };
  const auto like_bgp = ports(179, 179);
  EXPECT_EQ(class_of(0x0000, like_bgp), PuntClass::routing);
  EXPECT_EQ(class_of(0x2000, like_bgp), PuntClass::routing);
  EXPECT_EQ(class_of(0x2001, like_bgp), PuntClass::other);
  EXPECT_EQ(class_of(0x0001, like_bgp), PuntClass::other);
  EXPECT_EQ(class_of(0x1fff, like_bgp), PuntClass::other);
  EXPECT_EQ(class_of(0x0001, Bytes{0, 179, 0, 179}), PuntClass::other);
}

// The padding of a short frame is not part of its packet.
TEST(Resolve, PaddingHasNoPorts) {
  PacketHarness node;
  const auto ipv4 =
      padded(frame(Ipv4{.destination = "10.0.0.1", .protocol = kTcp, .payload = {}}), 60, 179);
  auto padding = ipv4;
  put16(padding, kEthernet + 20, 179);
  EXPECT_EQ(node.from_port(padding), punted(PuntClass::other, padding));
  auto ipv6 = frame(Ipv6{.destination = "2001:db8::1",
                         .next_header = kTcp,
                         .payload = ports(179, 179),
                         .payload_length = 0});
  EXPECT_EQ(node.from_port(ipv6), punted(PuntClass::other, ipv6));
}

TEST(Resolve, ASpentTtlComesBeforeAnythingElse) {
  PacketHarness node;
  for (const auto group : {kViaB, kViaC, kViaNode2, kViaNode2Small, kViaFour, kGlean, kUnreachable,
                           kProhibit, kViaPortOutOfRange}) {
    for (const std::uint8_t ttl : {0, 1}) {
      for (const auto& received : {ipv4_frame_to(group, ttl), ipv6_frame_to(group, ttl)}) {
        EXPECT_EQ(node.from_port(received), dropped(DropReason::ttl_spent)) << group;
      }
    }
  }
}

TEST(Resolve, ALocalNeighborGetsThePacketWithNothingElseChanged) {
  PacketHarness node;
  struct Case {
    SampleGroup group;
    std::size_t output;
    MacAddress destination, source;
  };
  const Case cases[] = {{kViaHost, kPort0, kHostMac, kPort0Mac},
                        {kViaB, kPort1, kNeighborB, kPort1Mac},
                        {kViaC, kPort1, kNeighborC, kPort1Mac}};
  for (const auto& [group, output, destination, source] : cases) {
    for (const auto& received : {ipv4_frame_to(group), ipv4_frame_to(group, 2),
                                 ipv6_frame_to(group), ipv6_frame_to(group, 2)}) {
      EXPECT_EQ(node.from_port(received), sent(output, forwarded(received, destination, source)))
          << group;
    }
  }
}

TEST(Resolve, ANeighborMayBeTheDestination) {
  PacketHarness node;
  for (const auto& received :
       {frame(Ipv4{.destination = "10.0.1.2"}), frame(Ipv6{.destination = "2001:db8:1::2"})}) {
    EXPECT_EQ(node.from_port(received), sent(kPort1, forwarded(received, kNeighborB, kPort1Mac)));
  }
}

Bytes ipv4_of_size(std::size_t octets, SampleGroup group) {
  return frame(Ipv4{.destination = ipv4_to(group), .payload = counting(octets - 20)});
}
Bytes ipv6_of_size(std::size_t octets, SampleGroup group) {
  return frame(Ipv6{.destination = ipv6_to(group), .payload = counting(octets - 40)});
}

// Octets of IP, with the padding and the Ethernet header not counted; a spent TTL comes first.
TEST(Resolve, TheMtuIsThatOfTheNextHop) {
  PacketHarness node;
  struct Case {
    SampleGroup group;
    std::size_t mtu;
  };
  const Case cases[] = {{kViaB, 1500},          {kViaC, kSmallMtu}, {kViaNode2, 1500},
                        {kViaNode2Small, 1280}, {kViaNode3, 1500},  {kViaJumbo, 9000}};
  for (const auto& [group, mtu] : cases) {
    for (const auto& fits : {ipv4_of_size(mtu, group), ipv6_of_size(mtu, group)}) {
      EXPECT_EQ(node.from_port(fits).fate, Fate::transmit) << group;
      EXPECT_EQ(node.from_port(padded(fits, fits.size() + 4)).fate, Fate::transmit) << group;
    }
    EXPECT_EQ(node.from_port(ipv4_of_size(mtu + 1, group)), dropped(DropReason::fragmented));
    EXPECT_EQ(node.from_port(ipv6_of_size(mtu + 1, group)), dropped(DropReason::too_big));
  }
}

TEST(Resolve, OnlyWhatMayBeCutIs) {
  PacketHarness node;
  const auto fate_with = [&](std::uint16_t flags) {
    return node.from_port(frame(Ipv4{
        .destination = ipv4_to(kViaC), .payload = counting(kSmallMtu - 19), .fragment = flags}));
  };
  EXPECT_EQ(fate_with(0x0000), dropped(DropReason::fragmented));
  EXPECT_EQ(fate_with(0x2001), dropped(DropReason::fragmented));
  EXPECT_EQ(fate_with(0x4000), dropped(DropReason::too_big));
}

TEST(Resolve, AnAdjacencyWithoutAPortIsUnknown) {
  PacketHarness node;
  EXPECT_EQ(node.from_port(ipv4_frame_to(kViaPortOutOfRange)),
            dropped(DropReason::adjacency_unknown));
  EXPECT_EQ(node.from_port(ipv6_frame_to(kViaPortOutOfRange)),
            dropped(DropReason::adjacency_unknown));
}

// The tag in the place of the MACs, TTL and checksum, nothing else.
Bytes tagged(Bytes received, const Bytes& tag) {
  received = forwarded(std::move(received), MacAddress{}, MacAddress{});
  std::copy(tag.begin(), tag.end(), received.begin());
  return received;
}

TEST(Resolve, IntoTheFabricStraight) {
  PacketHarness node;
  // Target and egress 3, two hops; epoch mark 0x2b, ingress 1, adjacency 0x012345.
  const auto tag3 = hex("d2 00 30 03 20 00  ae 00 10 01 23 45");
  // Target and egress 2, adjacency 0.
  const auto tag2 = hex("d2 00 20 02 20 00  ae 00 10 00 00 00");
  for (const auto& received : {ipv4_frame_to(kViaNode3), ipv6_frame_to(kViaNode3)}) {
    EXPECT_EQ(node.from_port(received), sent(kToNode3, tagged(received, tag3)));
  }
  for (const auto& received : {ipv4_frame_to(kViaNode2), ipv6_frame_to(kViaNode2)}) {
    EXPECT_EQ(node.from_port(received), sent(kToNode2, tagged(received, tag2)));
  }
  const auto counters = node.places.outputs[kToNode3]->counters.read();
  EXPECT_EQ(counters.transmitted, 2u);
  EXPECT_EQ(counters.direct, 2u);
  EXPECT_EQ(counters.via_relay + counters.relayed + counters.injected, 0u);
}

TEST(Resolve, IntoTheFabricOverARelay) {
  // Nodes that nothing enters or leaves at relay nothing: here the two ends.
  PacketHarness node({.mode = topo::SteeringMode::valiant, .node_rates = {1, 0, 1, 0}});
  const auto by0 = hex("d2 00 00 03 20 00  ae 00 10 01 23 45");
  const auto by2 = hex("d2 00 20 03 20 00  ae 00 10 01 23 45");
  int over[kOutputs]{};
  for (std::uint16_t port = 0; port < 100; ++port) {
    const auto received =
        frame(Ipv4{.destination = ipv4_to(kViaNode3), .payload = ports(port, 2000)});
    const auto outcome = node.from_port(received);
    ++over[outcome.output];
    EXPECT_EQ(outcome, outcome.output == kToNode0 ? sent(kToNode0, tagged(received, by0))
                                                  : sent(kToNode2, tagged(received, by2)));
  }
  EXPECT_GT(over[kToNode0], 0);
  EXPECT_GT(over[kToNode2], 0);
  for (const auto output : {kToNode0, kToNode2}) {
    const auto counters = node.places.outputs[output]->counters.read();
    EXPECT_EQ(counters.via_relay, static_cast<std::uint64_t>(over[output]));
    EXPECT_EQ(counters.direct + counters.relayed, 0u);
  }
}

TEST(Resolve, WithoutALiveMemberThePacketIsDroppedAndItsSenderTold) {
  PacketHarness node({.live_links = {false, false, false}});
  for (const auto& received : {ipv4_frame_to(kViaNode3), ipv6_frame_to(kViaNode3)}) {
    EXPECT_EQ(node.from_port(received), dropped(DropReason::egress_down));
    ASSERT_EQ(node.generated.size(), 1u);
    const bool is_ipv4 = received[12] == 0x08 && received[13] == 0x00;
    const auto& error = node.generated[0].bytes;
    EXPECT_EQ(error[is_ipv4 ? 34 : 54], is_ipv4 ? 3 : 1);  // unreachable
    EXPECT_EQ(error[is_ipv4 ? 35 : 55], is_ipv4 ? 1 : 3);  // host; address
    const std::size_t quoted = is_ipv4 ? 42 : 62, ttl = is_ipv4 ? 8 : 7;
    EXPECT_EQ(error[quoted + ttl], received[14 + ttl]);  // as it came
  }
  // What needs no fabric goes on.
  EXPECT_EQ(node.from_port(ipv4_frame_to(kViaB)).fate, Fate::transmit);
}

// Two of four members are behind nodes that are gone: their flows are spread over the other two,
// whose own flows stay.
TEST(Resolve, FlowsOfDeadMembersGoToTheLiveOnes) {
  PacketHarness all, cut_off({.live_links = {false, false, false}});
  std::array<int, kOutputs> moved{};
  for (std::uint16_t port = 0; port < 1000; ++port) {
    const auto received =
        frame(Ipv4{.destination = ipv4_to(kViaFour), .payload = ports(port, 2000)});
    const auto before = all.from_port(received), after = cut_off.from_port(received);
    ASSERT_EQ(after.fate, Fate::transmit);
    ASSERT_LT(after.output, kPorts);
    if (before.output < kPorts) {
      ASSERT_EQ(after, before);
    } else {
      ++moved[after.output];
      ASSERT_EQ(cut_off.from_port(received), after);  // a flow has one way
    }
  }
  EXPECT_GT(moved[kPort0], 200);
  EXPECT_GT(moved[kPort1], 200);
}

TEST(Resolve, TtlIsLookedAtThoughNoMemberIsAlive) {
  PacketHarness node({.live_links = {false, false, false}});
  EXPECT_EQ(node.from_port(frame(Ipv4{.destination = ipv4_to(kViaNode3), .ttl = 1})),
            dropped(DropReason::ttl_spent));
}

TEST(Resolve, ADeadDirectLinkIsGoneAround) {
  PacketHarness node({.live_links = {true, false, false}});
  const auto received = ipv4_frame_to(kViaNode3);
  EXPECT_EQ(node.from_port(received),
            sent(kToNode0, tagged(received, hex("d2 00 00 03 20 00  ae 00 10 01 23 45"))));
}

}  // namespace
}  // namespace rackway::node::testing
