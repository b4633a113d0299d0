// SPDX-License-Identifier: Apache-2.0
// Two forwarding cores of one node: a packet stays with the core whose queue it came by, what they
// may do together is what the node may do, and nothing is lost between them.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <thread>

#include "node/datapath_gate.hh"
#include "tests/node/two_core_node.hh"

namespace rackway::node::testing {
namespace {

Bytes relayed_to_node2() {
  auto bytes = frame(Ipv4{});
  const auto tag = hex("d2 00 10 02 10 00 ae 00 30 00 00 01");
  std::copy(tag.begin(), tag.end(), bytes.begin());
  return bytes;
}

Bytes to_router(std::uint16_t source_port = 40000) {
  return frame(
      Ipv4{.destination = "10.0.0.1", .protocol = kTcp, .payload = ports(source_port, 179)});
}

TEST(SeveralCores, APacketLeavesByTheQueueOfItsCore) {
  TwoCoreNode node;
  ForwardingCore first = node.core(0), second = node.core(1);
  first.step(0);
  second.step(0);  // both know the links now
  struct Case {
    std::size_t place;
    Bytes bytes;
    std::size_t output;
  };
  const Case cases[] = {{kPort0, frame(Ipv4{}), kPort1},
                        {kPort0, frame(Ipv4{.destination = ipv4_to(kViaNode3)}), kToNode3},
                        {kToNode0, relayed_to_node2(), kToNode2},
                        {kPort0, frame(ArpPacket{}), kPort0},      // answered
                        {kPort0, frame(Ipv4{.ttl = 1}), kPort0}};  // an ICMP error
  for (std::size_t queue = 0; queue < kCores; ++queue) {
    for (const auto& [place, bytes, output] : cases) {
      ASSERT_TRUE(node.arrive(place, queue, bytes));
      EXPECT_EQ(first.step(1), queue == 0 ? 1u : 0u);
      EXPECT_EQ(second.step(1), queue == 1 ? 1u : 0u);
      EXPECT_TRUE(node.leaves(output, queue)) << queue << " " << output;
      EXPECT_FALSE(node.leaves(output, 1 - queue));
    }
    ASSERT_TRUE(node.arrive(kPort0, queue, to_router()));
    first.step(1);
    second.step(1);
    EXPECT_EQ(node.is_punted(queue), to_router());
    EXPECT_FALSE(node.is_punted(1 - queue));
  }
  EXPECT_TRUE(node.pools_are_full());
}

TEST(SeveralCores, WithFewerQueuesACoreOnlySends) {
  TwoCoreNode node;
  for (auto& place : node.shared.places.outputs) place->receive_queues = 1;
  ForwardingCore first = node.core(0), second = node.core(1);
  ASSERT_TRUE(node.arrive(kPort0, 0, frame(Ipv4{})));
  ASSERT_TRUE(node.arrive(kPort0, 1, frame(Ipv4{})));  // a queue that nobody set up
  EXPECT_EQ(second.step(1), 0u);
  EXPECT_EQ(first.step(1), 1u);
  EXPECT_TRUE(node.leaves(kPort1, 0));
  // The other core has nothing to receive there, yet sends there.
  node.inject(1, frame(Ipv4{}));
  EXPECT_EQ(second.step(2), 1u);
  EXPECT_TRUE(node.leaves(kPort1, 1));
  node.shared.places.outputs[kPort0]->receive_queues = kCores;
  EXPECT_EQ(second.step(3), 1u);
  EXPECT_TRUE(node.leaves(kPort1, 1));
}

TEST(SeveralCores, APortsInjectedFramesLeaveByOneCore) {
  TwoCoreNode node;
  ForwardingCore first = node.core(0), second = node.core(1);
  for (std::uint8_t i = 0; i < 10; ++i) {
    node.inject(0, frame(Ipv4{.payload = Bytes(1, i)}));
    node.inject(1, frame(Ipv4{.payload = Bytes(1, i)}));
  }
  EXPECT_EQ(first.step(1), 10u);
  EXPECT_EQ(second.step(1), 10u);
  for (std::uint8_t i = 0; i < 10; ++i) {
    EXPECT_EQ(node.leaves(kPort0, 0), frame(Ipv4{.payload = Bytes(1, i)}));
    EXPECT_EQ(node.leaves(kPort1, 1), frame(Ipv4{.payload = Bytes(1, i)}));
  }
}

TEST(SeveralCores, EachCountsItsOwnAndReadersSeeTheSum) {
  TwoCoreNode node;
  ForwardingCore first = node.core(0), second = node.core(1);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(node.arrive(kPort0, 0, frame(Ipv4{})));
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(node.arrive(kPort0, 1, frame(Ipv4{})));
  ASSERT_TRUE(node.arrive(kPort0, 1, hex("00")));
  ASSERT_TRUE(node.arrive(kPort0, 1, to_router()));
  first.step(1);
  second.step(1);
  const auto& in = node.shared.places.outputs[kPort0]->counters;
  using Queue = cluster::QueueCounters;
  EXPECT_EQ(in.read_by_core(),
            (std::vector<Queue>{{.received = 3, .sent = 3},
                                {.received = 7, .sent = 5, .punted = 1, .dropped = 1}}));
  EXPECT_EQ(node.shared.places.outputs[kPort1]->counters.read_by_core(),
            (std::vector<Queue>{{.transmitted = 3}, {.transmitted = 5}}));
  const auto all = in.read();
  EXPECT_EQ(all.received, 10u);
  EXPECT_EQ(all.sent, 8u);
  EXPECT_EQ(all.punted, 1u);
  EXPECT_EQ(all.dropped_total(), 1u);
}

// How many of so many frames pass, half of them at each core.
template <class Passes>
std::size_t passing(TwoCoreNode& node, const Bytes& bytes, std::size_t rounds, Passes passes) {
  ForwardingCore first = node.core(0), second = node.core(1);
  std::size_t passed = 0;
  for (std::size_t i = 0; i < rounds; ++i) {
    for (std::size_t queue = 0; queue < kCores; ++queue) {
      require(node.arrive(kPort0, queue, bytes), "a full ring");
    }
    first.step(1);
    second.step(1);
    for (std::size_t queue = 0; queue < kCores; ++queue) {
      while (passes(queue)) ++passed;
    }
    node.drain();
  }
  return passed;
}

TEST(SeveralCores, TogetherTheyKeepTheNodesRates) {
  TwoCoreNode node;
  const auto punted = [&](std::size_t core) { return node.is_punted(core).has_value(); };
  const auto answered = [&](std::size_t queue) { return node.leaves(kPort0, queue).has_value(); };
  EXPECT_EQ(passing(node, to_router(), 3000, punted), 4000u);  // class routing
  const auto ping = frame(Ipv4{.destination = "10.0.0.1", .protocol = 1, .payload = counting(8)});
  EXPECT_EQ(passing(node, ping, 500, punted), 500u);
  EXPECT_EQ(passing(node, frame(Ipv4{.destination = "10.0.0.9"}), 500, punted), 256u);
  EXPECT_EQ(passing(node, frame(Ipv4{.ttl = 1}), 500, answered), 100u);
}

TEST(SeveralCores, TheFirstWatchesTheLinksForAll) {
  TwoCoreNode node;
  ForwardingCore first = node.core(0), second = node.core(1);
  const auto to_node3 = frame(Ipv4{.destination = ipv4_to(kViaNode3)});
  const auto by = [&](std::size_t output, std::uint64_t ticks) {
    require(node.arrive(kPort0, 1, to_node3), "a full ring");
    second.step(ticks);
    return node.leaves(output, 1).has_value();
  };
  EXPECT_FALSE(by(kToNode3, 0));  // nobody has looked yet
  first.step(0);
  EXPECT_TRUE(by(kToNode3, 0));
  node.shared.places.outputs[kToNode3]->usable.store(false);
  EXPECT_FALSE(by(kToNode3, 4'999));
  first.step(4'999);
  EXPECT_FALSE(by(kToNode3, 4'999));
  first.step(5'000);  // looks 200 times a second
  EXPECT_TRUE(by(kToNode0, 5'000) || by(kToNode2, 5'000));
}

// The cores on threads, frames of all kinds at both queues of every place, new FIBs all the while,
// holders at the gate. Flows keep their queue and their order; every frame is accounted for.
TEST(SeveralCores, UnderLoadNothingIsLostBetweenThem) {
  constexpr std::uint32_t kFlows = 16, kRounds = 4'000;
  TwoCoreNode node;
  std::vector<std::thread> cores;
  for (std::uint16_t core = 0; core < kCores; ++core) {
    cores.emplace_back([&node, core] { ForwardingCore(node.shared, core, false).run(); });
  }
  std::atomic<bool> stop{false};
  std::thread changes([&] {
    auto snapshot = sample_fib().snapshot();
    while (!stop.load()) {
      for (auto& route : snapshot.routes) {
        if (route.prefix.to_string() != "27.0.0.0/8") continue;
        route.group = GroupId{route.group == GroupId{kViaB} ? kViaC : kViaB};
      }
      node.publish(snapshot);
      const DatapathHold hold;
    }
  });
  std::uint64_t arrived = 0;
  std::map<std::uint32_t, std::uint32_t> last;  // by flow: the last that left, and its queue
  const auto collect = [&] {
    for (std::size_t queue = 0; queue < kCores; ++queue) {
      for (std::size_t output = 0; output < kOutputs; ++output) {
        while (const auto left = node.leaves(output, queue)) {
          if (output != kPort1 || left->size() != kEthernet + 20 + 8) continue;
          const auto flow = get16(*left, kEthernet + 20), number = get16(*left, kEthernet + 22);
          ASSERT_EQ(flow % kCores, queue);
          ASSERT_GT(number, last[flow]) << flow;
          last[flow] = number;
        }
      }
      while (node.is_punted(queue)) {
      }
    }
  };
  const auto bad = hex("00"), relayed = relayed_to_node2();
  for (std::uint16_t round = 1; round <= kRounds; ++round) {
    for (std::uint16_t flow = 0; flow < kFlows; ++flow) {
      const std::size_t queue = flow % kCores;
      const auto good = frame(Ipv4{.payload = ports(flow, round, 0)});
      for (const auto& bytes : {good, bad, to_router(round)}) {
        arrived += node.arrive(kPort0, queue, bytes) ? 1 : 0;
      }
      arrived += node.arrive(kToNode0, queue, relayed) ? 1 : 0;
    }
    collect();
  }
  const auto settled = [&] {
    std::uint64_t ended = 0;
    for (const auto place : {kPort0, kToNode0}) {
      const auto counters = node.shared.places.outputs[place]->counters.read();
      ended += counters.sent + counters.punted + counters.dropped_total();
    }
    return ended == arrived;
  };
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!settled() && std::chrono::steady_clock::now() < until) collect();
  stop.store(true);
  changes.join();
  node.shared.stop.store(true);
  for (auto& core : cores) core.join();
  collect();
  EXPECT_TRUE(settled());
  EXPECT_EQ(last.size(), kFlows);
  for (const auto place : {kPort0, kToNode0}) {
    for (const auto& core : node.shared.places.outputs[place]->counters.read_by_core()) {
      EXPECT_EQ(core.received, core.sent + core.punted + core.dropped);
      EXPECT_GT(core.received, 0u);
    }
  }
  EXPECT_TRUE(node.pools_are_full());
}

}  // namespace
}  // namespace rackway::node::testing
