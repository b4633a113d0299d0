// SPDX-License-Identifier: Apache-2.0
// Packets too big for their next hop, as they leave the node: in fragments.
#include "node/stage/fragment.hh"

#include <gtest/gtest.h>

#include <set>

#include "tests/node/packet_harness.hh"
#include "tests/node/sound_output.hh"

namespace rackway::node::testing {
namespace {

Ipv4 big(SampleGroup to, std::size_t size) {
  return {.destination = ipv4_to(to), .ttl = 9, .payload = counting(size - 20)};
}

std::vector<std::size_t> sizes_of(const std::vector<Outcome>& generated) {
  std::vector<std::size_t> sizes;
  for (const auto& own : generated) sizes.push_back(own.bytes.size() - kEthernet);
  return sizes;
}

void expect_all_by(const PacketHarness& node, std::size_t output, const Bytes& macs) {
  for (const auto& own : node.generated) {
    EXPECT_EQ(own.output, output);
    EXPECT_EQ(Bytes(own.bytes.begin(), own.bytes.begin() + kMacs), macs);
  }
}

// fault_in_generated: they are the packet, with one hop less, when put together.
void expect_fragments(PacketHarness& node, const Bytes& received,
                      const std::vector<std::size_t>& sizes, const Reception& how = {}) {
  const auto outcome = node.from_port(received, how);
  EXPECT_EQ(outcome, dropped(DropReason::fragmented));
  EXPECT_EQ(sizes_of(node.generated), sizes);
  EXPECT_STREQ(fault_in_generated(received, outcome, node.generated), nullptr);
}

TEST(Fragment, ToALocalNeighbor) {
  PacketHarness node;
  expect_fragments(node, frame(big(kViaC, 1281)), {1276, 25});
  expect_fragments(node, frame(big(kViaC, 1500)), {1276, 244});
  expect_fragments(node, frame(big(kViaC, 3028)), {1276, 1276, 516});
  expect_all_by(node, kPort1, join({kNeighborC.bytes, kPort1Mac.bytes}));
  expect_fragments(node, frame(big(kViaB, 3028)), {1500, 1500, 68});
}

// The small MTU is that of another node's port; the pieces are made here.
TEST(Fragment, ToAnotherNode) {
  PacketHarness node;
  expect_fragments(node, frame(big(kViaNode2Small, 1500)), {1276, 244});
  expect_all_by(node, kToNode2, hex("d2 00 20 02 20 00  ae 00 10 00 00 01"));
}

TEST(Fragment, FragmentsAreCutOnce) {
  PacketHarness node;
  for (const std::uint16_t field : {0x2000, 0x2010, 0x0010}) {
    auto packet = big(kViaC, 1500);
    packet.fragment = field;
    expect_fragments(node, frame(packet), {1276, 244});
  }
}

TEST(Fragment, TheSameHoweverTheFrameLies) {
  PacketHarness node;
  const auto received = frame(big(kViaC, 1500));
  for (const std::size_t split : {34, 60, 700, 1514}) {
    expect_fragments(node, received, {1276, 244}, {.split = split});
    expect_fragments(node, padded(received, 1520, 0xee), {1276, 244}, {.split = split});
  }
}

// Counters tell packets that came in from frames of the node's own.
TEST(Fragment, Counting) {
  PacketHarness node;
  node.from_port(frame(big(kViaC, 3028)));
  const auto in = node.place_of(Entrance::port0).counters.read();
  EXPECT_EQ(in.received, 1u);
  EXPECT_EQ(in.sent, 0u);
  EXPECT_EQ(in.dropped[static_cast<std::size_t>(DropReason::fragmented)], 1u);
  EXPECT_EQ(in.icmp_sent + in.icmp_withheld, 0u);
  const auto own = node.generated_counters();
  EXPECT_EQ(own.received, 3u);
  EXPECT_EQ(own.received_bytes, 1276u + 1276 + 516 + 3 * kEthernet);
  EXPECT_EQ(own.sent, 3u);
  EXPECT_EQ(node.places.outputs[kPort1]->counters.read().transmitted, 3u);
}

// By the hash of their packet, hence by the way of its flow and the next hop that they are cut for.
TEST(Fragment, AllOfAPacketGoItsFlowsWay) {
  PacketHarness node({.mode = topo::SteeringMode::valiant});
  std::set<std::size_t> outputs;
  for (std::uint16_t port = 0; port < 200; ++port) {
    auto packet = big(kViaFour, 20);
    packet.payload = ports(port, 2000, 100);
    const auto way = node.from_port(frame(packet)).output;
    packet.payload = ports(port, 2000, 4000);
    node.from_port(frame(packet));
    ASSERT_EQ(node.generated.size(), 3u);
    for (const auto& own : node.generated) EXPECT_EQ(own.output, way) << port;
    outputs.insert(way);
  }
  EXPECT_EQ(outputs.size(), 5u);
}

// What holds for a packet holds for its fragments.
TEST(Fragment, TheirOwnTroubleIsCounted) {
  PacketHarness node;
  node.places.outputs[kToNode2]->usable = false;
  EXPECT_EQ(node.from_port(frame(big(kViaNode2Small, 1500))), dropped(DropReason::fragmented));
  EXPECT_EQ(node.generated.size(), 0u);
  const auto own = node.generated_counters();
  EXPECT_EQ(own.received, 2u);
  EXPECT_EQ(own.dropped[static_cast<std::size_t>(DropReason::tx_port_down)], 2u);
}

// All or none, and others of the burst are not concerned.
TEST(Fragment, ABurstGivesNoMoreThanItMay) {
  PacketHarness node;
  std::vector<rte_mbuf*> frames;
  for (int i = 0; i < kBurst; ++i) frames.push_back(new_frame(frame(big(kViaC, 16'000))));
  constexpr std::size_t kPieces = 13;  // of 16,000 octets in 1,280
  const auto outcomes = node.run(Entrance::port0, frames);
  std::size_t cut = 0;
  for (const auto& outcome : outcomes) {
    if (outcome == dropped(DropReason::fragmented)) ++cut;
    EXPECT_TRUE(outcome == dropped(DropReason::fragmented) ||
                outcome == dropped(DropReason::too_many_fragments));
  }
  EXPECT_EQ(cut, Generated::kMost / kPieces);
  EXPECT_EQ(node.generated_counters().received, cut * kPieces);
  // The next burst begins anew.
  EXPECT_EQ(node.from_port(frame(big(kViaC, 16'000))), dropped(DropReason::fragmented));
}

TEST(Fragment, BehindTheEndOfWhatAnOffsetCanSay) {
  PacketHarness node;
  auto packet = big(kViaC, 1500);
  packet.fragment = 0x1fff;
  EXPECT_EQ(node.from_port(frame(packet)), dropped(DropReason::ipv4_malformed));
  EXPECT_EQ(node.generated.size(), 0u);
}

TEST(Fragment, WithoutBuffersNone) {
  PacketHarness node;
  node.keep_output = true;  // the harness would miss the buffers
  for (const unsigned left : {0, 1, 2}) {
    const auto taken = packet_pool().all_but(left);
    EXPECT_EQ(node.from_port(frame(big(kViaC, 3028))), dropped(DropReason::no_buffers));
    EXPECT_EQ(packet_pool().free_buffers(), left);
  }
  EXPECT_EQ(node.generated_counters().received, 0u);
}

}  // namespace
}  // namespace rackway::node::testing
