// SPDX-License-Identifier: Apache-2.0
// A flow keeps its path, fragments keep that of their datagram, and flows spread over the members
// of a group.
#include "node/stage/flow_hash.hh"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

constexpr std::uint8_t kDccp = 33, kFragmentHeader = 44, kIcmpv6 = 58, kSctp = 132, kUdpLite = 136;

Ipv4 ecmp4(std::uint16_t source_port, std::uint8_t protocol = kUdp) {
  return {
      .destination = ipv4_to(kViaFour), .protocol = protocol, .payload = ports(source_port, 2000)};
}
Ipv6 ecmp6(std::uint16_t source_port, std::uint8_t protocol = kUdp) {
  return {.destination = ipv6_to(kViaFour),
          .next_header = protocol,
          .payload = ports(source_port, 2000)};
}

// Outputs over which a thousand source ports go, with the number of flows of each.
template <class MakePacket>
std::map<std::size_t, int> spread(PacketHarness& node, const MakePacket& make_packet) {
  std::map<std::size_t, int> outputs;
  for (std::uint16_t port = 0; port < 1000; ++port) {
    const auto outcome = node.from_port(frame(make_packet(port)));
    EXPECT_EQ(outcome.fate, Fate::transmit);
    ++outputs[outcome.output];
  }
  return outputs;
}

TEST(FlowHash, ProtocolsWithPorts) {
  for (int protocol = 0; protocol < 256; ++protocol) {
    const bool expected = protocol == kTcp || protocol == kUdp || protocol == kSctp ||
                          protocol == kDccp || protocol == kUdpLite;
    EXPECT_EQ(has_ports(static_cast<std::uint8_t>(protocol)), expected) << protocol;
  }
}

TEST(FlowHash, PortsSpreadFlowsOverAllMembersEvenly) {
  PacketHarness node;
  for (const auto protocol : {kTcp, kUdp, kSctp, kDccp, kUdpLite}) {
    for (const auto& outputs :
         {spread(node, [&](std::uint16_t port) { return ecmp4(port, protocol); }),
          spread(node, [&](std::uint16_t port) { return ecmp6(port, protocol); })}) {
      EXPECT_EQ(outputs.size(), 4u) << int{protocol};
      for (const auto& [output, flows] : outputs) EXPECT_NEAR(flows, 250, 75) << output;
    }
  }
}

TEST(FlowHash, DestinationPortsCountToo) {
  PacketHarness node;
  const auto outputs = spread(node, [](std::uint16_t port) {
    auto packet = ecmp4(1);
    packet.payload = ports(1, port);
    return packet;
  });
  EXPECT_EQ(outputs.size(), 4u);
}

TEST(FlowHash, AddressesSpreadFlowsOverAllMembersEvenly) {
  PacketHarness node;
  const auto by_source4 = spread(node, [](std::uint16_t i) {
    auto packet = ecmp4(1);
    packet.source = "192.0." + std::to_string(i / 256) + "." + std::to_string(i % 256);
    return packet;
  });
  const auto by_destination4 = spread(node, [](std::uint16_t i) {
    auto packet = ecmp4(1);
    packet.destination =
        ipv4_to(kViaFour, ".0." + std::to_string(i / 256) + "." + std::to_string(i % 256));
    return packet;
  });
  const auto by_source6 = spread(node, [](std::uint16_t i) {
    auto packet = ecmp6(1);
    packet.source = "2001:db8:77::" + std::to_string(i);
    return packet;
  });
  for (const auto& outputs : {by_source4, by_destination4, by_source6}) {
    EXPECT_EQ(outputs.size(), 4u);
    for (const auto& [output, flows] : outputs) EXPECT_NEAR(flows, 250, 75) << output;
  }
}

TEST(FlowHash, WithoutPortsOnlyTheAddressesCount) {
  PacketHarness node;
  for (const std::uint8_t protocol : {std::uint8_t{1}, std::uint8_t{47}, std::uint8_t{50}}) {
    EXPECT_EQ(spread(node, [&](std::uint16_t port) { return ecmp4(port, protocol); }).size(), 1u);
  }
  for (const auto protocol : {kFragmentHeader, kIcmpv6, std::uint8_t{50}, std::uint8_t{59}}) {
    EXPECT_EQ(spread(node, [&](std::uint16_t port) { return ecmp6(port, protocol); }).size(), 1u);
  }
}

TEST(FlowHash, AFlowKeepsItsPathWhateverElseChanges) {
  PacketHarness node({.mode = topo::SteeringMode::valiant});
  for (std::uint16_t port = 0; port < 200; ++port) {
    const auto path4 = node.from_port(frame(ecmp4(port)));
    auto other4 = ecmp4(port);
    other4.ttl = 7;
    other4.tos = 0xb8;
    other4.id = static_cast<std::uint16_t>(port * 7);
    other4.payload = ports(port, 2000, 100);
    EXPECT_EQ(node.from_port(frame(other4)).output, path4.output) << port;
    const auto path6 = node.from_port(frame(ecmp6(port)));
    auto other6 = ecmp6(port);
    other6.hop_limit = 7;
    other6.payload = ports(port, 2000, 100);
    EXPECT_EQ(node.from_port(frame(other6)).output, path6.output) << port;
  }
}

// The first has ports, the last may have one octet; none may go by what stands where ports would.
TEST(FlowHash, FragmentsOfADatagramGoTheSameWay) {
  PacketHarness node({.mode = topo::SteeringMode::valiant});
  std::map<std::size_t, int> outputs;
  for (int host = 0; host < 200; ++host) {
    auto first = ecmp4(static_cast<std::uint16_t>(host));
    first.source = "192.0.2." + std::to_string(host);
    first.fragment = 0x2000;
    const auto path = node.from_port(frame(first)).output;
    ++outputs[path];
    for (const std::uint16_t fragment : {0x2001, 0x3fff, 0x0001, 0x1fff}) {
      for (const std::size_t size : {1, 3, 4, 7, 8, 100}) {
        auto later = first;
        later.fragment = fragment;
        later.payload = counting(size, static_cast<std::uint8_t>(host * 3));
        EXPECT_EQ(node.from_port(frame(later)).output, path) << host << " " << size;
        EXPECT_EQ(node.from_port(padded(frame(later), 60)).output, path);
      }
    }
  }
  EXPECT_EQ(outputs.size(), 5u);  // two ports, three links: the hosts do spread
}

// Ports count wherever the upper layer begins, and make the same path as without the headers before
// it; in fragments of IPv6 they do not.
TEST(FlowHash, ExtensionHeadersAreLookedThrough) {
  PacketHarness node({.mode = topo::SteeringMode::valiant});
  const Bytes options{kUdp, 0, 1, 4, 0, 0, 0, 0};
  std::map<std::size_t, int> outputs;
  for (std::uint16_t port = 0; port < 200; ++port) {
    const auto path = node.from_port(frame(ecmp6(port))).output;
    ++outputs[path];
    auto other = ecmp6(port, 60);
    other.payload = join({options, ports(port, 2000)});
    EXPECT_EQ(node.from_port(frame(other)).output, path) << port;
  }
  EXPECT_EQ(outputs.size(), 5u);
}

TEST(FlowHash, Ipv6FragmentsOfADatagramGoTheSameWay) {
  PacketHarness node({.mode = topo::SteeringMode::valiant});
  std::map<std::size_t, int> outputs;
  for (int host = 0; host < 200; ++host) {
    auto first = ecmp6(1, kFragmentHeader);
    first.source = "2001:db8:77::" + std::to_string(host);
    first.payload = join({Bytes{kUdp, 0, 0, 1, 0, 0, 0, 9}, ports(7, 8)});
    const auto path = node.from_port(frame(first)).output;
    ++outputs[path];
    for (const std::uint8_t named : {kUdp, std::uint8_t{60}, kIcmpv6}) {
      for (const std::size_t size : {0, 1, 4, 100}) {
        auto later = first;
        later.payload = join({Bytes{named, 0, 0, 9, 0, 0, 0, 9},
                              counting(size, static_cast<std::uint8_t>(host * 3))});
        EXPECT_EQ(node.from_port(frame(later)).output, path) << host << " " << size;
      }
    }
  }
  EXPECT_EQ(outputs.size(), 5u);
}

TEST(FlowHash, DontFragmentIsNoFragment) {
  PacketHarness node;
  const auto outputs = spread(node, [](std::uint16_t port) {
    auto packet = ecmp4(port);
    packet.fragment = 0x4000;
    return packet;
  });
  EXPECT_EQ(outputs.size(), 4u);
}

// What is behind the packet in a padded frame is not its ports.
TEST(FlowHash, PaddingIsNotPorts) {
  PacketHarness node;
  for (const std::size_t payload : {0, 1, 3}) {
    const auto outputs4 = spread(node, [&](std::uint16_t port) {
      auto packet = ecmp4(port);
      packet.total_length = static_cast<std::uint16_t>(20 + payload);
      std::fill_n(packet.payload.begin(), payload, 0);
      return packet;
    });
    EXPECT_EQ(outputs4.size(), 1u) << payload;
    const auto outputs6 = spread(node, [&](std::uint16_t port) {
      auto packet = ecmp6(port);
      packet.payload_length = static_cast<std::uint16_t>(payload);
      std::fill_n(packet.payload.begin(), payload, 0);
      return packet;
    });
    EXPECT_EQ(outputs6.size(), 1u) << payload;
  }
}

}  // namespace
}  // namespace rackway::node::testing
