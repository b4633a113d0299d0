// SPDX-License-Identifier: Apache-2.0
// What holds for any input: every frame ends in one place and is counted there once, no buffer is
// lost, nothing that leaves is other than it should be. The harness checks the first two after
// every burst and throws.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "tests/node/packet_harness.hh"
#include "tests/node/random_frames.hh"
#include "tests/node/sound_output.hh"

namespace rackway::node::testing {
namespace {

constexpr Entrance kEntrances[] = {Entrance::port0, Entrance::port1, Entrance::link0,
                                   Entrance::link1, Entrance::link2, Entrance::controller};

Bytes make_bytes(RandomFrames& random, Entrance entrance) {
  if (entrance == Entrance::controller) return random.for_controller();
  if (!is_port(entrance)) return random.for_link();
  auto bytes = random.for_port();
  // The frames are made for port 0.
  if (entrance == Entrance::port1 && bytes.size() >= 6 && bytes[5] == kPort0Mac.bytes[5]) {
    bytes[5] = kPort1Mac.bytes[5];
  }
  return bytes;
}

Reception make_reception(RandomFrames& random, const Bytes& bytes) {
  Reception how{.tailroom = random.below(4) == 0 ? 64u : 0u,
                .headroom = random.below(4) == 0 ? 0u : 128u};
  if (random.below(8) == 0) how.split = random.below(bytes.size() + 1);
  return how;
}

class Seen {
 public:
  void note(Entrance entrance, const Outcome& outcome) {
    if (outcome.fate == Fate::drop) drops_.insert(outcome.reason);
    if (outcome.fate == Fate::punt) punts_.insert(outcome.punt_class);
    if (outcome.fate == Fate::transmit) outputs_.insert({entrance, outcome.output});
  }
  void note_generated(const Outcome& outcome) { generated_.insert(outcome.output); }
  // The input was rich enough to reach everything that needs no trouble at an output.
  void expect_everything() const {
    static const std::set<DropReason> kTrouble{
        DropReason::punt_queue_full,    DropReason::tx_queue_full, DropReason::tx_port_down,
        DropReason::too_many_fragments, DropReason::no_buffers,    DropReason::egress_down};
    for (std::size_t i = 0; i < cluster::kDropReasons; ++i) {
      const auto reason = static_cast<DropReason>(i);
      EXPECT_EQ(drops_.count(reason), kTrouble.count(reason) == 0 ? 1u : 0u)
          << cluster::to_string(reason);
    }
    EXPECT_EQ(punts_.size(), cluster::kPuntClasses);
    for (std::size_t output = 0; output < kOutputs; ++output) {
      EXPECT_TRUE(outputs_.count({Entrance::port0, output})) << output;
      EXPECT_TRUE(outputs_.count({Entrance::link0, output})) << output;
    }
    for (std::size_t output = 0; output < kOutputs; ++output) {
      EXPECT_TRUE(generated_.count(output)) << output;
    }
    EXPECT_TRUE(outputs_.count({Entrance::controller, kPort0}));
    EXPECT_TRUE(outputs_.count({Entrance::controller, kPort1}));
  }

 private:
  std::set<DropReason> drops_;
  std::set<std::size_t> generated_;
  std::set<PuntClass> punts_;
  std::set<std::pair<Entrance, std::size_t>> outputs_;
};

TEST(Accounting, AMillionFrames) {
  constexpr std::size_t kFrames = 1'000'000;
  const auto free_before = (Devices::instance(), PacketHarness::free_frames());
  RandomFrames random(1);
  Seen seen;
  {
    PacketHarness node({.mode = topo::SteeringMode::valiant, .fresh_punt_rates = false});
    node.places.outputs[kPort1]->urpf = topo::Urpf::loose;
    std::vector<Bytes> received;
    std::vector<rte_mbuf*> frames;
    for (std::size_t count = 0; count < kFrames; count += frames.size()) {
      const auto entrance = kEntrances[random.below(std::size(kEntrances))];
      received.clear();
      frames.clear();
      for (auto left = random.below(kBurst) + 1; left > 0; --left) {
        received.push_back(make_bytes(random, entrance));
        frames.push_back(new_frame(received.back(), make_reception(random, received.back())));
        if (entrance == Entrance::controller) {
          frames.back()->port = static_cast<std::uint16_t>(random.below(4));
        }
      }
      node.ticks += PacketHarness::kTicksPerSecond / 100;
      const auto outcomes = node.run(entrance, frames);
      for (const auto& own : node.generated) {
        seen.note_generated(own);
        ASSERT_STREQ(fault_in_generated(received, own), nullptr) << ::testing::PrintToString(own);
      }
      for (std::size_t i = 0; i < outcomes.size(); ++i) {
        seen.note(entrance, outcomes[i]);
        ASSERT_STREQ(fault_in(entrance, received[i], outcomes[i]), nullptr)
            << to_hex(received[i]) << "\n\n"
            << ::testing::PrintToString(outcomes[i]);
      }
    }
  }
  seen.expect_everything();
  EXPECT_EQ(PacketHarness::free_frames(), free_before);
}

// Sorted, and errors without the identification that each has of its own.
std::vector<std::pair<std::size_t, Bytes>> without_ids(const std::vector<Outcome>& generated) {
  std::vector<std::pair<std::size_t, Bytes>> all;
  for (auto [fate, reason, punt_class, output, bytes] : generated) {
    if (carries(bytes, kIpv4Type) && bytes[kEthernet + 1] == 0xc0 && bytes[kEthernet + 9] == 1) {
      put16(bytes, kEthernet + 4, 0);
      put16(bytes, kEthernet + 10, 0);
    }
    all.emplace_back(output, bytes);
  }
  std::sort(all.begin(), all.end());
  return all;
}

// A frame's fate does not depend on those that come with it, nor what the node makes of its own.
TEST(Accounting, ABurstIsAsItsFramesAlone) {
  RandomFrames random(2);
  PacketHarness node({.mode = topo::SteeringMode::valiant});
  for (int round = 0; round < 1000; ++round) {
    const auto entrance = kEntrances[random.below(5)];
    std::vector<std::pair<Bytes, Reception>> received;
    std::vector<Outcome> alone, own;
    for (auto left = random.below(kBurst) + 1; left > 0; --left) {
      const auto bytes = make_bytes(random, entrance);
      received.emplace_back(bytes, make_reception(random, bytes));
      alone.push_back(node.run(entrance, bytes, received.back().second));
      own.insert(own.end(), node.generated.begin(), node.generated.end());
      ASSERT_STREQ(fault_in_generated(bytes, alone.back(), node.generated), nullptr)
          << to_hex(bytes);
    }
    std::vector<rte_mbuf*> frames;
    for (const auto& [bytes, how] : received) frames.push_back(new_frame(bytes, how));
    ASSERT_EQ(node.run(entrance, frames), alone) << round;
    ASSERT_EQ(without_ids(node.generated), without_ids(own)) << round;
  }
}

TEST(Accounting, TroubleAtTheOutputsIsCountedToo) {
  RandomFrames random(3);
  PacketHarness node({.live_links = {true, false, true}});
  node.places.outputs[kPort1]->usable.store(false);
  node.places.outputs[kToNode3]->usable.store(false);
  std::set<DropReason> seen;
  for (int round = 0; round < 2000; ++round) {
    // Many bursts without anybody taking the output, then all of it at once.
    node.keep_output = round % 250 != 249;
    const auto entrance = kEntrances[random.below(5)];
    std::vector<rte_mbuf*> frames;
    for (int i = 0; i < kBurst; ++i) frames.push_back(new_frame(make_bytes(random, entrance)));
    if (!node.keep_output) node.drain();
    for (const auto& outcome : node.run(entrance, frames)) {
      if (outcome.fate == Fate::drop) seen.insert(outcome.reason);
      EXPECT_TRUE(outcome.fate != Fate::transmit ||
                  (outcome.output != kPort1 && outcome.output != kToNode3));
    }
  }
  for (const auto reason : {DropReason::tx_queue_full, DropReason::tx_port_down,
                            DropReason::punt_queue_full, DropReason::fabric_no_path}) {
    EXPECT_TRUE(seen.count(reason)) << cluster::to_string(reason);
  }
}

}  // namespace
}  // namespace rackway::node::testing
