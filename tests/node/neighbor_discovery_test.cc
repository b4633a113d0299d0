// SPDX-License-Identifier: Apache-2.0
#include "node/stage/neighbor_discovery.hh"

#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

constexpr std::uint8_t kRouterSolicitation = 133, kRouterAdvertisement = 134, kSolicitation = 135,
                       kAdvertisement = 136, kRedirect = 137;
constexpr std::uint8_t kSourceOption = 1, kTargetOption = 2;
const MacAddress kStranger = mac("02:dd:00:00:00:09");
const MacAddress kSolicitedNodeMac = mac("33:33:ff:00:00:01");
const HarnessOptions kControllerAway{.controller_present = false};
// A receive buffer has room behind the frame; an answer may need eight octets of it.
constexpr Reception kRoom{.tailroom = 64};

// Reserved or flags, then the target, then options.
Bytes target_body(const std::string& target, const Bytes& options = {}, std::uint8_t flags = 0) {
  return join({Bytes{flags, 0, 0, 0}, octets_of(target), options});
}

Icmpv6 solicitation(const Bytes& options = link_layer_option(kSourceOption, kHostMac)) {
  return {.type = kSolicitation, .body = target_body("2001:db8::1", options)};
}

Bytes to_group(const Icmpv6& message, const MacAddress& source = kHostMac) {
  return frame(message, {.destination = kSolicitedNodeMac, .source = source});
}

// RFC 4861 7.2.4: router, solicited, override, and our MAC.
Bytes advertisement(const std::string& target, const std::string& asker,
                    const MacAddress& asker_mac = kHostMac) {
  return frame(
      Icmpv6{.source = target,
             .destination = asker,
             .type = kAdvertisement,
             .body = target_body(target, link_layer_option(kTargetOption, kPort0Mac), 0xe0)},
      {.destination = asker_mac, .source = kPort0Mac});
}

void expect_dropped_by_all(const Bytes& received, DropReason reason, const std::string& what) {
  for (const bool present : {true, false}) {
    PacketHarness node({.controller_present = present});
    EXPECT_EQ(node.from_port(received, kRoom), dropped(reason)) << what;
    EXPECT_EQ(node.from_port(received), dropped(reason)) << what;
  }
}

TEST(NeighborDiscovery, AKnownNeighborIsAnswered) {
  PacketHarness node;
  EXPECT_EQ(node.from_port(to_group(solicitation())),
            sent(kPort0, advertisement("2001:db8::1", "2001:db8::2")));
}

TEST(NeighborDiscovery, TheAnswerInGoldenOctets) {
  PacketHarness node;
  const auto asked = hex(
      "33 33 ff 00 00 01 02 aa 00 00 00 01 86 dd 60 00 00 00 00 20 3a ff"
      "20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 02 ff 02 00 00 00 00 00 00 00 00 00 01 ff 00"
      "00 01 87 00 1b 7e 00 00 00 00 20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 01"
      "01 01 02 aa 00 00 00 01");
  const auto answer = hex(
      "02 aa 00 00 00 01 02 52 57 00 00 00 86 dd 60 00 00 00 00 20 3a ff"
      "20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 01 20 01 0d b8 00 00 00 00 00 00 00 00 00 00"
      "00 02 88 00 b3 21 e0 00 00 00 20 01 0d b8 00 00 00 00 00 00 00 00 00 00 00 01"
      "02 01 02 52 57 00 00 00");
  ASSERT_EQ(asked, to_group(solicitation()));
  EXPECT_EQ(node.from_port(asked), sent(kPort0, answer));
}

TEST(NeighborDiscovery, WithoutAnOptionTheFrameGrows) {
  PacketHarness node;
  const auto unicast = frame(Icmpv6{
      .destination = "2001:db8::1", .type = kSolicitation, .body = target_body("2001:db8::1")});
  EXPECT_EQ(node.from_port(unicast, kRoom),
            sent(kPort0, advertisement("2001:db8::1", "2001:db8::2")));
  EXPECT_EQ(node.from_port(padded(unicast, 80), kRoom),
            sent(kPort0, advertisement("2001:db8::1", "2001:db8::2")));
}

TEST(NeighborDiscovery, AFrameThatCanNotGrowIsPuntedAsItIs) {
  PacketHarness node;
  const auto received = to_group(solicitation({}));
  for (std::size_t room = 0; room < 8; ++room) {
    EXPECT_EQ(node.from_port(received, {.tailroom = room}), punted(PuntClass::neighbor, received));
  }
}

TEST(NeighborDiscovery, WithMoreOptionsOrPaddingTheFrameShrinks) {
  PacketHarness node;
  const auto nonce = join({Bytes{14, 1}, counting(6)});  // RFC 3971
  const auto unknown = join({Bytes{200, 2}, counting(14)});
  const auto options = join({nonce, link_layer_option(kSourceOption, kHostMac), unknown});
  const auto expected = sent(kPort0, advertisement("2001:db8::1", "2001:db8::2"));
  EXPECT_EQ(node.from_port(to_group(solicitation(options))), expected);
  EXPECT_EQ(node.from_port(padded(to_group(solicitation(options)), 300, 0xee)), expected);
}

TEST(NeighborDiscovery, WhoIsNotKnownIsLeftToTheKernel) {
  PacketHarness node;
  auto stranger = solicitation(link_layer_option(kSourceOption, kStranger));
  stranger.source = "2001:db8::77";
  auto link_local = solicitation();
  link_local.source = "fe80::7";
  const auto moved = solicitation(link_layer_option(kSourceOption, kStranger));
  for (const auto& received :
       {to_group(stranger, kStranger), to_group(link_local), to_group(moved, kStranger)}) {
    EXPECT_EQ(node.from_port(received, kRoom), punted(PuntClass::neighbor, received));
  }
}

// The neighbour shows itself by the option: another MAC in it is news for the kernel.
TEST(NeighborDiscovery, ANewMacInTheOptionIsLeftToTheKernel) {
  PacketHarness node;
  const auto moved = to_group(solicitation(link_layer_option(kSourceOption, kStranger)));
  EXPECT_EQ(node.from_port(moved, kRoom), punted(PuntClass::neighbor, moved));
}

TEST(NeighborDiscovery, EverybodyIsAnsweredWhileTheControllerIsAway) {
  PacketHarness node(kControllerAway);
  auto stranger = solicitation(link_layer_option(kSourceOption, kStranger));
  stranger.source = "2001:db8::77";
  EXPECT_EQ(node.from_port(to_group(stranger, kStranger)),
            sent(kPort0, advertisement("2001:db8::1", "2001:db8::77", kStranger)));
  const Icmpv6 link_local{
      .source = "fe80::7",
      .type = kSolicitation,
      .body = target_body("fe80::1", link_layer_option(kSourceOption, kHostMac))};
  EXPECT_EQ(node.from_port(to_group(link_local)),
            sent(kPort0, advertisement("fe80::1", "fe80::7")));
}

// RFC 4861 7.2.4: the answer goes where the option says the asker is.
TEST(NeighborDiscovery, TheAnswerGoesToTheMacInTheOption) {
  PacketHarness node(kControllerAway);
  const auto received = to_group(solicitation(link_layer_option(kSourceOption, kStranger)));
  EXPECT_EQ(node.from_port(received),
            sent(kPort0, advertisement("2001:db8::1", "2001:db8::2", kStranger)));
}

TEST(NeighborDiscovery, OthersAreNotAnsweredFor) {
  for (const auto* target :
       {"2001:db8::77", "2001:db8:1::1", "fe80::11", "2001:db8::2", "::", "10::1"}) {
    Icmpv6 message = solicitation();
    message.body = target_body(target);
    expect_dropped_by_all(to_group(message), DropReason::nd_not_for_us, target);
  }
}

TEST(NeighborDiscovery, AProbeForOurAddressGoesToTheKernel) {
  for (const bool present : {true, false}) {
    PacketHarness node({.controller_present = present});
    const auto probe =
        to_group({.source = "::", .type = kSolicitation, .body = target_body("2001:db8::1")});
    EXPECT_EQ(node.from_port(probe, kRoom), punted(PuntClass::neighbor, probe));
  }
}

// RFC 4861 7.1.1, one rule broken at a time.
TEST(NeighborDiscovery, SolicitationsThatMustBeDiscarded) {
  const auto source_option = link_layer_option(kSourceOption, kHostMac);
  const auto with_options = [](const Bytes& options) { return solicitation(options); };
  struct Case {
    const char* what;
    std::function<void(Icmpv6&)> breaks;
  };
  const Case cases[] = {
      {"hop limit 254", [](Icmpv6& m) { m.hop_limit = 254; }},
      {"hop limit 1", [](Icmpv6& m) { m.hop_limit = 1; }},
      {"hop limit 0", [](Icmpv6& m) { m.hop_limit = 0; }},
      {"code 1", [](Icmpv6& m) { m.code = 1; }},
      {"code 255", [](Icmpv6& m) { m.code = 255; }},
      {"checksum 0", [](Icmpv6& m) { m.checksum = 0; }},
      {"checksum of all ones", [](Icmpv6& m) { m.checksum = 0xffff; }},
      {"length 23", [](Icmpv6& m) { m.payload_length = 23; }},
      {"length 0", [](Icmpv6& m) { m.payload_length = 0; }},
      {"length 8", [](Icmpv6& m) { m.payload_length = 8; }},
      {"an option cut short", [](Icmpv6& m) { m.payload_length = 31; }},
      {"one octet of an option", [](Icmpv6& m) { m.payload_length = 25; }},
      {"multicast target", [](Icmpv6& m) { m.body = target_body("ff02::1"); }},
      {"option of length 0",
       [&](Icmpv6& m) {
         m = with_options({kSourceOption, 0, 1, 2, 3, 4, 5, 6});
       }},
      {"option of length 0 behind a good one",
       [&](Icmpv6& m) {
         m = with_options(join({source_option, Bytes{14, 0, 0, 0, 0, 0, 0, 0}}));
       }},
      {"option that overruns",
       [&](Icmpv6& m) {
         m = with_options({14, 2, 0, 0, 0, 0, 0, 0});
       }},
      {"option that overruns by far",
       [&](Icmpv6& m) {
         m = with_options({14, 255, 0, 0, 0, 0, 0, 0});
       }},
      {"one octet behind the options",
       [&](Icmpv6& m) {
         m = with_options(join({source_option, Bytes{1}}));
       }},
      {"seven octets behind the options",
       [&](Icmpv6& m) {
         m = with_options(join({source_option, counting(7, 1)}));
       }},
      {"unspecified source with its MAC", [](Icmpv6& m) { m.source = "::"; }},
      {"unspecified source to one address",
       [](Icmpv6& m) {
         m.source = "::";
         m.destination = "2001:db8::1";
         m.body = target_body("2001:db8::1");
       }},
      {"unspecified source to all nodes",
       [](Icmpv6& m) {
         m.source = "::";
         m.destination = "ff02::1";
         m.body = target_body("2001:db8::1");
       }},
      {"unspecified source to almost a solicited-node group",
       [](Icmpv6& m) {
         m.source = "::";
         m.destination = "ff02::2:ff00:1";
         m.body = target_body("2001:db8::1");
       }},
  };
  for (const auto& [what, breaks] : cases) {
    Icmpv6 message = solicitation();
    breaks(message);
    expect_dropped_by_all(to_group(message), DropReason::nd_malformed, what);
  }
}

TEST(NeighborDiscovery, OneWrongBitInAMessageIsSeen) {
  PacketHarness node;
  const auto good = to_group(solicitation());
  const std::size_t icmp = kEthernet + 40;
  for (std::size_t bit = 0; bit < (good.size() - icmp) * 8; ++bit) {
    if (bit < 8) continue;  // another type
    Bytes bad = good;
    bad[icmp + bit / 8] ^= static_cast<std::uint8_t>(1 << bit % 8);
    EXPECT_EQ(node.from_port(bad, kRoom), dropped(DropReason::nd_malformed)) << bit;
  }
  for (std::size_t at = kEthernet + 8; at < icmp; ++at) {  // the addresses, by the pseudo header
    Bytes bad = good;
    bad[at] ^= 0x10;
    EXPECT_EQ(node.from_port(bad, kRoom).fate, Fate::drop) << at;
  }
}

TEST(NeighborDiscovery, AGroupCanNotAsk) {
  for (const auto& source : {kBroadcastMac, mac("33:33:00:00:00:01")}) {
    expect_dropped_by_all(to_group(solicitation({}), source), DropReason::nd_malformed,
                          source.to_string());
    expect_dropped_by_all(to_group(solicitation(link_layer_option(kSourceOption, source))),
                          DropReason::nd_malformed, source.to_string());
  }
}

struct Message {
  const char* what;
  Icmpv6 message;
};

std::vector<Message> sound_messages() {
  const Bytes redirect = join({Bytes(4), octets_of("fe80::9"), octets_of("2001:db8:77::1")});
  return {
      {"router solicitation",
       {.destination = "ff02::2", .type = kRouterSolicitation, .body = Bytes(4)}},
      {"router solicitation of somebody new",
       {.source = "::", .destination = "ff02::2", .type = kRouterSolicitation, .body = Bytes(4)}},
      {"router advertisement",
       {.source = "fe80::7",
        .destination = "ff02::1",
        .type = kRouterAdvertisement,
        .body = Bytes(12)}},
      {"advertisement, solicited",
       {.destination = "2001:db8::1",
        .type = kAdvertisement,
        .body = target_body("2001:db8::2", link_layer_option(kTargetOption, kHostMac), 0x60)}},
      {"advertisement to all",
       {.destination = "ff02::1",
        .type = kAdvertisement,
        .body = target_body("2001:db8::2", {}, 0x20)}},
      {"redirect",
       {.source = "fe80::7", .destination = "2001:db8::1", .type = kRedirect, .body = redirect}},
  };
}

TEST(NeighborDiscovery, WhatTheKernelMustSeeIsPunted) {
  PacketHarness node;
  for (const auto& [what, message] : sound_messages()) {
    const auto received = frame(message);
    EXPECT_EQ(node.from_port(received), punted(PuntClass::neighbor, received)) << what;
  }
}

TEST(NeighborDiscovery, AllOfItIsValidatedFirst) {
  for (const auto& [what, message] : sound_messages()) {
    auto far = message;
    far.hop_limit = 254;
    expect_dropped_by_all(frame(far), DropReason::nd_malformed, what);
    auto code = message;
    code.code = 1;
    expect_dropped_by_all(frame(code), DropReason::nd_malformed, what);
    auto sum = message;
    sum.checksum = 0x1234;
    expect_dropped_by_all(frame(sum), DropReason::nd_malformed, what);
    auto option = message;
    option.body = join({option.body, Bytes(8)});
    expect_dropped_by_all(frame(option), DropReason::nd_malformed, what);
    auto cut = message;
    cut.payload_length =
        static_cast<std::uint16_t>(message.type == kAdvertisement ? 23 : message.body.size() + 3);
    expect_dropped_by_all(frame(cut), DropReason::nd_malformed, what);
  }
}

// RFC 4861 6.1.1, 6.1.2, 7.1.2, 8.1: the rules that only one type has.
TEST(NeighborDiscovery, RulesOfOneType) {
  const auto source_option = link_layer_option(kSourceOption, kHostMac);
  const Message cases[] = {
      {"router solicitation of nobody with a MAC",
       {.source = "::",
        .destination = "ff02::2",
        .type = kRouterSolicitation,
        .body = join({Bytes(4), source_option})}},
      {"router advertisement from afar",
       {.destination = "ff02::1", .type = kRouterAdvertisement, .body = Bytes(12)}},
      {"advertisement of a group",
       {.destination = "2001:db8::1", .type = kAdvertisement, .body = target_body("ff02::1")}},
      {"advertisement to all that claims to be solicited",
       {.destination = "ff02::1",
        .type = kAdvertisement,
        .body = target_body("2001:db8::2", {}, 0x60)}},
      {"redirect from afar",
       {.destination = "2001:db8::1",
        .type = kRedirect,
        .body = join({Bytes(4), octets_of("fe80::9"), octets_of("2001:db8:77::1")})}},
      {"redirect of a group",
       {.source = "fe80::7",
        .destination = "2001:db8::1",
        .type = kRedirect,
        .body = join({Bytes(4), octets_of("fe80::9"), octets_of("ff0e::1")})}},
      {"redirect to neither a router nor the destination itself",
       {.source = "fe80::7",
        .destination = "2001:db8::1",
        .type = kRedirect,
        .body = join({Bytes(4), octets_of("2001:db8::9"), octets_of("2001:db8:77::1")})}},
  };
  for (const auto& [what, message] : cases) {
    expect_dropped_by_all(frame(message), DropReason::nd_malformed, what);
  }
}

TEST(NeighborDiscovery, EveryTruncationIsMalformed) {
  const auto whole = to_group(solicitation());
  for (std::size_t size = kEthernet; size < whole.size(); ++size) {
    Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    expect_dropped_by_all(cut, DropReason::ipv6_malformed, std::to_string(size));
  }
  // With the length field telling of it, from the first octet of the message on.
  for (std::size_t size = kEthernet + 41; size < whole.size(); ++size) {
    if (size == kEthernet + 40 + 24) continue;  // without the option it is sound
    Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    put16(cut, kEthernet + 4, size - kEthernet - 40);
    expect_dropped_by_all(cut, DropReason::nd_malformed, std::to_string(size));
  }
}

TEST(NeighborDiscovery, AMessageInTwoSegmentsIsNotRead) {
  PacketHarness node;
  const auto whole = to_group(solicitation());
  for (std::size_t split = kEthernet + 41; split < whole.size(); ++split) {
    EXPECT_EQ(node.from_port(whole, {.split = split}), dropped(DropReason::nd_malformed)) << split;
  }
}

TEST(NeighborDiscovery, OtherIcmpIsNotNeighborDiscovery) {
  PacketHarness node;
  for (int type = 0; type < 256; ++type) {
    if (type >= kRouterSolicitation && type <= kRedirect) continue;
    const auto received = frame(Icmpv6{.destination = "2001:db8::1",
                                       .type = static_cast<std::uint8_t>(type),
                                       .body = Bytes(4),
                                       .hop_limit = 64});
    EXPECT_EQ(node.from_port(received), punted(PuntClass::icmp, received)) << type;
  }
}

}  // namespace
}  // namespace rackway::node::testing
