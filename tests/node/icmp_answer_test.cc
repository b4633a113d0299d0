// SPDX-License-Identifier: Apache-2.0
// The ICMP errors of a node as they leave it: who is told what, from which address, by which way.
#include "node/stage/icmp_answer.hh"

#include <gtest/gtest.h>

#include <string>

#include "tests/node/packet_harness.hh"
#include "tests/node/sound_output.hh"

namespace rackway::node::testing {
namespace {

constexpr std::uint8_t kIcmpv4 = 1, kIcmpv6 = 58;
const MacAddress kGroupMac = mac("33:33:00:00:00:05");

struct Answer {
  std::size_t output{};
  Bytes macs;  // or tag
  IcmpMessage message;
};

// Of the only frame that the node made of its own because of this one; none if it made none.
std::optional<Answer> answer_to(PacketHarness& node, const Bytes& received,
                                Entrance entrance = Entrance::port0, const Reception& how = {}) {
  const auto outcome = node.run(entrance, received, how);
  if (node.generated.empty()) return std::nullopt;
  if (const char* fault = fault_in_generated(received, outcome, node.generated)) broken(fault);
  const auto& [fate, reason, punt_class, output, bytes] = node.generated.front();
  const auto packet = std::span(bytes).subspan(kEthernet);
  return Answer{output,
                {bytes.begin(), bytes.begin() + kMacs},
                get16(bytes, kMacs) == kIpv4Type ? read_icmpv4(packet) : read_icmpv6(packet)};
}

Bytes macs(const MacAddress& destination, const MacAddress& source) {
  return join({destination.bytes, source.bytes});
}

void expect_said(const std::optional<Answer>& answer, int type, int code, std::uint32_t word,
                 std::string_view source, std::string_view destination) {
  ASSERT_TRUE(answer);
  EXPECT_EQ(int{answer->message.type}, type);
  EXPECT_EQ(int{answer->message.code}, code);
  EXPECT_EQ(answer->message.word, word);
  EXPECT_EQ(answer->message.source, ip(source));
  EXPECT_EQ(answer->message.destination, ip(destination));
  EXPECT_EQ(int{answer->message.ttl}, 64);
}

Bytes big4(SampleGroup to, std::uint16_t flags, std::size_t size = 1500) {
  return frame(Ipv4{.destination = ipv4_to(to), .payload = counting(size - 20), .fragment = flags});
}
Bytes big6(SampleGroup to, std::size_t size = 1500) {
  return frame(Ipv6{.destination = ipv6_to(to), .payload = counting(size - 40)});
}

struct Case {
  const char* what;
  Bytes received;
  DropReason reason;
  int type, code;
  std::uint32_t word;
};

std::vector<Case> ipv4_cases() {
  const auto to = [](SampleGroup group, std::uint8_t ttl = 64) {
    return frame(Ipv4{.destination = ipv4_to(group), .ttl = ttl});
  };
  return {{"TTL 1", to(kViaB, 1), DropReason::ttl_spent, 11, 0, 0},
          {"TTL 0", to(kViaB, 0), DropReason::ttl_spent, 11, 0, 0},
          {"TTL 1 to another node", to(kViaNode3, 1), DropReason::ttl_spent, 11, 0, 0},
          {"TTL 1 to somebody unresolved", to(kGlean, 1), DropReason::ttl_spent, 11, 0, 0},
          {"no route", frame(Ipv4{.destination = "99.0.0.1"}), DropReason::no_route, 3, 0, 0},
          {"route that says unreachable", to(kUnreachable), DropReason::no_route, 3, 1, 0},
          {"prohibited", to(kProhibit), DropReason::prohibited, 3, 13, 0},
          {"too big", big4(kViaC, 0x4000), DropReason::too_big, 3, 4, 1280},
          {"too big by one", big4(kViaC, 0x4000, 1281), DropReason::too_big, 3, 4, 1280},
          {"too big elsewhere", big4(kViaNode2Small, 0x4000), DropReason::too_big, 3, 4, 1280}};
}

std::vector<Case> ipv6_cases() {
  const auto to = [](SampleGroup group, std::uint8_t hops = 64) {
    return frame(Ipv6{.destination = ipv6_to(group), .hop_limit = hops});
  };
  return {{"hop limit 1", to(kViaB, 1), DropReason::ttl_spent, 3, 0, 0},
          {"hop limit 0", to(kViaB, 0), DropReason::ttl_spent, 3, 0, 0},
          {"hop limit 1 to another node", to(kViaNode3, 1), DropReason::ttl_spent, 3, 0, 0},
          {"hop limit 1 to somebody unresolved", to(kGlean, 1), DropReason::ttl_spent, 3, 0, 0},
          {"no route", frame(Ipv6{.destination = "2001:db9::1"}), DropReason::no_route, 1, 0, 0},
          {"route that says unreachable", to(kUnreachable), DropReason::no_route, 1, 0, 0},
          {"prohibited", to(kProhibit), DropReason::prohibited, 1, 1, 0},
          {"too big", big6(kViaC), DropReason::too_big, 2, 0, 1280},
          {"too big by one", big6(kViaC, 1281), DropReason::too_big, 2, 0, 1280},
          {"too big elsewhere", big6(kViaNode2Small), DropReason::too_big, 2, 0, 1280}};
}

void expect_answer(PacketHarness& node, const Case& c, std::string_view source,
                   std::string_view destination) {
  SCOPED_TRACE(c.what);
  const auto answer = answer_to(node, c.received);
  expect_said(answer, c.type, c.code, c.word, source, destination);
  if (!answer) return;
  EXPECT_EQ(answer->output, kPort0);
  EXPECT_EQ(answer->macs, macs(kHostMac, kPort0Mac));
  const std::size_t most = ip(source).is_v4() ? 548 : 1232;
  auto quoted = packet_in(c.received);
  quoted.resize(std::min(quoted.size(), most));
  EXPECT_EQ(to_hex(answer->message.quote), to_hex(quoted));
}

TEST(IcmpAnswer, EachError) {
  for (const bool present : {true, false}) {  // the controller has no part in it
    PacketHarness node({.controller_present = present});
    for (const auto& c : ipv4_cases()) expect_answer(node, c, "10.0.0.1", "192.0.2.7");
    for (const auto& c : ipv6_cases()) expect_answer(node, c, "2001:db8::1", "2001:db8:77::7");
  }
}

TEST(IcmpAnswer, WhatIsAnsweredIsCountedAsDroppedWhereItCameIn) {
  PacketHarness node;
  std::uint64_t sent = 0;
  for (const auto& cases : {ipv4_cases(), ipv6_cases()}) {
    for (const auto& c : cases) {
      EXPECT_EQ(node.from_port(c.received), dropped(c.reason)) << c.what;
      const auto counters = node.place_of(Entrance::port0).counters.read();
      EXPECT_EQ(counters.icmp_sent, ++sent);
      EXPECT_EQ(counters.icmp_withheld, 0u);
      EXPECT_EQ(node.generated_counters().received, sent);
      EXPECT_EQ(node.generated_counters().sent, sent);
    }
  }
}

// Frames as drivers may bring them in: padded, and in two segments.
TEST(IcmpAnswer, TheSameHoweverTheFrameLies) {
  PacketHarness node;
  for (const auto& received : {big4(kViaC, 0x4000), big6(kViaC)}) {
    const auto whole = answer_to(node, received);
    for (const std::size_t split : {54, 60, 700, 1514}) {
      for (const auto& bytes : {received, padded(received, received.size() + 6, 0xee)}) {
        const auto parted = answer_to(node, bytes, Entrance::port0, {.split = split});
        ASSERT_TRUE(whole && parted);
        EXPECT_EQ(parted->message.quote, whole->message.quote);
      }
    }
  }
}

TEST(IcmpAnswer, AnAskerBehindAnotherNode) {
  PacketHarness node;
  const auto tag = hex("d2 00 30 03 20 00  ae 00 10 01 23 45");
  const auto answer4 =
      answer_to(node, frame(Ipv4{.source = "32.0.0.9", .destination = ipv4_to(kViaB), .ttl = 1}));
  expect_said(answer4, 11, 0, 0, "10.0.0.1", "32.0.0.9");
  EXPECT_EQ(answer4->output, kToNode3);
  EXPECT_EQ(answer4->macs, tag);
  const auto answer6 = answer_to(
      node, frame(Ipv6{.source = "2001:db8:32::9", .destination = "2001:db9::1", .hop_limit = 9}));
  expect_said(answer6, 1, 0, 0, "2001:db8::1", "2001:db8:32::9");
  EXPECT_EQ(answer6->output, kToNode3);
  EXPECT_EQ(answer6->macs, tag);
}

TEST(IcmpAnswer, FromAnAddressOfThePortWhereThePacketCameIn) {
  PacketHarness node;
  const Ethernet to_port1{.destination = kPort1Mac, .source = kNeighborB};
  const auto answer4 = answer_to(
      node, frame(Ipv4{.source = "10.0.1.2", .destination = ipv4_to(kProhibit)}, to_port1),
      Entrance::port1);
  expect_said(answer4, 3, 13, 0, "10.0.1.1", "10.0.1.2");
  EXPECT_EQ(answer4->output, kPort1);
  EXPECT_EQ(answer4->macs, macs(kNeighborB, kPort1Mac));
  const auto answer6 = answer_to(
      node, frame(Ipv6{.source = "2001:db8:1::2", .destination = ipv6_to(kProhibit)}, to_port1),
      Entrance::port1);
  expect_said(answer6, 1, 1, 0, "2001:db8:1::1", "2001:db8:1::2");
}

TEST(IcmpAnswer, ElseFromAnyAddressOfTheNode) {
  auto delta = sample_fib().snapshot();
  std::erase_if(delta.addresses, [](const fib::PortAddress& address) {
    return address.port == PortId{0} && !address.address.is_link_local();
  });
  PacketHarness node({}, delta);
  expect_said(answer_to(node, frame(Ipv4{.ttl = 1})), 11, 0, 0, "10.0.1.1", "192.0.2.7");
  expect_said(answer_to(node, frame(Ipv6{.hop_limit = 1})), 3, 0, 0, "2001:db8:1::1",
              "2001:db8:77::7");
}

TEST(IcmpAnswer, WithoutAnAddressNoneAndThatIsCounted) {
  auto delta = sample_fib().snapshot();
  std::erase_if(delta.addresses, [](const fib::PortAddress& address) {
    return address.node == kSelf && !address.address.is_link_local();
  });
  PacketHarness node({}, delta);
  EXPECT_EQ(node.from_port(frame(Ipv4{.ttl = 1})), dropped(DropReason::ttl_spent));
  EXPECT_EQ(node.from_port(frame(Ipv6{.hop_limit = 1})), dropped(DropReason::ttl_spent));
  EXPECT_EQ(node.generated_counters().received, 0u);
  const auto counters = node.place_of(Entrance::port0).counters.read();
  EXPECT_EQ(counters.icmp_sent, 0u);
  EXPECT_EQ(counters.icmp_withheld, 2u);
}

TEST(IcmpAnswer, BeyondTheScopeOfALinkLocalSource) {
  PacketHarness node;
  const Ethernet from{.source = mac("02:aa:00:00:00:99")};
  for (const auto* to : {"2001:db8:27::1", "2001:db8:32::1", "2001:db8::77", "2001:db9::1"}) {
    const auto received = frame(Ipv6{.source = "fe80::7", .destination = to, .hop_limit = 1}, from);
    const auto answer = answer_to(node, received);
    expect_said(answer, 1, 2, 0, "fe80::1", "fe80::7");
    EXPECT_EQ(answer->output, kPort0);
    EXPECT_EQ(answer->macs, macs(from.source, kPort0Mac));
    EXPECT_EQ(node.from_port(received), dropped(DropReason::link_local_forward));
  }
}

// The route to him says glean: the kernel has not resolved him, and may be away.
TEST(IcmpAnswer, AnUnresolvedAskerOnTheLinkGetsItBackToHisFramesMac) {
  PacketHarness node({.controller_present = false});
  const Ethernet from{.source = mac("02:aa:00:00:00:77")};
  const auto answer4 =
      answer_to(node, frame(Ipv4{.source = "10.0.0.77", .destination = "99.0.0.1"}, from));
  expect_said(answer4, 3, 0, 0, "10.0.0.1", "10.0.0.77");
  EXPECT_EQ(answer4->output, kPort0);
  EXPECT_EQ(answer4->macs, macs(from.source, kPort0Mac));
  const auto answer6 = answer_to(node, frame(Ipv6{.source = "2001:db8::77", .hop_limit = 1}, from));
  expect_said(answer6, 3, 0, 0, "2001:db8::1", "2001:db8::77");
  EXPECT_EQ(answer6->macs, macs(from.source, kPort0Mac));
}

TEST(IcmpAnswer, WhoCanNotBeReachedIsNotAnswered) {
  PacketHarness node;
  const auto withheld = [&] {
    return node.place_of(Entrance::port0).counters.read().icmp_withheld;
  };
  // The subnet of another port; the router itself; a broadcast to the subnet.
  for (const auto* asker : {"10.0.1.77", "10.0.0.1", "10.0.1.1", "10.0.0.255"}) {
    const auto before = withheld();
    EXPECT_FALSE(answer_to(node, frame(Ipv4{.source = asker, .ttl = 1}))) << asker;
    EXPECT_EQ(withheld(), before + 1) << asker;
  }
  const Ethernet from_group{.source = kGroupMac};
  EXPECT_FALSE(answer_to(node, frame(Ipv4{.source = "10.0.0.77", .ttl = 1}, from_group)));
  EXPECT_FALSE(answer_to(node, frame(Ipv6{.source = "fe80::7"}, from_group)));
  EXPECT_EQ(node.generated_counters().received, 0u);
}

// The error itself goes nowhere: that is counted, and says nothing to anybody.
TEST(IcmpAnswer, AnErrorThatCanNotGoOnIsDroppedByName) {
  PacketHarness node;
  const std::pair<std::string, DropReason> cases[] = {
      {"99.0.0.1", DropReason::no_route},
      {ipv4_to(kUnreachable), DropReason::no_route},
      {ipv4_to(kProhibit), DropReason::prohibited},
      {ipv4_to(kBlackhole), DropReason::blackhole},
      {ipv4_to(kViaPortOutOfRange), DropReason::adjacency_unknown},
      {ipv6_to(kProhibit), DropReason::prohibited},
      {"2001:db9::1", DropReason::no_route}};
  for (const auto& [asker, reason] : cases) {
    const auto before = node.generated_counters();
    const bool four = ip(asker).is_v4();
    EXPECT_FALSE(answer_to(node, four ? frame(Ipv4{.source = asker, .ttl = 1})
                                      : frame(Ipv6{.source = asker, .hop_limit = 1})));
    const auto after = node.generated_counters();
    EXPECT_EQ(after.received, before.received + 1) << asker;
    const auto index = static_cast<std::size_t>(reason);
    EXPECT_EQ(after.dropped[index], before.dropped[index] + 1) << asker;
  }
}

TEST(IcmpAnswer, WhatMayNotBeAnsweredIsNot) {
  PacketHarness node;
  const auto error = [](std::uint8_t type) { return join({Bytes{type, 0, 0, 0}, counting(40)}); };
  const Ethernet to_group{.destination = kGroupMac};
  const Bytes later{kUdp, 0, 0, 9, 0, 0, 0, 9};
  const Bytes silent[] = {
      frame(Ipv4{.protocol = kIcmpv4, .ttl = 1, .payload = error(3)}),
      frame(Ipv4{.protocol = kIcmpv4, .ttl = 1, .payload = error(11)}),
      frame(Ipv4{.protocol = kIcmpv4, .ttl = 1, .payload = error(5)}),
      frame(Ipv4{.ttl = 1, .fragment = 0x2001}),
      frame(Ipv4{.ttl = 1, .fragment = 0x0001}),
      frame(Ipv4{.destination = "240.0.0.1", .ttl = 1}),
      frame(Ipv4{.destination = "239.1.1.1", .ttl = 1}, to_group),
      frame(Ipv4{.destination = "10.0.0.255", .ttl = 1}),
      frame(Ipv4{.destination = ipv4_to(kBlackhole), .ttl = 1}),
      frame(Ipv4{.ttl = 1}, {.destination = kBroadcastMac}),
      frame(Ipv6{.next_header = kIcmpv6, .hop_limit = 1, .payload = error(1)}),
      frame(Ipv6{.next_header = kIcmpv6, .hop_limit = 1, .payload = error(3)}),
      frame(Ipv6{.next_header = kIcmpv6, .hop_limit = 1, .payload = error(137)}),
      frame(Ipv6{.next_header = 44,
                 .hop_limit = 1,
                 .payload = join({Bytes{kIcmpv6, 0, 0, 9, 0, 0, 0, 9}, counting(8)})}),
      frame(Ipv6{.destination = ipv6_to(kBlackhole), .hop_limit = 1}),
      frame(Ipv6{.destination = "ff0e::5", .hop_limit = 1}, to_group)};
  for (const auto& received : silent) {
    EXPECT_EQ(node.from_port(received).fate, Fate::drop) << to_hex(received);
    EXPECT_EQ(node.generated.size(), 0u) << to_hex(received);
  }
  const auto counters = node.place_of(Entrance::port0).counters.read();
  EXPECT_EQ(counters.icmp_sent + counters.icmp_withheld, 0u);
  // Next to those: questions, and fragments that surely carry no error.
  EXPECT_TRUE(answer_to(node, frame(Ipv4{.protocol = kIcmpv4, .ttl = 1, .payload = error(8)})));
  EXPECT_TRUE(answer_to(node, frame(Ipv4{.ttl = 1, .fragment = 0x2000})));
  EXPECT_TRUE(
      answer_to(node, frame(Ipv6{.next_header = kIcmpv6, .hop_limit = 1, .payload = error(128)})));
  EXPECT_TRUE(answer_to(
      node, frame(Ipv6{.next_header = 44, .hop_limit = 1, .payload = join({later, counting(8)})})));
}

TEST(IcmpAnswer, ToTheRouterItselfATtlOfOneIsEnough) {
  PacketHarness node({.controller_present = false});
  for (const auto& received : {frame(Ipv4{.destination = "10.0.0.1", .ttl = 1}),
                               frame(Ipv6{.destination = "2001:db8::1", .hop_limit = 1}),
                               frame(Ipv6{.source = "fe80::7", .destination = "fe80::1"})}) {
    EXPECT_EQ(node.from_port(received), punted(PuntClass::other, received));
    EXPECT_EQ(node.generated.size(), 0u);
  }
}

// 100 at once, 1,000 a second, for each port and family.
TEST(IcmpAnswer, NoMoreThanTheLimiterLets) {
  PacketHarness node({.fresh_punt_rates = false});
  const auto spent4 = frame(Ipv4{.ttl = 1}), spent6 = frame(Ipv6{.hop_limit = 1});
  const auto sent = [&](Entrance entrance, const Bytes& received, int frames) {
    std::size_t answers = 0;
    for (int i = 0; i < frames; ++i) {
      EXPECT_EQ(node.run(entrance, received), dropped(DropReason::ttl_spent));
      answers += node.generated.size();
    }
    return answers;
  };
  EXPECT_EQ(sent(Entrance::port0, spent4, 150), 100u);
  EXPECT_EQ(sent(Entrance::port0, spent6, 150), 100u);
  const auto at_port1 = frame(Ipv4{.ttl = 1}, {.destination = kPort1Mac});
  EXPECT_EQ(sent(Entrance::port1, at_port1, 150), 100u);
  node.ticks += PacketHarness::kTicksPerSecond / 100;
  EXPECT_EQ(sent(Entrance::port0, spent4, 150), 10u);
  const auto counters = node.place_of(Entrance::port0).counters.read();
  EXPECT_EQ(counters.icmp_sent, 210u);
  EXPECT_EQ(counters.icmp_withheld, 240u);
}

TEST(IcmpAnswer, WithoutBuffersNoneAndThatIsCounted) {
  PacketHarness node;
  {
    const auto taken = packet_pool().all_but(0);
    std::vector<rte_mbuf*> frames{new_frame(frame(Ipv4{.ttl = 1})), new_frame(frame(Ipv4{}))};
    node.keep_output = true;  // the harness would miss the buffers
    const auto outcomes = node.run(Entrance::port0, frames);
    EXPECT_EQ(outcomes[0], dropped(DropReason::ttl_spent));
    EXPECT_EQ(outcomes[1].fate, Fate::transmit);
  }
  node.drain();
  const auto counters = node.place_of(Entrance::port0).counters.read();
  EXPECT_EQ(counters.icmp_sent, 0u);
  EXPECT_EQ(counters.icmp_withheld, 1u);
  EXPECT_EQ(node.generated_counters().received, 0u);
}

TEST(IcmpAnswer, AWholeBurstOfThem) {
  PacketHarness node;
  std::vector<Bytes> received;
  std::vector<rte_mbuf*> frames;
  for (std::uint16_t i = 0; i < kBurst; ++i) {
    received.push_back(i % 2 == 0 ? frame(Ipv4{.ttl = 1, .payload = ports(i, 1)})
                                  : frame(Ipv6{.hop_limit = 1, .payload = ports(i, 1)}));
    frames.push_back(new_frame(received.back()));
  }
  node.run(Entrance::port0, frames);
  EXPECT_EQ(node.generated.size(), kBurst);
  for (const auto& own : node.generated) {
    EXPECT_STREQ(fault_in_generated(received, own), nullptr);
  }
}

}  // namespace
}  // namespace rackway::node::testing
