// SPDX-License-Identifier: Apache-2.0
// The core on a thread of its own between ports in memory: it takes frames from all entrances, and
// knows for each what is the port's own; it follows links, epochs and the gate.
#include "node/forwarding_core.hh"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "node/datapath_gate.hh"
#include "tests/node/icmp_message.hh"
#include "tests/node/naive_reassembly.hh"
#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

// Only a frame that never comes takes that long.
constexpr std::chrono::seconds kLost{30};

class RunningCore {
 public:
  explicit RunningCore(bool busy = false)
      : shared(kSelf, vlb::Steering(topo::FabricTable(kSelf, kNodes, mesh()), kSelf)) {
    PacketHarness::make_places(shared.places);
    shared.lcores[0]->punt_queue = devices_.punted;
    shared.lcores[0]->inject_queue = devices_.injected;
    shared.pool = &*packet_pool();
    shared.controller_present.store(true);
    shared.epoch_mark.store(kEpochMark);
    publish(sample_fib().snapshot());
    thread_ = std::thread([this, busy] { ForwardingCore(shared, 0, busy).run(); });
  }
  ~RunningCore() {
    shared.stop.store(true);
    thread_.join();
    EXPECT_EQ(take(devices_.punted, std::chrono::seconds(0)), std::nullopt);
  }
  RunningCore(const RunningCore&) = delete;
  RunningCore& operator=(const RunningCore&) = delete;

  void publish(fib::Delta snapshot) {
    ASSERT_TRUE(shared.fib.prepare_snapshot(std::move(snapshot)));
    shared.fib.commit();
  }

  void arrive(std::size_t place, const Bytes& bytes) {
    put(devices_.to_core[place], new_frame(bytes, {.tailroom = 64}));
  }
  void inject(std::uint16_t port, const Bytes& bytes) {
    auto* frame = new_frame(bytes);
    frame->port = port;
    put(devices_.injected, frame);
    shared.lcores[0]->wake.notify();
  }
  // The next frame to leave there; nothing if none does.
  std::optional<Bytes> leaves(std::size_t output) {
    return take(devices_.from_core[output], kLost);
  }
  std::optional<Bytes> is_punted() { return take(devices_.punted, kLost); }

  // The counters of a place once that many frames that came in there have found their fate.
  cluster::PlaceCounters settled(std::size_t place, std::uint64_t frames) {
    const auto until = std::chrono::steady_clock::now() + kLost;
    for (;;) {
      const auto counters = shared.places.outputs[place]->counters.read();
      const auto ended = counters.sent + counters.punted + counters.dropped_total();
      if (ended >= frames || std::chrono::steady_clock::now() > until) return counters;
      std::this_thread::yield();
    }
  }

  Shared shared;

 private:
  static void put(rte_ring* ring, rte_mbuf* frame) {
    require(rte_ring_enqueue(ring, frame) == 0, "a full ring");
  }
  static std::optional<Bytes> take(rte_ring* ring, std::chrono::seconds patience) {
    const auto until = std::chrono::steady_clock::now() + patience;
    void* frame = nullptr;
    while (rte_ring_dequeue(ring, &frame) != 0) {
      if (std::chrono::steady_clock::now() > until) return std::nullopt;
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    auto bytes = bytes_of(static_cast<rte_mbuf*>(frame));
    rte_pktmbuf_free(static_cast<rte_mbuf*>(frame));
    return bytes;
  }

  Devices& devices_ = Devices::instance();
  std::thread thread_;
};

Bytes solicitation(const char* target, const MacAddress& source) {
  return frame(
      Icmpv6{.source = "2001:db8::77", .type = 135, .body = join({Bytes(4), octets_of(target)})},
      {.destination = kBroadcastMac, .source = source});
}

TEST(ForwardingCore, TakesFramesFromEveryEntrance) {
  for (const bool busy : {false, true}) {
    RunningCore core(busy);
    const auto out = frame(Ipv4{});
    core.arrive(kPort0, out);
    EXPECT_EQ(core.leaves(kPort1), forwarded(out, kNeighborB, kPort1Mac));
    core.arrive(kPort1, frame(Ipv4{.destination = ipv4_to(kViaHost)}, {.destination = kPort1Mac}));
    EXPECT_TRUE(core.leaves(kPort0));
    core.arrive(kPort0, frame(Ipv4{.destination = ipv4_to(kViaNode3)}));
    auto tagged = core.leaves(kToNode3);
    ASSERT_TRUE(tagged);
    (*tagged)[4] &= 0xf0;  // the rest is when it entered
    (*tagged)[5] = 0;
    EXPECT_EQ(Bytes(tagged->begin(), tagged->begin() + kMacs),
              hex("d2 00 30 03 20 00 ae 00 10 01 23 45"));
    auto relayed = frame(Ipv4{});
    const auto tag = hex("d2 00 10 02 10 00 ae 00 30 00 00 01");
    std::copy(tag.begin(), tag.end(), relayed.begin());
    for (const auto link : {kToNode0, kToNode2, kToNode3}) {
      core.arrive(link, relayed);
      EXPECT_TRUE(core.leaves(kToNode2));
    }
    core.inject(1, out);
    EXPECT_EQ(core.leaves(kPort1), out);
    const auto to_us = frame(Ipv4{.destination = "10.0.0.1"});
    core.arrive(kPort0, to_us);
    EXPECT_EQ(core.is_punted(), to_us);
  }
}

// Asked by somebody unknown, with the controller away: the port answers for its own addresses of
// both families, and for those only.
TEST(ForwardingCore, EachPortKnowsItsOwnAddresses) {
  RunningCore core;
  core.shared.controller_present.store(false);
  struct Case {
    std::size_t port;
    const char *own4, *own6, *link_local;
  };
  const Case cases[] = {{kPort0, "10.0.0.1", "2001:db8::1", "fe80::1"},
                        {kPort1, "10.0.1.1", "2001:db8:1::1", "fe80::11"}};
  for (const auto& [port, own4, own6, link_local] : cases) {
    core.arrive(port, frame(ArpPacket{.target = own4}));
    core.arrive(port, solicitation(own6, kHostMac));
    core.arrive(port, solicitation(link_local, kHostMac));
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(core.leaves(port));
  }
  // The same questions at the other port.
  for (std::size_t i = 0; i < kPorts; ++i) {
    const auto& [port, own4, own6, link_local] = cases[i];
    const std::size_t other = 1 - port;
    core.arrive(other, frame(ArpPacket{.target = own4}));
    core.arrive(other, solicitation(own6, kHostMac));
    core.arrive(other, solicitation(link_local, kHostMac));
    const auto counters = core.settled(other, 6);
    EXPECT_EQ(counters.dropped[static_cast<std::size_t>(DropReason::arp_not_for_us)], 1u);
    EXPECT_EQ(counters.dropped[static_cast<std::size_t>(DropReason::nd_not_for_us)], 2u);
  }
}

TEST(ForwardingCore, AnswersAndFragmentsByItself) {
  RunningCore core;
  core.shared.controller_present.store(false);
  core.arrive(kPort0, frame(Ipv4{.ttl = 1}));
  const auto error = core.leaves(kPort0);
  ASSERT_TRUE(error);
  const auto message = read_icmpv4(std::span(*error).subspan(kEthernet));
  EXPECT_EQ(int{message.type}, 11);
  EXPECT_EQ(message.source, ip("10.0.0.1"));
  const auto big = frame(Ipv4{.destination = ipv4_to(kViaC), .payload = counting(1480)});
  core.arrive(kPort0, big);
  const auto first = core.leaves(kPort1), second = core.leaves(kPort1);
  ASSERT_TRUE(first && second);
  auto whole = forwarded(big, {}, {});
  whole.erase(whole.begin(), whole.begin() + kEthernet);
  EXPECT_EQ(reassembled({*first, *second}), whole);
}

TEST(ForwardingCore, FollowsANewEpoch) {
  RunningCore core;
  auto snapshot = sample_fib().snapshot();
  for (auto& route : snapshot.routes) {
    if (route.prefix.to_string() == "27.0.0.0/8") route.group = GroupId{kViaHost};
  }
  core.arrive(kPort0, frame(Ipv4{}));
  EXPECT_TRUE(core.leaves(kPort1));
  core.publish(snapshot);
  core.arrive(kPort0, frame(Ipv4{}));
  EXPECT_TRUE(core.leaves(kPort0));
}

TEST(ForwardingCore, LeavesPlacesAloneThatAreNotUsable) {
  RunningCore core;
  core.shared.places.outputs[kPort0]->usable.store(false);
  {
    const DatapathHold hold;  // from here on the core has seen it
  }
  core.arrive(kPort0, frame(Ipv4{}));
  core.arrive(kPort1, frame(Ipv4{}, {.destination = kPort1Mac}));
  EXPECT_TRUE(core.leaves(kPort1));
  EXPECT_EQ(core.shared.places.outputs[kPort0]->counters.read().received, 0u);
  core.shared.places.outputs[kPort0]->usable.store(true);
  EXPECT_TRUE(core.leaves(kPort1));
}

// The core looks at the links by itself: until it has, frames are dropped, then they go around.
TEST(ForwardingCore, SteersAroundALinkThatIsGone) {
  RunningCore core;
  const auto to_node3 = frame(Ipv4{.destination = ipv4_to(kViaNode3)});
  core.arrive(kPort0, to_node3);
  EXPECT_TRUE(core.leaves(kToNode3));
  core.shared.places.outputs[kToNode3]->usable.store(false);
  core.shared.places.outputs[kToNode2]->usable.store(false);
  const auto& over_node0 = core.shared.places.outputs[kToNode0]->counters[0].via_relay;
  const auto until = std::chrono::steady_clock::now() + kLost;
  for (std::uint64_t frames = 2; over_node0.get() == 0; ++frames) {
    core.arrive(kPort0, to_node3);
    core.settled(kPort0, frames);
    ASSERT_LT(std::chrono::steady_clock::now(), until);
  }
  const auto around = core.leaves(kToNode0);
  ASSERT_TRUE(around);
  EXPECT_EQ(Bytes(around->begin(), around->begin() + 4), hex("d2 00 00 03"));
}

TEST(ForwardingCore, StaysOutsideWhileHeld) {
  RunningCore core;
  core.arrive(kPort0, frame(Ipv4{}));
  EXPECT_TRUE(core.leaves(kPort1));
  {
    const DatapathHold hold;
    core.arrive(kPort0, frame(Ipv4{}));
    core.inject(1, frame(Ipv4{}));
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(core.shared.places.outputs[kPort0]->counters.read().received, 1u);
    EXPECT_EQ(core.shared.places.controller.counters.read().received, 0u);
  }
  EXPECT_TRUE(core.leaves(kPort1));
  EXPECT_TRUE(core.leaves(kPort1));
}

}  // namespace
}  // namespace rackway::node::testing
