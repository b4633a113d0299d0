// SPDX-License-Identifier: Apache-2.0
// The fabric watch of node 1 of a mesh of four, with the far ends of its links played by hand:
// frames through the node's own entrance, by its own counters.
#include "node/fabric_watch.hh"

#include <gtest/gtest.h>

#include "tests/node/packet_harness.hh"
#include "vlb/fabric_tag.hh"

namespace rackway::node::testing {
namespace {

constexpr std::uint64_t kOurs = 0x1111, kTheirs = 0x2222;
constexpr vlb::Time kInterval = 10'000;
constexpr std::array<std::uint16_t, kLinks> kPeers{0, 2, 3};  // by local link

struct FabricWatchTest : ::testing::Test {
  FabricWatchTest() {
    PacketHarness::make_places(places);
    watch.emplace(places, table, kSelf, kOurs, vlb::HelloTiming{kInterval, 3},
                  std::array{1e9, 1e9, 1e9}, *packet_pool());
    journey.emplace(places, steering, Devices::instance().punted, slow_path, *packet_pool(),
                    PacketHarness::kTicksPerSecond, 0, HelloTakers{&*watch, nullptr});
    free_at_start = PacketHarness::free_frames();
  }
  ~FabricWatchTest() override {
    take_sent(0), take_sent(1), take_sent(2);
    EXPECT_EQ(PacketHarness::free_frames(), free_at_start);
  }

  // The frames that left by the link since the last time.
  static std::vector<Bytes> take_sent(std::size_t link) {
    std::vector<Bytes> frames;
    void* left = nullptr;
    while (rte_ring_dequeue(Devices::instance().from_core[kPorts + link], &left) == 0) {
      frames.push_back(bytes_of(static_cast<rte_mbuf*>(left)));
      rte_pktmbuf_free(static_cast<rte_mbuf*>(left));
    }
    return frames;
  }
  vlb::Hello far_end(std::size_t link, std::uint64_t hears = kOurs) {
    return {.sender = NodeId{kPeers[link]},
            .receiver = kSelf,
            .boot_id = kTheirs,
            .hears = hears,
            .sequence = ++sequence,
            .timing = {kInterval, 3},
            .ready = true};
  }
  static Bytes octets_of(const vlb::Hello& hello) {
    std::array<std::uint8_t, vlb::kMaxHelloBytes> octets;
    const std::vector<vlb::LinkView> ways(kNodes, {.alive = true});
    const auto size = vlb::write_hello(hello, ways, octets);
    return {octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size)};
  }
  // Through the entrance of the link; the fate of each.
  std::vector<Fate> receive(std::size_t link, const std::vector<Bytes>& frames,
                            const Reception& how = {}) {
    for (std::size_t i = 0; i < frames.size(); ++i) burst.frames[i] = new_frame(frames[i], how);
    burst.begin(static_cast<std::uint16_t>(frames.size()));
    journey->from_fabric_link(burst, {.fib = fib,
                                      .self = kSelf,
                                      .port = {},
                                      .in = places.link(link),
                                      .counters = places.link(link).counters[0],
                                      .controller_present = true,
                                      .epoch_mark = kEpochMark,
                                      .now = now,
                                      .ticks = now});
    std::vector<Fate> fates;
    for (std::size_t i = 0; i < frames.size(); ++i) fates.push_back(burst.fate(i));
    return fates;
  }
  void pass(vlb::Time microseconds) {
    for (vlb::Time passed = 0; passed < microseconds; passed += 500) {
      now += 500;
      watch->advance(now);
    }
  }
  void come_up() {
    watch->advance(now);
    for (std::size_t link = 0; link < kLinks; ++link) receive(link, {octets_of(far_end(link))});
    watch->advance(now);
    for (std::size_t link = 0; link < kLinks; ++link) take_sent(link);
  }
  cluster::PlaceCounters counters(std::size_t link) { return places.link(link).counters.read(); }
  DropReason why() const { return burst.reason[0]; }

  topo::FabricTable table{kSelf, kNodes, mesh()};
  vlb::Steering steering{table, kSelf};
  fib::Fib fib = sample_fib();
  Places places;
  WakeUp slow_path;
  std::optional<FabricWatch> watch;
  std::optional<Journey> journey;
  Burst burst{};
  vlb::Time now = 0xffffe000;
  std::uint32_t sequence = 0;
  unsigned free_at_start = 0;
};

TEST_F(FabricWatchTest, SaysHelloOnEveryLinkAtOnceAndThenEveryInterval) {
  watch->advance(now);
  for (std::size_t link = 0; link < kLinks; ++link) {
    const auto sent = take_sent(link);
    ASSERT_EQ(sent.size(), 1u);
    const auto heard = vlb::read_hello(sent[0]);
    ASSERT_TRUE(heard.has_value());
    EXPECT_EQ(heard->hello.sender, kSelf);
    EXPECT_EQ(heard->hello.receiver.value, kPeers[link]);
    EXPECT_EQ(heard->hello.boot_id, kOurs);
    EXPECT_EQ(heard->hello.hears, 0u);
    EXPECT_FALSE(heard->hello.ready);
    EXPECT_EQ(heard->nodes, kNodes);
  }
  pass(100 * kInterval);
  for (std::size_t link = 0; link < kLinks; ++link) {
    const auto sent = take_sent(link).size();
    EXPECT_GE(sent, 100u);
    EXPECT_LE(sent, 115u);  // up to an eighth early
    EXPECT_EQ(counters(link).hellos_sent, sent + 1);
    EXPECT_EQ(counters(link).transmitted, 0u);
  }
}

TEST_F(FabricWatchTest, IsReadyWhenTheAgentSaysSo) {
  watch->set_ready(true);
  watch->advance(now);
  EXPECT_TRUE(vlb::read_hello(take_sent(0).at(0))->hello.ready);
}

TEST_F(FabricWatchTest, ALinkIsAliveOnceTheFarEndHearsUs) {
  watch->advance(now);
  const auto version = watch->version();
  EXPECT_EQ(receive(1, {octets_of(far_end(1, 0))}), std::vector{Fate::take_in});
  EXPECT_FALSE(watch->view().links[1].alive);
  receive(1, {octets_of(far_end(1))});
  EXPECT_TRUE(watch->view().links[1].alive);
  EXPECT_TRUE(watch->view().peers[1].ready);
  EXPECT_TRUE(watch->view().peers[1].to[3].alive);
  EXPECT_GT(watch->version(), version);
  pass(30'000);
  EXPECT_FALSE(watch->view().links[1].alive);
}

TEST_F(FabricWatchTest, WithoutACarrierTheLinkIsDownAndNothingIsSent) {
  come_up();
  places.link(2).usable = false;
  pass(5'000);
  EXPECT_FALSE(watch->view().links[2].alive);
  EXPECT_TRUE(watch->view().links[0].alive);
  take_sent(2);
  pass(100'000);
  EXPECT_TRUE(take_sent(2).empty());
}

// Hellos between data: each is in one account, and packets go on.
TEST_F(FabricWatchTest, HellosAreCountedApart) {
  come_up();
  const auto before = counters(0);
  auto packet = frame(Ipv4{});
  vlb::write_tag(packet.data(), {.target = kSelf,
                                 .egress = kSelf,
                                 .hop_budget = 2,
                                 .ingress = NodeId{0},
                                 .adjacency = AdjacencyId{1}});
  const auto hello = octets_of(far_end(0));
  EXPECT_EQ(receive(0, {packet, hello, packet}),
            (std::vector{Fate::transmit, Fate::take_in, Fate::transmit}));
  const auto after = counters(0);
  EXPECT_EQ(after.received - before.received, 2u);
  EXPECT_EQ(after.received_bytes - before.received_bytes, 2 * packet.size());
  EXPECT_EQ(after.sent - before.sent, 2u);
  EXPECT_EQ(after.hellos_received - before.hellos_received, 1u);
  void* left = nullptr;
  while (rte_ring_dequeue(Devices::instance().from_core[kPort1], &left) == 0) {
    rte_pktmbuf_free(static_cast<rte_mbuf*>(left));
  }
}

TEST_F(FabricWatchTest, WhatIsNotBelievedIsDroppedByItsReason) {
  come_up();
  auto malformed = octets_of(far_end(0));
  malformed[15] = 0;
  EXPECT_EQ(receive(0, {malformed}), std::vector{Fate::drop});
  EXPECT_EQ(why(), DropReason::fabric_malformed);
  EXPECT_EQ(receive(0, {octets_of(far_end(0))}, {.split = 40}), std::vector{Fate::drop});
  EXPECT_EQ(why(), DropReason::fabric_malformed);
  EXPECT_EQ(receive(0, {octets_of(far_end(1))}), std::vector{Fate::drop});  // another's
  EXPECT_EQ(why(), DropReason::fabric_wrong_target);
  const auto seen = counters(0);
  EXPECT_EQ(seen.received, 3u);
  EXPECT_EQ(seen.dropped_total(), 3u);
}

// The link is full: the hello leaves as soon as there is room.
TEST_F(FabricWatchTest, AHelloThatFindsNoRoomIsTriedAgain) {
  come_up();
  auto* ring = Devices::instance().from_core[kToNode2];
  std::vector<rte_mbuf*> filling;
  while (true) {
    auto* filler = rte_pktmbuf_alloc(&*packet_pool());
    ASSERT_NE(filler, nullptr);
    if (rte_eth_tx_burst(places.link(1).device, 0, &filler, 1) == 0) {
      rte_pktmbuf_free(filler);
      break;
    }
  }
  const auto before = counters(1).hellos_sent;
  pass(kInterval);
  EXPECT_EQ(counters(1).hellos_sent, before);
  void* one = nullptr;
  ASSERT_EQ(rte_ring_dequeue(ring, &one), 0);
  rte_pktmbuf_free(static_cast<rte_mbuf*>(one));
  pass(500);
  EXPECT_EQ(counters(1).hellos_sent, before + 1);
}

TEST_F(FabricWatchTest, TellsTheLoadOfItsLinks) {
  come_up();
  for (int i = 0; i < 50; ++i) {  // 500 Mb/s of 1 Gb/s, and half as much again that finds no room
    places.link(1).counters[0].transmitted_bytes.add(62'500);
    places.link(1).counters[0].refused_bytes.add(31'250);
    pass(1'000);
  }
  EXPECT_EQ(watch->view().links[1].load, 150);
  EXPECT_EQ(watch->view().links[0].load, 0);
}

TEST_F(FabricWatchTest, ReportsStatesAndEvents) {
  come_up();
  pass(100'000);  // the far ends are silent
  const auto& report = watch->report();
  for (const auto& link : report.links) {
    EXPECT_EQ(link.state, vlb::LinkState::down);
    EXPECT_EQ(link.peer_boot_id, kTheirs);
    EXPECT_FALSE(link.ready);
  }
  EXPECT_EQ(report.nodes, (std::vector<std::uint8_t>{0, 1, 0, 0}));
  ASSERT_EQ(report.events_so_far, 12u);  // three links and nodes, up and down
  EXPECT_EQ(report.events[0].kind, vlb::LivenessEventKind::link_up);
  EXPECT_EQ(report.events[11].kind, vlb::LivenessEventKind::node_down);
}

}  // namespace
}  // namespace rackway::node::testing
