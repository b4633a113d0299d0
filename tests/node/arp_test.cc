// SPDX-License-Identifier: Apache-2.0
#include "node/stage/arp.hh"

#include <gtest/gtest.h>

#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

constexpr std::uint16_t kReply = 2;
const HarnessOptions kControllerAway{.controller_present = false};
const MacAddress kStranger = mac("02:dd:00:00:00:09");

ArpPacket from_stranger() {
  return {.sender_mac = kStranger, .sender = "10.0.0.77"};
}

// RFC 826: the same packet with the fields swapped, our MAC filled in, sent back.
Bytes reply_to(const ArpPacket& request, const MacAddress& own) {
  return frame(ArpPacket{.operation = kReply,
                         .sender_mac = own,
                         .sender = request.target,
                         .target_mac = request.sender_mac,
                         .target = request.sender},
               {.destination = request.sender_mac, .source = own});
}

TEST(Arp, AKnownNeighborIsAnswered) {
  PacketHarness node;
  const ArpPacket request;
  EXPECT_EQ(node.from_port(frame(request)), sent(kPort0, reply_to(request, kPort0Mac)));
}

TEST(Arp, TheAnswerInGoldenOctets) {
  PacketHarness node;
  const auto request =
      hex("ff ff ff ff ff ff 02 aa 00 00 00 01 08 06 00 01 08 00 06 04 00 01"
          "02 aa 00 00 00 01 0a 00 00 02 00 00 00 00 00 00 0a 00 00 01");
  const auto reply =
      hex("02 aa 00 00 00 01 02 52 57 00 00 00 08 06 00 01 08 00 06 04 00 02"
          "02 52 57 00 00 00 0a 00 00 01 02 aa 00 00 00 01 0a 00 00 02");
  EXPECT_EQ(node.from_port(request), sent(kPort0, reply));
}

TEST(Arp, PaddingComesBack) {
  PacketHarness node;
  const ArpPacket request;
  EXPECT_EQ(node.from_port(padded(frame(request), 60)),
            sent(kPort0, padded(reply_to(request, kPort0Mac), 60)));
}

TEST(Arp, AUnicastRequestIsAnsweredToo) {
  PacketHarness node;
  const ArpPacket request{.target_mac = kPort0Mac};
  EXPECT_EQ(node.from_port(frame(request, {})), sent(kPort0, reply_to(request, kPort0Mac)));
}

TEST(Arp, TheOtherPortAnswersForItself) {
  PacketHarness node;
  const ArpPacket request{.sender_mac = kNeighborB, .sender = "10.0.1.2", .target = "10.0.1.1"};
  const auto received = frame(request, {.destination = kBroadcastMac, .source = kNeighborB});
  EXPECT_EQ(node.run(Entrance::port1, received), sent(kPort1, reply_to(request, kPort1Mac)));
  EXPECT_EQ(node.run(Entrance::port0, received), dropped(DropReason::arp_not_for_us));
}

TEST(Arp, WhoIsNotKnownIsLeftToTheKernel) {
  PacketHarness node;
  const auto unknown = frame(from_stranger(), {.destination = kBroadcastMac, .source = kStranger});
  EXPECT_EQ(node.from_port(unknown), punted(PuntClass::neighbor, unknown));
  // Known address, new MAC.
  const auto moved = frame(ArpPacket{.sender_mac = kStranger},
                           {.destination = kBroadcastMac, .source = kStranger});
  EXPECT_EQ(node.from_port(moved), punted(PuntClass::neighbor, moved));
  // Known on another port.
  const auto strayed = frame(ArpPacket{.sender_mac = kNeighborB, .sender = "10.0.1.2"},
                             {.destination = kBroadcastMac, .source = kNeighborB});
  EXPECT_EQ(node.from_port(strayed), punted(PuntClass::neighbor, strayed));
  // Not on the subnet, behind several next hops or behind another node.
  for (const auto& sender : {ipv4_to(kViaFour), ipv4_to(kViaNode2), ipv4_to(kBlackhole)}) {
    const auto foreign = frame(ArpPacket{.sender = sender});
    EXPECT_EQ(node.from_port(foreign), punted(PuntClass::neighbor, foreign)) << sender;
  }
  const auto probe = frame(ArpPacket{.sender = "0.0.0.0"});  // RFC 5227 2.1.1
  EXPECT_EQ(node.from_port(probe), punted(PuntClass::neighbor, probe));
}

TEST(Arp, EverybodyIsAnsweredWhileTheControllerIsAway) {
  PacketHarness node(kControllerAway);
  const auto request = from_stranger();
  EXPECT_EQ(node.from_port(frame(request, {.destination = kBroadcastMac, .source = kStranger})),
            sent(kPort0, reply_to(request, kPort0Mac)));
  const ArpPacket probe{.sender = "0.0.0.0"};
  EXPECT_EQ(node.from_port(frame(probe)), sent(kPort0, reply_to(probe, kPort0Mac)));
}

TEST(Arp, RequestsForOthersAreDropped) {
  for (const bool present : {true, false}) {
    PacketHarness node({.controller_present = present});
    // A host, the other port's address, another node's, none.
    for (const auto* target : {"10.0.0.77", "10.0.1.1", "10.2.0.1", "0.0.0.0"}) {
      EXPECT_EQ(node.from_port(frame(ArpPacket{.target = target})),
                dropped(DropReason::arp_not_for_us))
          << target;
    }
  }
}

TEST(Arp, WhatTheKernelLearnsFromIsPunted) {
  PacketHarness node;
  const auto reply = frame(ArpPacket{.operation = kReply, .target_mac = kPort0Mac}, {});
  EXPECT_EQ(node.from_port(reply), punted(PuntClass::neighbor, reply));
  for (const std::uint16_t operation : {1, 2}) {
    const auto announcement =
        frame(ArpPacket{.operation = operation, .sender = "10.0.0.77", .target = "10.0.0.77"});
    EXPECT_EQ(node.from_port(announcement), punted(PuntClass::neighbor, announcement));
  }
  // Somebody else uses our address.
  const auto conflict = frame(ArpPacket{.sender = "10.0.0.1"});
  EXPECT_EQ(node.from_port(conflict), punted(PuntClass::neighbor, conflict));
}

TEST(Arp, MalformedPacketsAreDropped) {
  struct Case {
    const char* what;
    ArpPacket packet;
    Ethernet header{.destination = kBroadcastMac};
  };
  const MacAddress group = mac("03:aa:00:00:00:01");
  const Case cases[] = {
      {"hardware type", {.hardware = 6}},
      {"hardware type's high octet", {.hardware = 0x0101}},
      {"protocol type", {.protocol = 0x86dd}},
      {"hardware length", {.hardware_length = 5}},
      {"hardware length", {.hardware_length = 0}},
      {"hardware length", {.hardware_length = 255}},
      {"protocol length", {.protocol_length = 3}},
      {"protocol length", {.protocol_length = 16}},
      {"operation", {.operation = 0}},
      {"reverse ARP", {.operation = 3}},
      {"operation's high octet", {.operation = 0x0101}},
      {"operation", {.operation = 0xffff}},
      {"sender is not the frame's", {.sender_mac = kStranger}},
      {"frame's source is not the sender", {}, {kBroadcastMac, kStranger}},
      {"sender is a group", {.sender_mac = group}, {kBroadcastMac, group}},
      {"sender is everybody", {.sender_mac = kBroadcastMac}, {kBroadcastMac, kBroadcastMac}},
  };
  for (const bool present : {true, false}) {
    PacketHarness node({.controller_present = present});
    for (const auto& [what, packet, header] : cases) {
      for (const auto operation : {packet.operation, std::uint16_t{2}}) {
        if (operation == 2 && packet.operation != 1) continue;
        auto wrong = packet;
        wrong.operation = operation;
        EXPECT_EQ(node.from_port(frame(wrong, header)), dropped(DropReason::arp_malformed)) << what;
      }
    }
  }
}

TEST(Arp, EveryTruncationIsMalformed) {
  for (const bool present : {true, false}) {
    PacketHarness node({.controller_present = present});
    const auto whole = frame(ArpPacket{});
    for (std::size_t size = kEthernet; size < whole.size(); ++size) {
      const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_EQ(node.from_port(cut), dropped(DropReason::arp_malformed)) << size;
      EXPECT_EQ(node.from_port(whole, {.split = size}), dropped(DropReason::arp_malformed)) << size;
    }
  }
}

}  // namespace
}  // namespace rackway::node::testing
