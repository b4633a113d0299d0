// SPDX-License-Identifier: Apache-2.0
#include "node/stage/punt.hh"

#include <gtest/gtest.h>
#include <poll.h>

#include <string>
#include <vector>

#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

constexpr std::size_t kFloodLimit = 2'000'000;  // frames after which a flood must have been policed
constexpr std::size_t kUntouched = 250;         // every class takes that many at once

const HarnessOptions kKeepRates{.fresh_punt_rates = false};

// A frame of each class, by PuntClass.
std::vector<Bytes> one_of_each() {
  return {frame(Ipv4{.destination = "10.0.0.1", .protocol = kTcp, .payload = ports(40000, 179)}),
          frame(ArpPacket{.operation = 2}),
          frame(Ipv4{.destination = "10.0.0.1", .protocol = 1, .payload = counting(8)}),
          frame(Ipv4{.options = Bytes(4, 1)}), frame(Ipv4{.destination = "10.0.0.1"})};
}

std::vector<Outcome> send(PacketHarness& node, const Bytes& bytes, std::size_t count = kBurst) {
  std::vector<rte_mbuf*> frames;
  for (std::size_t i = 0; i < count; ++i) frames.push_back(new_frame(bytes));
  return node.run(Entrance::port0, frames);
}

// Sends until one does not pass; what does not pass is dropped for that reason.
void flood_until_policed(PacketHarness& node, const Bytes& bytes, DropReason reason) {
  std::size_t policed = 0;
  for (std::size_t frames = 0; frames < kFloodLimit && policed == 0; frames += kBurst) {
    for (const auto& outcome : send(node, bytes)) {
      if (outcome.fate == Fate::punt) continue;
      ASSERT_EQ(outcome, dropped(reason));
      ++policed;
    }
  }
  EXPECT_GT(policed, 0u);
}

bool readable(int fd) {
  pollfd wait{.fd = fd, .events = POLLIN, .revents = 0};
  return ::poll(&wait, 1, 0) == 1;
}

TEST(Punt, AFrameOfEachClassCarriesPortAndClass) {
  PacketHarness node;
  const auto frames = one_of_each();
  for (std::size_t i = 0; i < cluster::kPuntClasses; ++i) {
    auto bytes = frames[i];
    EXPECT_EQ(node.run(Entrance::port0, bytes), punted(static_cast<PuntClass>(i), bytes));
    std::copy(kPort1Mac.bytes.begin(), kPort1Mac.bytes.end(), bytes.begin());
    EXPECT_EQ(node.run(Entrance::port1, bytes), punted(static_cast<PuntClass>(i), bytes));
  }
}

TEST(Punt, AFloodOfOneClassLeavesTheOthersTheirRate) {
  const auto frames = one_of_each();
  for (std::size_t flooded = 0; flooded < cluster::kPuntClasses; ++flooded) {
    PacketHarness node(kKeepRates);
    flood_until_policed(node, frames[flooded], DropReason::punt_policed);
    for (std::size_t other = 0; other < cluster::kPuntClasses; ++other) {
      if (other == flooded) continue;
      for (std::size_t i = 0; i < kUntouched; ++i) {
        ASSERT_EQ(send(node, frames[other], 1).front(),
                  punted(static_cast<PuntClass>(other), frames[other]))
            << flooded << " " << other << " " << i;
      }
    }
  }
}

TEST(Punt, ForwardingGoesOnDuringAFlood) {
  PacketHarness node(kKeepRates);
  flood_until_policed(node, one_of_each()[4], DropReason::punt_policed);
  EXPECT_EQ(node.from_port(frame(Ipv4{})).fate, Fate::transmit);
  EXPECT_EQ(node.from_port(frame(ArpPacket{})).fate, Fate::transmit);  // answered here
}

TEST(Punt, WhatIsPolicedCountsAsWhatItWouldHaveBeenWithoutAKernel) {
  const std::pair<std::string, DropReason> cases[] = {{ipv4_to(kUnreachable), DropReason::no_route},
                                                      {"99.0.0.1", DropReason::no_route},
                                                      {ipv4_to(kProhibit), DropReason::prohibited},
                                                      {ipv4_to(kGlean), DropReason::punt_policed},
                                                      {"10.0.0.1", DropReason::punt_policed}};
  for (const auto& [destination, reason] : cases) {
    PacketHarness node(kKeepRates);
    flood_until_policed(node, frame(Ipv4{.destination = destination}), reason);
  }
}

std::size_t punted_of(PacketHarness& node, const std::vector<Bytes>& all) {
  std::size_t count = 0;
  for (const auto& bytes : all) count += node.from_port(bytes).fate == Fate::punt ? 1 : 0;
  return count;
}

TEST(Punt, ANeighborWhoIsNotResolvedPuntsAFewPackets) {
  for (const auto& bytes :
       {frame(Ipv4{.destination = "10.0.0.9"}), frame(Ipv6{.destination = "2001:db8::9"})}) {
    PacketHarness node(kKeepRates);
    EXPECT_EQ(punted_of(node, std::vector<Bytes>(1000, bytes)), 256u);
    node.ticks += PacketHarness::kTicksPerSecond;
    EXPECT_EQ(punted_of(node, std::vector<Bytes>(1000, bytes)), 3u);
  }
}

TEST(Punt, OneDeadNeighborLeavesTheOthersTheirPackets) {
  PacketHarness node(kKeepRates);
  (void)punted_of(node, std::vector<Bytes>(1000, frame(Ipv4{.destination = "10.0.0.9"})));
  const auto other = frame(Ipv4{.destination = "10.0.0.10"});
  EXPECT_EQ(node.from_port(other), punted(PuntClass::exception, other));
}

TEST(Punt, ASweepOfDeadNeighborsPuntsABurstAndLeavesTheExceptions) {
  PacketHarness node(kKeepRates);
  std::vector<Bytes> sweep;
  for (int host = 0; host < 1000; ++host) {
    const auto destination =
        "21." + std::to_string(host / 100) + "." + std::to_string(host % 100) + ".1";
    sweep.push_back(frame(Ipv4{.destination = destination}));
  }
  EXPECT_EQ(punted_of(node, sweep), 40u);
  const auto options = frame(Ipv4{.options = {1, 1, 1, 1}});
  EXPECT_EQ(node.from_port(options), punted(PuntClass::exception, options));
}

TEST(Punt, ARateComesBack) {
  PacketHarness node(kKeepRates);
  const auto bytes = one_of_each()[4];
  flood_until_policed(node, bytes, DropReason::punt_policed);
  constexpr std::uint64_t kToken = PacketHarness::kTicksPerSecond / 1'000;
  node.ticks += kToken - 1;
  EXPECT_EQ(node.from_port(bytes), dropped(DropReason::punt_policed));
  node.ticks += 1;
  EXPECT_EQ(node.from_port(bytes), punted(PuntClass::other, bytes));
  EXPECT_EQ(node.from_port(bytes), dropped(DropReason::punt_policed));
}

TEST(Punt, AFullQueueIsACountedDrop) {
  PacketHarness node;
  node.keep_output = true;
  const auto bytes = one_of_each()[0];
  std::size_t passed = 0, full = 0;
  for (int i = 0; i < 5; ++i) {
    for (const auto& outcome : send(node, bytes)) {
      if (outcome.fate == Fate::punt) {
        EXPECT_EQ(full, 0u);
        ++passed;
      } else {
        EXPECT_EQ(outcome, dropped(DropReason::punt_queue_full));
        ++full;
      }
    }
  }
  EXPECT_EQ(passed, kRingFrames);
  EXPECT_EQ(full, 5u * kBurst - kRingFrames);
  node.keep_output = false;
  node.drain();
  EXPECT_EQ(node.from_port(bytes), punted(PuntClass::routing, bytes));
}

TEST(Punt, TheSlowPathIsWokenOnlyForPuntedFrames) {
  PacketHarness node;
  auto& slow_path = node.slow_path();
  const auto wakes = [&](const Bytes& bytes) {
    slow_path.about_to_sleep();
    node.from_port(bytes);
    const bool woken = readable(slow_path.fd());
    slow_path.awake(woken);
    EXPECT_FALSE(readable(slow_path.fd()));
    return woken;
  };
  for (const auto& bytes : one_of_each()) EXPECT_TRUE(wakes(bytes));
  EXPECT_FALSE(wakes(frame(Ipv4{})));
  EXPECT_FALSE(wakes(hex("00")));
}

}  // namespace
}  // namespace rackway::node::testing
