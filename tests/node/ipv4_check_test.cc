// SPDX-License-Identifier: Apache-2.0
#include "node/stage/ipv4_check.hh"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

Outcome via_b(const Bytes& received) {
  return sent(kPort1, forwarded(received, kNeighborB, kPort1Mac));
}

TEST(Ipv4Check, ASoundPacketIsForwarded) {
  PacketHarness node;
  const auto sound = frame(Ipv4{});
  EXPECT_EQ(node.from_port(sound), via_b(sound));
}

TEST(Ipv4Check, EveryTruncationIsMalformed) {
  PacketHarness node;
  const auto whole = frame(Ipv4{});
  for (std::size_t size = kEthernet; size < whole.size(); ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(node.from_port(cut), dropped(DropReason::ipv4_malformed)) << size;
  }
}

TEST(Ipv4Check, MalformedHeaders) {
  struct Case {
    const char* what;
    Ipv4 packet;
  };
  const Bytes nothing;
  std::vector<Case> cases;
  for (std::uint8_t version = 0; version < 16; ++version) {
    if (version != 4) cases.push_back({"version", {.version = version}});
  }
  for (std::uint8_t ihl = 0; ihl < 5; ++ihl) cases.push_back({"short IHL", {.ihl = ihl}});
  cases.push_back({"IHL beyond the frame", {.payload = counting(8), .ihl = 15}});
  cases.push_back({"IHL one word beyond the frame", {.payload = nothing, .ihl = 6}});
  cases.push_back({"IHL beyond the total length", {.ihl = 6, .total_length = 20}});
  for (const std::uint16_t total : {0, 1, 19}) {
    cases.push_back({"total length below the header's", {.total_length = total}});
  }
  const std::uint16_t total = 20 + 26;
  cases.push_back({"total length beyond the frame", {.total_length = total + 1}});
  cases.push_back({"total length far beyond the frame", {.total_length = 0xffff}});
  PacketHarness node;
  for (const auto& [what, packet] : cases) {
    EXPECT_EQ(node.from_port(frame(packet)), dropped(DropReason::ipv4_malformed))
        << what << " " << int{packet.version} << " " << int{packet.ihl.value_or(5)} << " "
        << packet.total_length.value_or(0);
  }
}

TEST(Ipv4Check, OneWrongBitInTheHeaderIsSeen) {
  PacketHarness node;
  const auto good = frame(Ipv4{});
  for (std::size_t bit = 0; bit < 160; ++bit) {
    Bytes bad = good;
    bad[kEthernet + bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    const auto outcome = node.from_port(bad);
    const bool shape = bit / 8 == 0 || bit / 8 == 2 || bit / 8 == 3;  // version, IHL, length
    const bool malformed = outcome == dropped(DropReason::ipv4_malformed);
    EXPECT_TRUE(outcome == dropped(DropReason::ipv4_checksum) || (shape && malformed)) << bit;
  }
}

TEST(Ipv4Check, TheChecksumCoversOptions) {
  PacketHarness node;
  auto bad = frame(Ipv4{.options = {1, 1, 1, 0}});
  bad[kEthernet + 22] ^= 0x40;
  EXPECT_EQ(node.from_port(bad), dropped(DropReason::ipv4_checksum));
}

TEST(Ipv4Check, PaddingGoesOnWithThePacket) {
  PacketHarness node;
  for (std::size_t payload = 0; payload < 26; ++payload) {
    const auto short_packet = frame(Ipv4{.protocol = 253, .payload = counting(payload)});
    const auto received = padded(short_packet, 60, 0xee);
    EXPECT_EQ(node.from_port(received), via_b(received)) << payload;
  }
}

TEST(Ipv4Check, AFrameWithoutPaddingStaysShort) {
  PacketHarness node;
  const auto received = frame(Ipv4{.protocol = 253, .payload = {}});
  ASSERT_EQ(received.size(), 34u);
  EXPECT_EQ(node.from_port(received), via_b(received));
}

TEST(Ipv4Check, AddressesThatAreNeverForwarded) {
  struct Case {
    const char *source, *destination;
    DropReason reason;
  };
  const auto source = DropReason::martian_source;
  const auto destination = DropReason::martian_destination;
  const Case cases[] = {
      {"0.0.0.0", "27.0.0.1", source},
      {"0.255.255.255", "27.0.0.1", source},
      {"127.0.0.1", "27.0.0.1", source},
      {"127.255.255.255", "27.0.0.1", source},
      {"224.0.0.1", "27.0.0.1", source},
      {"239.255.255.255", "27.0.0.1", source},
      {"255.255.255.255", "27.0.0.1", source},
      {"192.0.2.7", "0.0.0.0", destination},
      {"192.0.2.7", "0.255.255.255", destination},
      {"192.0.2.7", "127.0.0.0", destination},
      {"192.0.2.7", "127.255.255.255", destination},
      {"192.0.2.7", "224.0.1.0", DropReason::multicast_unrouted},
      {"192.0.2.7", "232.1.2.3", DropReason::multicast_unrouted},
      {"192.0.2.7", "239.255.255.255", DropReason::multicast_unrouted},
  };
  PacketHarness node;
  for (const auto& [from, to, reason] : cases) {
    EXPECT_EQ(node.from_port(frame(Ipv4{.source = from, .destination = to})), dropped(reason))
        << from << " -> " << to;
  }
}

TEST(Ipv4Check, AddressesNextToThose) {
  PacketHarness node;
  for (const auto* source : {"1.0.0.0", "126.255.255.255", "128.0.0.0", "223.255.255.255",
                             "240.0.0.1", "255.255.255.254"}) {
    const auto received = frame(Ipv4{.source = source});
    EXPECT_EQ(node.from_port(received), via_b(received)) << source;
  }
  for (const auto* destination : {"240.0.0.0", "255.255.255.254"}) {
    const auto received = frame(Ipv4{.destination = destination});
    EXPECT_EQ(node.from_port(received), via_b(received)) << destination;
  }
}

TEST(Ipv4Check, WhatTheLinkSharesIsPunted) {
  PacketHarness node;
  const auto group = mac("01:00:5e:00:00:05");
  const auto limited =
      frame(Ipv4{.destination = "255.255.255.255"}, {.destination = kBroadcastMac});
  EXPECT_EQ(node.from_port(limited), punted(PuntClass::other, limited));
  const auto ospf =
      frame(Ipv4{.destination = "224.0.0.5", .protocol = 89, .ttl = 1}, {.destination = group});
  EXPECT_EQ(node.from_port(ospf), punted(PuntClass::routing, ospf));
  for (const auto* destination : {"224.0.0.0", "224.0.0.255"}) {
    const auto received = frame(Ipv4{.destination = destination}, {.destination = group});
    EXPECT_EQ(node.from_port(received).fate, Fate::punt) << destination;
  }
}

TEST(Ipv4Check, OptionsAreLeftToTheKernel) {
  PacketHarness node;
  for (std::size_t words = 1; words <= 10; ++words) {
    const auto received = frame(Ipv4{.options = Bytes(words * 4, 1)});
    EXPECT_EQ(node.from_port(received), punted(PuntClass::exception, received)) << words;
  }
  // A routing protocol's packet with router alert stays one.
  const auto igmp =
      frame(Ipv4{.destination = "224.0.0.22", .protocol = 2, .ttl = 1, .options = {0x94, 4, 0, 0}});
  EXPECT_EQ(node.from_port(igmp).fate, Fate::punt);
}

TEST(Ipv4Check, AHeaderInTwoSegmentsIsRefusedAPayloadIsNot) {
  PacketHarness node;
  const auto received = frame(Ipv4{});
  for (std::size_t split = kEthernet; split < received.size(); ++split) {
    const auto outcome = node.from_port(received, {.split = split});
    if (split < kEthernet + 20) {
      EXPECT_EQ(outcome, dropped(DropReason::ipv4_malformed)) << split;
    } else {
      EXPECT_EQ(outcome, via_b(received)) << split;
    }
  }
}

TEST(Ipv4Check, APacketLongerThanItsFirstSegmentIsForwardedWhole) {
  PacketHarness node;
  const auto received = frame(Ipv4{.destination = ipv4_to(kViaJumbo), .payload = counting(8980)});
  EXPECT_EQ(node.from_port(received, {.split = 2048}), via_b(received));
}

// RFC 1624: the checksum of the decremented header is the one that a fresh computation gives, for
// every value it can have, the carries at both ends of its range included.
TEST(Ipv4Check, TheChecksumAfterTheDecrementIsExact) {
  PacketHarness node;
  for (const int ttl : {2, 3, 64, 128, 255}) {
    std::set<std::uint16_t> seen;
    for (std::uint32_t id = 0; id < 0x10000; ++id) {
      const auto received = frame(Ipv4{.protocol = 253,
                                       .ttl = static_cast<std::uint8_t>(ttl),
                                       .payload = {},
                                       .id = static_cast<std::uint16_t>(id)});
      seen.insert(get16(received, kEthernet + 10));
      ASSERT_EQ(node.from_port(received), via_b(received)) << ttl << " " << id;
    }
    ASSERT_EQ(seen.size(), 0xffffu);  // 0xffff itself is never computed
  }
}

// The other zero of one's complement: valid by the rule that the sum over all is 0xffff.
TEST(Ipv4Check, AChecksumOfAllOnesCountsAsZero) {
  PacketHarness node;
  std::uint32_t tried = 0;
  for (std::uint32_t id = 0; id < 0x10000; ++id) {
    Ipv4 packet{.id = static_cast<std::uint16_t>(id)};
    auto received = frame(packet);
    if (get16(received, kEthernet + 10) != 0) continue;
    ++tried;
    put16(received, kEthernet + 10, 0xffff);
    EXPECT_EQ(node.from_port(received), via_b(received));
  }
  EXPECT_GT(tried, 0u);
}

TEST(Ipv4Check, TosIdAndFlagsDoNotMatter) {
  PacketHarness node;
  for (const std::uint16_t fragment : {0x4000, 0x8000, 0x2000, 0x0001, 0x1fff, 0x3fff}) {
    const auto received = frame(Ipv4{.tos = 0xff, .id = 0xffff, .fragment = fragment});
    EXPECT_EQ(node.from_port(received), via_b(received)) << fragment;
  }
}

}  // namespace
}  // namespace rackway::node::testing
