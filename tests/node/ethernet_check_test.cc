// SPDX-License-Identifier: Apache-2.0
#include "node/stage/ethernet_check.hh"

#include <gtest/gtest.h>

#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

Bytes of_type(std::uint16_t type) {
  return ethernet({.type = type}, packet(Ipv4{}));
}

TEST(EthernetCheck, AFrameWithoutAWholeHeaderIsTooShort) {
  PacketHarness node;
  const auto whole = frame(Ipv4{});
  for (std::size_t size = 0; size < kEthernet; ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(node.from_port(cut), dropped(DropReason::frame_too_short)) << size;
  }
}

TEST(EthernetCheck, ABareHeaderHasNoPacket) {
  PacketHarness node;
  EXPECT_EQ(node.from_port(ethernet({.type = kIpv4Type}, {})), dropped(DropReason::ipv4_malformed));
  EXPECT_EQ(node.from_port(ethernet({.type = kIpv6Type}, {})), dropped(DropReason::ipv6_malformed));
  EXPECT_EQ(node.from_port(ethernet({.type = kArpType}, {})), dropped(DropReason::arp_malformed));
}

TEST(EthernetCheck, FramesForOthers) {
  PacketHarness node;
  for (const auto& other : {kPort1Mac, kNeighborB, MacAddress{}, mac("02:52:57:00:00:02")}) {
    EXPECT_EQ(node.from_port(frame(Ipv4{}, {.destination = other})),
              dropped(DropReason::foreign_mac))
        << other.to_string();
    EXPECT_EQ(node.from_port(frame(ArpPacket{}, {.destination = other})),
              dropped(DropReason::foreign_mac));
  }
}

TEST(EthernetCheck, EachPortHasItsOwnAddress) {
  PacketHarness node;
  const auto to_port0 = frame(Ipv4{}), to_port1 = frame(Ipv4{}, {.destination = kPort1Mac});
  EXPECT_EQ(node.run(Entrance::port0, to_port0).fate, Fate::transmit);
  EXPECT_EQ(node.run(Entrance::port1, to_port1).fate, Fate::transmit);
  EXPECT_EQ(node.run(Entrance::port1, to_port0), dropped(DropReason::foreign_mac));
}

TEST(EthernetCheck, FabricFramesDoNotGetInByAnExternalPort) {
  PacketHarness node;
  for (const auto* like_fabric : {"d2:00:10:01:20:00", "d2:ff:ff:ff:ff:ff", "d6:00:00:00:00:00"}) {
    EXPECT_EQ(node.from_port(frame(Ipv4{}, {.destination = mac(like_fabric)})),
              dropped(DropReason::fabric_frame_on_external_port))
        << like_fabric;
  }
}

TEST(EthernetCheck, EveryOtherEtherTypeIsUnsupported) {
  PacketHarness node;
  for (std::uint32_t type = 0; type < 0x10000; ++type) {
    const auto outcome = node.from_port(of_type(static_cast<std::uint16_t>(type)));
    switch (type) {
      case kIpv4Type: ASSERT_EQ(outcome.fate, Fate::transmit); break;
      case kIpv6Type: ASSERT_EQ(outcome, dropped(DropReason::ipv6_malformed)); break;
      case kArpType: ASSERT_EQ(outcome, dropped(DropReason::arp_malformed)); break;
      case kVlanType: ASSERT_EQ(outcome, dropped(DropReason::vlan_unknown)); break;
      case kServiceType: ASSERT_EQ(outcome, dropped(DropReason::vlan_unsupported)); break;
      default: ASSERT_EQ(outcome, dropped(DropReason::ethertype_unsupported)) << type;
    }
  }
}

// RFC 1812 5.3.4: a router must not forward what came to a group of the link.
TEST(EthernetCheck, GroupFramesWithUnicastPacketsAreDropped) {
  PacketHarness node;
  const auto ipv4_group = mac("01:00:5e:00:00:05"), ipv6_group = mac("33:33:00:00:00:01");
  for (const auto& group : {kBroadcastMac, ipv4_group, ipv6_group}) {
    const Ethernet to_group{.destination = group};
    EXPECT_EQ(node.from_port(frame(Ipv4{}, to_group)), dropped(DropReason::l2_group_ip_unicast));
    EXPECT_EQ(node.from_port(frame(Ipv6{}, to_group)), dropped(DropReason::l2_group_ip_unicast));
    // Nor does the router take it for itself.
    EXPECT_EQ(node.from_port(frame(Ipv4{.destination = "10.0.0.1"}, to_group)),
              dropped(DropReason::l2_group_ip_unicast));
    EXPECT_EQ(node.from_port(frame(Ipv6{.destination = "2001:db8::1"}, to_group)),
              dropped(DropReason::l2_group_ip_unicast));
    EXPECT_EQ(node.from_port(frame(Ipv6{.destination = "fe80::1"}, to_group)),
              dropped(DropReason::l2_group_ip_unicast));
  }
}

}  // namespace
}  // namespace rackway::node::testing
