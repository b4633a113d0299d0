// SPDX-License-Identifier: Apache-2.0
#include "node/stage/ipv6_check.hh"

#include <gtest/gtest.h>

#include <string>

#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

constexpr std::uint8_t kHopByHop = 0, kRouting = 43, kFragment = 44, kIcmpv6 = 58, kNone = 59;
const MacAddress kGroupMac = mac("33:33:00:00:00:05");

Outcome via_b(const Bytes& received) {
  return sent(kPort1, forwarded(received, kNeighborB, kPort1Mac));
}

TEST(Ipv6Check, ASoundPacketIsForwardedWithOneHopLess) {
  PacketHarness node;
  for (int hops = 2; hops < 256; ++hops) {
    const auto received = frame(Ipv6{.hop_limit = static_cast<std::uint8_t>(hops)});
    EXPECT_EQ(node.from_port(received), via_b(received)) << hops;
  }
}

TEST(Ipv6Check, SpentHopsGoNowhere) {
  PacketHarness node;
  for (const std::uint8_t hops : {0, 1}) {
    EXPECT_EQ(node.from_port(frame(Ipv6{.hop_limit = hops})), dropped(DropReason::ttl_spent));
  }
}

TEST(Ipv6Check, EveryTruncationIsMalformed) {
  PacketHarness node;
  const auto whole = frame(Ipv6{});
  for (std::size_t size = kEthernet; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(node.from_port(cut), dropped(DropReason::ipv6_malformed)) << size;
  }
}

TEST(Ipv6Check, MalformedHeaders) {
  PacketHarness node;
  for (std::uint8_t version = 0; version < 16; ++version) {
    if (version == 6) continue;
    EXPECT_EQ(node.from_port(frame(Ipv6{.version = version})), dropped(DropReason::ipv6_malformed))
        << int{version};
  }
  const auto payload = static_cast<std::uint16_t>(Ipv6{}.payload.size());
  for (const std::uint16_t length :
       {static_cast<std::uint16_t>(payload + 1), static_cast<std::uint16_t>(0xffff)}) {
    EXPECT_EQ(node.from_port(frame(Ipv6{.payload_length = length})),
              dropped(DropReason::ipv6_malformed))
        << length;
  }
}

TEST(Ipv6Check, OctetsBehindThePacketGoOnWithIt) {
  PacketHarness node;
  for (std::uint16_t length = 0; length < 26; ++length) {
    const auto received = frame(Ipv6{.payload_length = length});
    EXPECT_EQ(node.from_port(received), via_b(received)) << length;
  }
}

TEST(Ipv6Check, ExtensionHeadersOtherThanHopByHopGoOn) {
  PacketHarness node;
  for (const std::uint8_t next : {kRouting, kFragment, kNone, std::uint8_t{60}, std::uint8_t{51}}) {
    for (const std::size_t size : {8, 9, 11, 12, 40}) {
      auto payload = counting(size);
      payload[0] = kUdp;
      payload[1] = 0;
      const auto received = frame(Ipv6{.next_header = next, .payload = payload});
      EXPECT_EQ(node.from_port(received), via_b(received)) << int{next} << " " << size;
    }
  }
}

// The packet ends before its chain of headers does, or the chain makes no sense.
TEST(Ipv6Check, MalformedChains) {
  PacketHarness node;
  const Bytes too_long{kUdp, 1, 0, 0, 0, 0, 0, 0},
      hop_by_hop_second{kHopByHop, 0, 0, 0, 0, 0, 0, 0};
  for (const auto* to : {"2001:db8:27::1", "2001:db8::1", "fe80::1", "ff02::5"}) {
    for (const std::uint8_t next : {kHopByHop, kRouting, std::uint8_t{60}}) {
      for (const auto& payload : {Bytes{}, counting(7), too_long, hop_by_hop_second}) {
        const auto received =
            frame(Ipv6{.destination = to, .next_header = next, .payload = payload});
        EXPECT_EQ(node.from_port(received), dropped(DropReason::ipv6_malformed)) << to;
        EXPECT_EQ(node.from_port(padded(received, 100)), dropped(DropReason::ipv6_malformed)) << to;
      }
    }
  }
}

TEST(Ipv6Check, HopByHopOptionsAreLeftToTheKernel) {
  PacketHarness node;
  for (const std::size_t size : {8, 9, 40}) {
    auto payload = counting(size);
    payload[0] = kUdp;
    payload[1] = 0;
    const auto received = frame(Ipv6{.next_header = kHopByHop, .payload = payload});
    EXPECT_EQ(node.from_port(received), punted(PuntClass::exception, received)) << size;
  }
}

TEST(Ipv6Check, AddressesThatAreNeverForwarded) {
  struct Case {
    const char *source, *destination;
    DropReason reason;
  };
  const auto source = DropReason::martian_source;
  const auto destination = DropReason::martian_destination;
  const auto link_local = DropReason::link_local_forward;
  const Case cases[] = {
      {"::1", "2001:db8:27::1", source},
      {"::", "2001:db8:27::1", source},
      {"ff02::1", "2001:db8:27::1", source},
      {"ff0e::1", "2001:db8:27::1", source},
      {"ff00::", "2001:db8:27::1", source},
      {"2001:db8:77::7", "::", destination},
      {"2001:db8:77::7", "::1", destination},
      {"::", "::", destination},
      {"fe80::7", "2001:db8:27::1", link_local},
      {"febf:ffff::7", "2001:db8:27::1", link_local},
      {"fe80::7", "2001:db8::77", link_local},    // glean
      {"fe80::7", "2001:db8:23::1", link_local},  // unreachable
      {"2001:db8:77::7", "fe80::7", link_local},  // not ours
      {"2001:db8:77::7", "febf:ffff::7", link_local},
      {"fe80::7", "fe80::11", link_local},        // ours, but on another port
      {"fe80::1", "2001:db8:27::1", link_local},  // as if from the router itself
  };
  PacketHarness node;
  for (const auto& [from, to, reason] : cases) {
    EXPECT_EQ(node.from_port(frame(Ipv6{.source = from, .destination = to})), dropped(reason))
        << from << " -> " << to;
  }
}

TEST(Ipv6Check, ALinkLocalPacketWithSpentHopsGetsNoAnswer) {
  PacketHarness node;
  EXPECT_EQ(node.from_port(frame(Ipv6{.source = "fe80::7", .hop_limit = 1})),
            dropped(DropReason::link_local_forward));
}

TEST(Ipv6Check, AddressesNextToThose) {
  PacketHarness node;
  for (const auto* from : {"::2", "fe7f:ffff::1", "fec0::1", "feff::1", "1::", "fd00::1"}) {
    const auto received = frame(Ipv6{.source = from});
    EXPECT_EQ(node.from_port(received), via_b(received)) << from;
  }
}

TEST(Ipv6Check, WhatTheRouterSaysToItselfIsPunted) {
  PacketHarness node;
  struct Case {
    std::uint8_t next_header;
    Bytes payload;
    PuntClass punt_class;
  };
  const Case cases[] = {{kIcmpv6, {128, 0, 0, 0, 0, 0, 0, 1}, PuntClass::icmp},
                        {89, counting(24), PuntClass::routing},
                        {kTcp, ports(40000, 179), PuntClass::routing},
                        {kTcp, ports(179, 40000), PuntClass::routing},
                        {kUdp, ports(49152, 3784), PuntClass::routing},
                        {kUdp, ports(179, 179), PuntClass::other},
                        {kTcp, ports(3784, 22), PuntClass::other},
                        {kHopByHop, {kIcmpv6, 0, 0, 0, 0, 0, 0, 0, 128}, PuntClass::icmp},
                        {kHopByHop, {47, 0, 0, 0, 0, 0, 0, 0}, PuntClass::other}};
  for (const auto& [next_header, payload, punt_class] : cases) {
    for (const auto* from : {"fe80::7", "2001:db8::2"}) {
      const auto received = frame(Ipv6{.source = from,
                                       .destination = "fe80::1",
                                       .next_header = next_header,
                                       .payload = payload});
      EXPECT_EQ(node.from_port(received), punted(punt_class, received)) << int{next_header};
    }
  }
}

// What is behind the packet in its frame is not its transport header.
TEST(Ipv6Check, PaddingHasNoPorts) {
  PacketHarness node;
  for (const auto* to : {"fe80::1", "ff02::5"}) {
    const auto received = frame(Ipv6{.source = "fe80::7",
                                     .destination = to,
                                     .next_header = kTcp,
                                     .payload = ports(179, 179),
                                     .payload_length = 3});
    EXPECT_EQ(node.from_port(received), punted(PuntClass::other, received)) << to;
  }
}

TEST(Ipv6Check, ALinkLocalNeighborReachesTheRoutersGlobalAddress) {
  PacketHarness node;
  const auto received = frame(Ipv6{.source = "fe80::7",
                                   .destination = "2001:db8::1",
                                   .next_header = kIcmpv6,
                                   .hop_limit = 1,
                                   .payload = {128, 0, 0, 0, 0, 0, 0, 1}});
  EXPECT_EQ(node.from_port(received), punted(PuntClass::icmp, received));
}

TEST(Ipv6Check, MulticastOfTheLinkIsPunted) {
  PacketHarness node;
  for (const auto* from : {"fe80::7", "::", "2001:db8::2"}) {
    const auto ospf = frame(
        Ipv6{.source = from, .destination = "ff02::5", .next_header = 89, .payload = counting(36)},
        {.destination = kGroupMac});
    EXPECT_EQ(node.from_port(ospf), punted(PuntClass::routing, ospf)) << from;
    const auto mld = frame(Ipv6{.source = from,
                                .destination = "ff02::16",
                                .next_header = kHopByHop,
                                .hop_limit = 1,
                                .payload = join({Bytes{kIcmpv6, 0, 5, 2, 0, 0, 1, 0},
                                                 Bytes{143, 0, 0, 0, 0, 0, 0, 0}})},
                           {.destination = kGroupMac});
    EXPECT_EQ(node.from_port(mld), punted(PuntClass::icmp, mld)) << from;
  }
}

// RFC 4291 2.7: scope 0 is reserved and dropped; what has interface-local scope can not have come
// over a link; all beyond the link has no multicast route.
TEST(Ipv6Check, MulticastOfOtherScopesIsDropped) {
  PacketHarness node;
  for (int flags = 0; flags < 2; ++flags) {
    for (int scope = 0; scope < 16; ++scope) {
      static constexpr char kDigits[] = "0123456789abcdef";
      const std::string group = std::string("ff") + kDigits[flags] + kDigits[scope] + "::5";
      const auto received =
          frame(Ipv6{.source = "fe80::7", .destination = group}, {.destination = kGroupMac});
      const auto expected =
          scope == 2 ? punted(PuntClass::other, received) : dropped(DropReason::multicast_unrouted);
      EXPECT_EQ(node.from_port(received), expected) << group;
    }
  }
}

TEST(Ipv6Check, AHeaderInTwoSegmentsIsRefusedAPayloadIsNot) {
  PacketHarness node;
  const auto received = frame(Ipv6{});
  for (std::size_t split = kEthernet; split < received.size(); ++split) {
    const auto outcome = node.from_port(received, {.split = split});
    if (split < kEthernet + 40) {
      EXPECT_EQ(outcome, dropped(DropReason::ipv6_malformed)) << split;
    } else {
      EXPECT_EQ(outcome, via_b(received)) << split;
    }
  }
}

}  // namespace
}  // namespace rackway::node::testing
