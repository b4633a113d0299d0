// SPDX-License-Identifier: Apache-2.0
#include "node/stage/transmit.hh"

#include <gtest/gtest.h>

#include <vector>

#include "node/stage/inject.hh"
#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

std::uint64_t drops_of(const cluster::PlaceCounters& counters, DropReason reason) {
  return counters.dropped[static_cast<std::size_t>(reason)];
}

std::vector<rte_mbuf*> frames_of(std::span<const Bytes> all) {
  std::vector<rte_mbuf*> frames;
  for (const auto& bytes : all) frames.push_back(new_frame(bytes));
  return frames;
}

TEST(Inject, OutOfTheNamedPortAsItIs) {
  PacketHarness node;
  const Bytes frames[] = {frame(Ipv4{}), hex("00"), Bytes{}, counting(9014), frame(ArpPacket{})};
  for (const auto& bytes : frames) {
    EXPECT_EQ(node.from_controller(bytes, 0), sent(kPort0, bytes));
    EXPECT_EQ(node.from_controller(bytes, 1), sent(kPort1, bytes));
  }
  for (const auto port : {kPort0, kPort1}) {
    const auto counters = node.places.outputs[port]->counters.read();
    EXPECT_EQ(counters.injected, 5u);
    EXPECT_EQ(counters.transmitted, 5u);
    EXPECT_EQ(counters.transmitted_bytes, 44u + 16 + 1 + 9014 + 42);
    EXPECT_EQ(counters.received, 0u);
  }
  EXPECT_EQ(node.places.controller.counters.read().sent, 10u);
}

TEST(Inject, APortThatIsNotThereIsACountedDrop) {
  PacketHarness node;
  // The numbers behind the ports are the fabric links': nothing is injected there.
  for (const std::uint16_t port : {2, 3, 4, 5, 255, 0xffff}) {
    EXPECT_EQ(node.from_controller(frame(Ipv4{}), port), dropped(DropReason::inject_malformed));
  }
}

TEST(Inject, WhatIsInjectedIsCountedApart) {
  PacketHarness node;
  node.from_controller(frame(Ipv4{}), 1);
  node.from_port(frame(Ipv4{}));
  const auto counters = node.places.outputs[kPort1]->counters.read();
  EXPECT_EQ(counters.transmitted, 2u);
  EXPECT_EQ(counters.injected, 1u);
}

TEST(Transmit, APortThatIsDownIsACountedDrop) {
  PacketHarness node;
  node.places.outputs[kPort1]->usable.store(false);
  EXPECT_EQ(node.from_port(frame(Ipv4{})), dropped(DropReason::tx_port_down));
  EXPECT_EQ(node.from_controller(frame(Ipv4{}), 1), dropped(DropReason::tx_port_down));
  EXPECT_EQ(node.from_controller(frame(Ipv4{}), 0).fate, Fate::transmit);
  node.places.outputs[kToNode3]->usable.store(false);
  EXPECT_EQ(node.from_port(frame(Ipv4{.destination = ipv4_to(kViaNode3)})),
            dropped(DropReason::tx_port_down));
  const auto counters = node.places.outputs[kPort1]->counters.read();
  EXPECT_EQ(counters.transmitted + counters.transmitted_bytes + counters.injected, 0u);
  node.places.outputs[kPort1]->usable.store(true);
  EXPECT_EQ(node.from_port(frame(Ipv4{})).fate, Fate::transmit);
}

TEST(Transmit, AFullQueueDropsTheRestOfTheBurst) {
  PacketHarness node;
  node.keep_output = true;
  const std::vector<Bytes> burst(kBurst, frame(Ipv4{}));
  std::size_t sent_frames = 0, full = 0;
  for (int i = 0; i < 5; ++i) {
    bool refused = false;
    for (const auto& outcome : node.run(Entrance::port0, frames_of(burst))) {
      if (outcome.fate == Fate::transmit) {
        EXPECT_FALSE(refused);  // what is sent is the front of the burst
        ++sent_frames;
      } else {
        EXPECT_EQ(outcome, dropped(DropReason::tx_queue_full));
        refused = true;
        ++full;
      }
    }
  }
  EXPECT_EQ(sent_frames, kRingFrames);
  EXPECT_EQ(full, 5u * kBurst - kRingFrames);
  // Another port is not concerned.
  EXPECT_EQ(node.from_controller(frame(Ipv4{}), 0).fate, Fate::transmit);
  EXPECT_EQ(node.from_controller(frame(Ipv4{}), 1), dropped(DropReason::tx_queue_full));
  const auto counters = node.places.outputs[kPort1]->counters.read();
  EXPECT_EQ(counters.transmitted, kRingFrames);
  EXPECT_EQ(counters.transmitted_bytes, kRingFrames * frame(Ipv4{}).size());
  EXPECT_EQ(drops_of(node.places.outputs[kPort0]->counters.read(), DropReason::tx_queue_full),
            full);
  node.keep_output = false;
  node.drain();
  EXPECT_EQ(node.from_port(frame(Ipv4{})).fate, Fate::transmit);
}

TEST(Transmit, OrderIsKeptPerOutput) {
  PacketHarness node;
  std::vector<Bytes> burst;
  for (std::uint16_t i = 0; i < kBurst; ++i) {
    const auto group = std::array{kViaB, kViaHost, kViaNode2, kViaNode3}[i % 4];
    burst.push_back(frame(Ipv4{.destination = ipv4_to(group), .id = i}));
  }
  // The harness takes each output's frames in the order of the slots, or throws.
  const auto outcomes = node.run(Entrance::port0, frames_of(burst));
  for (std::size_t i = 0; i < kBurst; ++i) {
    EXPECT_EQ(outcomes[i].fate, Fate::transmit);
    EXPECT_EQ(get16(outcomes[i].bytes, kEthernet + 4), i);
  }
}

TEST(Transmit, ABurstOfEveryFateIsCountedFrameByFrame) {
  PacketHarness node;
  const auto arp = frame(ArpPacket{.operation = 2});
  const Bytes burst[] = {frame(Ipv4{}),
                         hex("ff"),
                         arp,
                         frame(Ipv6{.destination = ipv6_to(kBlackhole)}),
                         frame(ArpPacket{}),
                         frame(Ipv4{.destination = ipv4_to(kBlackhole)}),
                         frame(Ipv6{})};
  std::uint64_t octets = 0;
  for (const auto& bytes : burst) octets += bytes.size();
  const auto outcomes = node.run(Entrance::port0, frames_of(burst));
  EXPECT_EQ(outcomes[1], dropped(DropReason::frame_too_short));
  EXPECT_EQ(outcomes[2], punted(PuntClass::neighbor, arp));
  EXPECT_EQ(outcomes[4].output, kPort0);
  const auto counters = node.places.outputs[kPort0]->counters.read();
  EXPECT_EQ(counters.received, 7u);
  EXPECT_EQ(counters.received_bytes, octets);
  EXPECT_EQ(counters.sent, 3u);
  EXPECT_EQ(counters.punted, 1u);
  EXPECT_EQ(drops_of(counters, DropReason::frame_too_short), 1u);
  EXPECT_EQ(drops_of(counters, DropReason::blackhole), 2u);
  EXPECT_EQ(counters.transmitted, 1u);
}

TEST(Transmit, AnEmptyBurstChangesNothing) {
  PacketHarness node;
  for (const auto entrance : {Entrance::port0, Entrance::link0, Entrance::controller}) {
    EXPECT_TRUE(node.run(entrance, std::span<rte_mbuf* const>{}).empty());
    EXPECT_EQ(node.place_of(entrance).counters.read().received, 0u);
  }
}

}  // namespace
}  // namespace rackway::node::testing
