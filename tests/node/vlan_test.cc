// SPDX-License-Identifier: Apache-2.0
// Frames of VLANs from the outside in and from the inside out: port 0 has VLAN 100, port 1 has 200.
#include <gtest/gtest.h>

#include <string>

#include "node/stage/untag.hh"
#include "tests/node/icmp_message.hh"
#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

constexpr std::uint16_t kPriority = 0xe000;  // 7, of 0 to 7
// As receive buffers have it.
constexpr Reception kRoom{.tailroom = 64, .headroom = 128};

Bytes to_b(const Bytes& received) {
  return forwarded(received, kNeighborB, kPort1Mac);
}
Bytes to_vlan200(const Bytes& received) {
  return tagged(forwarded(received, kNeighborC, kPort1Mac), 200);
}

// ---- in

TEST(Vlan, APacketLeavesWithoutTheTagThatItCameWith) {
  PacketHarness node;
  for (const auto& bytes : {frame(Ipv4{}), frame(Ipv6{})}) {
    EXPECT_EQ(node.from_port(tagged(bytes, 100)), sent(kPort1, to_b(bytes)));
    EXPECT_EQ(node.from_port(tagged(bytes, kPriority | 100)), sent(kPort1, to_b(bytes)));
  }
}

TEST(Vlan, InGoldenOctets) {
  PacketHarness node;
  const auto in =
      hex("02 52 57 00 00 00 02 aa 00 00 00 01 81 00 e0 64 08 00"
          "45 00 00 1c 12 34 00 00 40 11 8b 95 c0 00 02 07 1b 00 00 01 03 e8 07 d0 00 08 00 00");
  const auto out =
      hex("02 bb 00 00 00 02 02 52 57 00 00 01 08 00"
          "45 00 00 1c 12 34 00 00 3f 11 8c 95 c0 00 02 07 1b 00 00 01 03 e8 07 d0 00 08 00 00");
  EXPECT_EQ(node.from_port(in), sent(kPort1, out));
}

TEST(Vlan, ThePaddingOfAShortFrameIsNoPacket) {
  PacketHarness node;
  const auto small = frame(Ipv4{.payload = {}});
  EXPECT_EQ(node.from_port(padded(tagged(small, 100), 60)), sent(kPort1, padded(to_b(small), 56)));
}

TEST(Vlan, TheFabricSeesNoTags) {
  PacketHarness node;
  for (const auto& bytes : {frame(Ipv4{.destination = ipv4_to(kViaNode3)}),
                            frame(Ipv6{.destination = ipv6_to(kViaNode3)})}) {
    const auto untagged = node.from_port(bytes);
    ASSERT_EQ(untagged.output, kToNode3);
    EXPECT_EQ(node.from_port(tagged(bytes, 100)), untagged);
  }
}

// IEEE 802.1Q 6.9.1: VLAN 0 says only what priority it has.
TEST(Vlan, PriorityTagsCountAsNone) {
  PacketHarness node;
  for (const std::uint16_t tag : {std::uint16_t{0}, kPriority}) {
    const auto bytes = frame(Ipv4{});
    EXPECT_EQ(node.from_port(tagged(bytes, tag)), sent(kPort1, to_b(bytes)));
    const auto local = tagged(frame(Ipv4{.destination = "10.0.0.1", .protocol = kTcp}), tag);
    EXPECT_EQ(node.from_port(local), punted(PuntClass::other, local));
    const ArpPacket request;
    const auto answer = node.from_port(frame(request));
    EXPECT_EQ(node.from_port(tagged(frame(request), tag)), answer);
  }
}

TEST(Vlan, VlansThatTheRouterHasNotAreCountedOnceAndApart) {
  PacketHarness node;
  const auto bytes = frame(Ipv4{});
  for (const std::uint16_t vlan : {1, 99, 101, 200, 4094}) {  // 200 is the other port's
    EXPECT_EQ(node.from_port(tagged(bytes, vlan)), dropped(DropReason::vlan_unknown)) << vlan;
  }
  EXPECT_EQ(node.from_port(tagged(bytes, 4095)), dropped(DropReason::vlan_reserved));
  EXPECT_EQ(node.from_port(tagged(bytes, kPriority | 4095)), dropped(DropReason::vlan_reserved));
  EXPECT_EQ(node.from_port(tagged(frame(ArpPacket{}), 101)), dropped(DropReason::vlan_unknown));
}

TEST(Vlan, MoreThanOneTagIsUnsupported) {
  PacketHarness node;
  const auto bytes = frame(Ipv4{});
  for (const std::uint16_t inner : {0, 100, 4095}) {
    for (const std::uint16_t outer : {0, 100, 101, 4095}) {
      for (const auto type : {kVlanType, kServiceType}) {
        EXPECT_EQ(node.from_port(tagged(tagged(bytes, inner, type), outer)),
                  dropped(DropReason::vlan_unsupported));
      }
      EXPECT_EQ(node.from_port(tagged(tagged(bytes, inner), outer, kServiceType)),
                dropped(DropReason::vlan_unsupported));
    }
  }
  EXPECT_EQ(node.from_port(tagged(bytes, 100, kServiceType)),
            dropped(DropReason::vlan_unsupported));
}

TEST(Vlan, AFrameThatEndsInItsTagIsTooShort) {
  PacketHarness node;
  const auto whole = tagged(frame(Ipv4{}), 100);
  for (std::size_t size = 0; size < kEthernet + 4; ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(node.from_port(cut), dropped(DropReason::frame_too_short)) << size;
  }
  const Bytes bare(whole.begin(), whole.begin() + kEthernet + 4);
  EXPECT_EQ(node.from_port(bare), dropped(DropReason::ipv4_malformed));
}

TEST(Vlan, ForeignMacsAndUnknownTypesStayWhatTheyAre) {
  PacketHarness node;
  EXPECT_EQ(node.from_port(tagged(frame(Ipv4{}, {.destination = kNeighborB}), 100)),
            dropped(DropReason::foreign_mac));
  EXPECT_EQ(node.from_port(tagged(ethernet({.type = 0x88cc}, packet(Ipv4{})), 100)),
            dropped(DropReason::ethertype_unsupported));
}

// A device may take the tag off and keep it beside the frame, whether or not it was asked to.
TEST(Vlan, ATagThatTheDeviceTookOffIsATag) {
  PacketHarness node;
  constexpr auto kTaken = RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
  const auto bytes = frame(Ipv4{});
  const auto taken = [](std::uint16_t tag) {
    return Reception{.offload_flags = kTaken, .headroom = 128, .taken_tag = tag};
  };
  EXPECT_EQ(node.from_port(bytes, taken(100)), sent(kPort1, to_b(bytes)));
  EXPECT_EQ(node.from_port(bytes, taken(101)), dropped(DropReason::vlan_unknown));
  EXPECT_EQ(node.from_port(bytes, taken(4095)), dropped(DropReason::vlan_reserved));
  EXPECT_EQ(node.from_port(tagged(bytes, 100), taken(100)), dropped(DropReason::vlan_unsupported));
  const auto local = frame(Ipv4{.destination = "10.100.0.1", .protocol = kTcp});
  EXPECT_EQ(node.from_port(local, taken(100)), punted(PuntClass::other, tagged(local, 100)));
  // Seen by the device, but still in line.
  EXPECT_EQ(node.from_port(tagged(bytes, 100), {.offload_flags = RTE_MBUF_F_RX_VLAN}),
            sent(kPort1, to_b(bytes)));
}

// ---- out

TEST(Vlan, ANeighborInAVlanGetsItsTag) {
  PacketHarness node;
  for (const auto& bytes : {frame(Ipv4{.destination = ipv4_to(kViaVlan200)}),
                            frame(Ipv6{.destination = ipv6_to(kViaVlan200)})}) {
    EXPECT_EQ(node.from_port(bytes, kRoom), sent(kPort1, to_vlan200(bytes)));
    // From one VLAN to another: the tag, not what was in it.
    EXPECT_EQ(node.from_port(tagged(bytes, kPriority | 100)), sent(kPort1, to_vlan200(bytes)));
  }
}

TEST(Vlan, ANeighborInAVlanGetsItsTagBehindTheFabricToo) {
  PacketHarness node;
  for (auto bytes : {frame(Ipv4{}), frame(Ipv6{})}) {
    const auto tag = hex("d2 00 10 01 10 00 ae 00 30 00 00 07");
    std::copy(tag.begin(), tag.end(), bytes.begin());
    auto out = bytes;
    std::copy_n(kNeighborC.bytes.begin(), 6, out.begin());
    std::copy_n(kPort1Mac.bytes.begin(), 6, out.begin() + 6);
    EXPECT_EQ(node.from_link(bytes, kRoom), sent(kPort1, tagged(out, 200)));
    EXPECT_EQ(node.from_link(bytes), dropped(DropReason::no_headroom));
  }
}

TEST(Vlan, WithoutRoomForTheTagAFrameIsDropped) {
  PacketHarness node;
  const auto bytes = frame(Ipv4{.destination = ipv4_to(kViaVlan200)});
  for (const std::size_t headroom : {0u, 3u}) {
    EXPECT_EQ(node.from_port(bytes, {.headroom = headroom}), dropped(DropReason::no_headroom));
  }
  EXPECT_EQ(node.from_port(bytes, {.headroom = 4}), sent(kPort1, to_vlan200(bytes)));
}

TEST(Vlan, TheTagDoesNotCountForTheMtu) {
  PacketHarness node;
  const auto of_size = [](std::size_t size, SampleGroup to) {
    return frame(Ipv4{.destination = ipv4_to(to), .payload = counting(size - 20)});
  };
  EXPECT_EQ(node.from_port(tagged(of_size(1500, kViaB), 100)),
            sent(kPort1, to_b(of_size(1500, kViaB))));
  EXPECT_EQ(node.from_port(tagged(of_size(1501, kViaB), kPriority | 100)),
            dropped(DropReason::fragmented));
  EXPECT_EQ(node.generated.size(), 2u);
  EXPECT_EQ(node.from_port(of_size(1400, kViaVlan200), kRoom),
            sent(kPort1, to_vlan200(of_size(1400, kViaVlan200))));
  EXPECT_EQ(node.from_port(of_size(1401, kViaVlan200), kRoom), dropped(DropReason::fragmented));
  ASSERT_EQ(node.generated.size(), 2u);
  for (const auto& fragment : node.generated) {
    EXPECT_EQ(fragment.output, kPort1);
    EXPECT_EQ(get16(fragment.bytes, kMacs), 0x8100);
    EXPECT_EQ(get16(fragment.bytes, kMacs + 2), 200);
  }
}

// ---- the router itself

TEST(Vlan, WhatIsPuntedHasItsTagAsItCame) {
  PacketHarness node;
  for (const std::uint16_t tag : {100, 0xf064}) {
    for (const auto& bytes : {frame(Ipv4{.destination = "10.100.0.1", .protocol = kTcp}),
                              frame(Ipv6{.destination = "2001:db8:100::1", .next_header = kTcp})}) {
      const auto whole = tagged(bytes, tag);
      EXPECT_EQ(node.from_port(whole), punted(PuntClass::other, whole)) << tag;
    }
    const auto options = tagged(frame(Ipv4{.options = {0x94, 4, 0, 0}}), tag);
    EXPECT_EQ(node.from_port(options), punted(PuntClass::exception, options));
  }
}

IcmpMessage error_in(const Outcome& sent) {
  const auto bytes = without_tag(sent.bytes);
  const auto packet = std::span(bytes).subspan(kEthernet);
  return get16(bytes, kMacs) == kIpv4Type ? read_icmpv4(packet) : read_icmpv6(packet);
}

// Of the two ways that an ICMP error takes: routed, by an adjacency in the VLAN, and straight back.
TEST(Vlan, AnErrorReachesTheAskerInHisVlan) {
  PacketHarness node;
  const auto routed = frame(Ipv4{.source = "10.100.0.2", .destination = ipv4_to(kViaB), .ttl = 1});
  EXPECT_EQ(node.from_port(tagged(routed, kPriority | 100)), dropped(DropReason::ttl_spent));
  ASSERT_EQ(node.generated.size(), 1u);
  EXPECT_EQ(node.generated[0].output, kPort0);
  EXPECT_EQ(get16(node.generated[0].bytes, kMacs + 2), 100);
  const auto message = error_in(node.generated[0]);
  EXPECT_EQ(message.source, ip("10.100.0.1"));
  EXPECT_EQ(message.type, 11);

  const auto back = frame(Ipv6{.source = "fe80::7", .destination = ipv6_to(kViaB)});
  EXPECT_EQ(node.from_port(tagged(back, kPriority | 100)), dropped(DropReason::link_local_forward));
  ASSERT_EQ(node.generated.size(), 1u);
  EXPECT_EQ(node.generated[0].output, kPort0);
  EXPECT_EQ(get16(node.generated[0].bytes, kMacs), 0x8100);
  EXPECT_EQ(get16(node.generated[0].bytes, kMacs + 2), kPriority | 100);
  const auto beyond = error_in(node.generated[0]);
  EXPECT_EQ(beyond.source, ip("fe80::100"));
  EXPECT_EQ(beyond.destination, ip("fe80::7"));
}

Bytes arp_reply_to(const ArpPacket& request) {
  return frame(ArpPacket{.operation = 2,
                         .sender_mac = kPort0Mac,
                         .sender = request.target,
                         .target_mac = request.sender_mac,
                         .target = request.sender},
               {.destination = request.sender_mac, .source = kPort0Mac});
}

TEST(Vlan, ArpIsAnsweredInItsVlanOnly) {
  PacketHarness node;
  const ArpPacket of_vlan{.sender = "10.100.0.2", .target = "10.100.0.1"}, of_port;
  EXPECT_EQ(node.from_port(tagged(frame(of_vlan), kPriority | 100)),
            sent(kPort0, tagged(arp_reply_to(of_vlan), kPriority | 100)));
  EXPECT_EQ(node.from_port(frame(of_vlan)), dropped(DropReason::arp_not_for_us));
  EXPECT_EQ(node.from_port(tagged(frame(of_port), 100)), dropped(DropReason::arp_not_for_us));
}

// The FIB knows the asker on the port, and another one in the VLAN.
TEST(Vlan, ANeighborOfAnotherInterfaceIsLeftToTheKernel) {
  PacketHarness node;
  const ArpPacket stranger{.sender = "10.0.0.2", .target = "10.100.0.1"};
  const auto request = tagged(frame(stranger), 100);
  EXPECT_EQ(node.from_port(request), punted(PuntClass::neighbor, request));
}

TEST(Vlan, NeighborDiscoveryIsAnsweredInItsVlanOnly) {
  PacketHarness node;
  const auto option = join({Bytes{1, 1}, kHostMac.bytes});
  const auto ask = [&](const std::string& target, const std::string& source) {
    return frame(Icmpv6{.source = source,
                        .destination = target,
                        .type = 135,
                        .body = join({Bytes(4), octets_of(target), option})});
  };
  const auto target_option = join({Bytes{2, 1}, kPort0Mac.bytes});
  const auto answer = frame(
      Icmpv6{.source = "2001:db8:100::1",
             .destination = "2001:db8:100::2",
             .type = 136,
             .body = join({Bytes{0xe0, 0, 0, 0}, octets_of("2001:db8:100::1"), target_option})},
      {.destination = kHostMac, .source = kPort0Mac});
  const auto of_vlan = ask("2001:db8:100::1", "2001:db8:100::2");
  EXPECT_EQ(node.from_port(tagged(of_vlan, 100), kRoom), sent(kPort0, tagged(answer, 100)));
  EXPECT_EQ(node.from_port(of_vlan, kRoom), dropped(DropReason::nd_not_for_us));
  const auto of_port = ask("2001:db8::1", "2001:db8::2");
  EXPECT_EQ(node.from_port(tagged(of_port, 100), kRoom), dropped(DropReason::nd_not_for_us));
}

// ---- many at once

TEST(Vlan, ABurstOfAllKindsEndsAsEachAlone) {
  PacketHarness node;
  std::vector<Bytes> kinds;
  for (const auto& bytes : {frame(Ipv4{}), frame(Ipv6{}), frame(ArpPacket{}),
                            frame(Ipv4{.destination = ipv4_to(kViaVlan200)}),
                            frame(Ipv4{.destination = "10.100.0.1", .protocol = kTcp})}) {
    kinds.push_back(bytes);
    for (const std::uint16_t tag : {100, 0, 101, 4095}) kinds.push_back(tagged(bytes, tag));
    kinds.push_back(tagged(tagged(bytes, 100), 100));
  }
  const auto kind = [&](std::size_t i) { return kinds[(i * 7) % kinds.size()]; };
  std::vector<Outcome> alone;
  for (std::size_t i = 0; i < kBurst; ++i) alone.push_back(node.from_port(kind(i), kRoom));
  std::vector<rte_mbuf*> burst;
  for (std::size_t i = 0; i < kBurst; ++i) burst.push_back(new_frame(kind(i), kRoom));
  const auto together = node.run(Entrance::port0, burst);
  for (std::size_t i = 0; i < kBurst; ++i) EXPECT_EQ(together[i], alone[i]) << i;
}

}  // namespace
}  // namespace rackway::node::testing
