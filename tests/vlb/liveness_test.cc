// SPDX-License-Identifier: Apache-2.0
#include "vlb/liveness.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "tests/vlb/model_fabric.hh"

namespace rackway::vlb {
namespace {

using testing::ModelFabric;
using Kind = LivenessEventKind;

constexpr Time kInterval = 10'000, kDetection = 30'000;
// What a failure may take to be known everywhere: detection, and one hello to tell the others.
constexpr Time kKnown = kDetection + kInterval + 2 * ModelFabric::kStep;

std::vector<Kind> events_of(Liveness& node) {
  std::vector<Kind> kinds;
  while (const auto event = node.take_event()) kinds.push_back(event->kind);
  return kinds;
}

ModelFabric mesh_that_is_up(std::uint16_t nodes) {
  ModelFabric fabric(nodes, ModelFabric::mesh(nodes));
  for (std::size_t i = 0; i < nodes; ++i) fabric.node(i).set_ready(true);
  fabric.run(5 * kInterval);
  for (std::size_t i = 0; i < nodes; ++i) events_of(fabric.node(i));
  return fabric;
}

std::vector<bool> alive_links(ModelFabric& fabric, std::size_t node) {
  std::vector<bool> alive;
  for (const auto& link : fabric.node(node).view().links) alive.push_back(link.alive);
  return alive;
}

TEST(Liveness, AMeshComesUpWithinAFewHellos) {
  ModelFabric fabric(4, ModelFabric::mesh(4));
  fabric.run(2 * kInterval);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(alive_links(fabric, i), std::vector<bool>(3, true));
    const auto kinds = events_of(fabric.node(i));
    EXPECT_EQ(std::ranges::count(kinds, Kind::link_up), 3);
    EXPECT_EQ(std::ranges::count(kinds, Kind::node_up), 3);
    EXPECT_EQ(kinds.size(), 6u);
  }
}

TEST(Liveness, ANodeWithoutAFibIsNoEgressForAnybody) {
  ModelFabric fabric(4, ModelFabric::mesh(4));
  for (std::size_t i = 0; i < 3; ++i) fabric.node(i).set_ready(true);
  fabric.run(5 * kInterval);
  const auto& view = fabric.node(0).view();
  EXPECT_TRUE(view.peers[0].ready);
  EXPECT_FALSE(view.peers[2].ready);
  EXPECT_TRUE(view.links[2].alive);
  EXPECT_TRUE(view.peers[0].to[2].alive);   // node 1 reaches node 2
  EXPECT_FALSE(view.peers[0].to[3].alive);  // node 3 is not ready
  fabric.node(3).set_ready(true);
  fabric.run(kInterval);
  EXPECT_TRUE(view.peers[2].ready);
  EXPECT_TRUE(view.peers[0].to[3].alive);
}

TEST(Liveness, ANodeThatStopsIsDownEverywhereInTime) {
  auto fabric = mesh_that_is_up(4);
  fabric.stop(3);
  fabric.run(kKnown);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(alive_links(fabric, i), (std::vector<bool>{true, true, false}));
    EXPECT_FALSE(fabric.node(i).reachable(NodeId{3}));
    EXPECT_EQ(events_of(fabric.node(i)), (std::vector<Kind>{Kind::link_down, Kind::node_down}));
    for (std::size_t peer = 0; peer < 2; ++peer) {
      EXPECT_FALSE(fabric.node(i).view().peers[peer].to[3].alive);
    }
  }
}

TEST(Liveness, ALinkThatIsCutIsNoDeadNode) {
  auto fabric = mesh_that_is_up(4);
  const auto link = fabric.between(0, 3);
  fabric.wire(link, 0).cut = fabric.wire(link, 3).cut = true;
  fabric.run(kKnown);
  EXPECT_EQ(events_of(fabric.node(0)), (std::vector<Kind>{Kind::link_down}));
  EXPECT_EQ(events_of(fabric.node(3)), (std::vector<Kind>{Kind::link_down}));
  EXPECT_TRUE(fabric.node(0).reachable(NodeId{3}));
  EXPECT_EQ(events_of(fabric.node(1)), std::vector<Kind>{});
  // The others know that this way does not exist.
  EXPECT_FALSE(fabric.node(1).view().peers[0].to[3].alive);
  EXPECT_TRUE(fabric.node(1).view().peers[1].to[3].alive);
}

TEST(Liveness, OneDirectionCutIsDownAtOneEndAndOneWayAtTheOther) {
  auto fabric = mesh_that_is_up(4);
  fabric.wire(fabric.between(0, 3), 0).cut = true;
  fabric.run(kKnown);
  EXPECT_EQ(fabric.node(0).link(2).state(), LinkState::one_way);
  EXPECT_EQ(fabric.node(3).link(0).state(), LinkState::down);
  EXPECT_EQ(events_of(fabric.node(0)), (std::vector<Kind>{Kind::link_one_way}));
  EXPECT_EQ(events_of(fabric.node(3)), (std::vector<Kind>{Kind::link_down}));
  fabric.wire(fabric.between(0, 3), 0).cut = false;
  fabric.run(2 * kInterval);
  EXPECT_EQ(events_of(fabric.node(0)), (std::vector<Kind>{Kind::link_up}));
  EXPECT_EQ(events_of(fabric.node(3)), (std::vector<Kind>{Kind::link_up}));
}

TEST(Liveness, ARestartIsToldAndTheNewRunIsNotReadyUntilItSaysSo) {
  auto fabric = mesh_that_is_up(4);
  fabric.boot(3);
  fabric.run(3 * kInterval);
  for (std::size_t i = 0; i < 3; ++i) {
    auto& node = fabric.node(i);
    EXPECT_TRUE(node.view().links[2].alive);
    EXPECT_FALSE(node.view().peers[2].ready);
    const auto kinds = events_of(node);
    ASSERT_FALSE(kinds.empty());
    EXPECT_EQ(kinds.front(), Kind::node_restarted);
    EXPECT_EQ(std::ranges::count(kinds, Kind::link_down), 0);
    EXPECT_EQ(std::ranges::count(kinds, Kind::link_one_way), 0);
  }
}

TEST(Liveness, ANodeThatSleptJudgesNobody) {
  auto fabric = mesh_that_is_up(4);
  fabric.stop(3);
  fabric.run(10'000'000);
  for (std::size_t i = 0; i < 3; ++i) events_of(fabric.node(i));
  fabric.resume(3);
  fabric.step();
  fabric.step();
  for (const auto kind : events_of(fabric.node(3))) {
    EXPECT_NE(kind, Kind::link_down);
    EXPECT_NE(kind, Kind::link_one_way);
  }
  fabric.run(3 * kInterval);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(alive_links(fabric, i), std::vector<bool>(3, true)) << i;
  }
  EXPECT_LT(fabric.node(3).view().links[0].delay, 1'000);
}

TEST(Liveness, DrainingIsTold) {
  auto fabric = mesh_that_is_up(3);
  const auto before = fabric.node(0).version();
  fabric.node(2).set_draining(true);
  fabric.run(kInterval);
  EXPECT_TRUE(fabric.node(0).view().peers[1].draining);
  EXPECT_GT(fabric.node(0).version(), before);
}

TEST(Liveness, LoadsAreToldWithoutANewVersion) {
  auto fabric = mesh_that_is_up(3);
  const auto before = fabric.node(0).version();
  fabric.node(1).set_load(fabric.local_link(1, fabric.between(1, 2)), 150);
  fabric.run(2 * kInterval);
  EXPECT_EQ(fabric.node(0).view().peers[0].to[2].load, 150);
  EXPECT_EQ(fabric.node(0).version(), before);
}

TEST(Liveness, DelayIsMeasured) {
  auto fabric = mesh_that_is_up(3);
  // A frame is under way for one step, and the far end's answer too.
  EXPECT_EQ(fabric.node(0).view().links[0].delay, ModelFabric::kStep);
  EXPECT_EQ(fabric.node(0).view().peers[0].to[2].delay, ModelFabric::kStep);
}

// 0 - 1 - 2 - 3, a ring closed by 3 - 0: beyond a neighbour only by shortest paths.
TEST(Liveness, BeyondNeighboursOnlyNearerOnesAreBelieved) {
  ModelFabric fabric(4, {{NodeId{0}, NodeId{1}},
                         {NodeId{1}, NodeId{2}},
                         {NodeId{2}, NodeId{3}},
                         {NodeId{3}, NodeId{0}}});
  for (std::size_t i = 0; i < 4; ++i) fabric.node(i).set_ready(true);
  fabric.run(5 * kInterval);
  auto& node = fabric.node(0);
  EXPECT_TRUE(node.ways()[2].alive);
  EXPECT_EQ(node.ways()[2].delay, 2 * ModelFabric::kStep);
  fabric.stop(2);
  fabric.run(kKnown + kInterval);
  EXPECT_FALSE(node.ways()[2].alive);
  EXPECT_FALSE(node.reachable(NodeId{2}));
  fabric.run(1'000'000);
  EXPECT_FALSE(node.reachable(NodeId{2}));
}

// Once all know that a link is gone, shortest paths are others.
TEST(Liveness, AnotherTableHasOtherWays) {
  const std::vector<topo::LinkEnds> links{
      {NodeId{0}, NodeId{1}}, {NodeId{1}, NodeId{2}}, {NodeId{2}, NodeId{0}}};
  ModelFabric fabric(3, links);
  for (std::size_t i = 0; i < 3; ++i) fabric.node(i).set_ready(true);
  fabric.wire(2, 0).cut = fabric.wire(2, 2).cut = true;
  fabric.run(5 * kInterval);
  EXPECT_FALSE(fabric.node(0).ways()[2].alive);
  const auto before = fabric.node(0).version();
  fabric.node(0).set_table(topo::FabricTable(NodeId{0}, 3, links, {false, false, true}),
                           fabric.now());
  EXPECT_TRUE(fabric.node(0).ways()[2].alive);
  EXPECT_GT(fabric.node(0).version(), before);
}

// ---- one node alone, with hellos by hand

struct OneNode : ::testing::Test {
  std::vector<topo::LinkEnds> links = ModelFabric::mesh(3);
  Liveness node{topo::FabricTable(NodeId{0}, 3, links), NodeId{0}, 7, {}};
  std::vector<std::uint8_t> octets = std::vector<std::uint8_t>(kMaxHelloBytes);

  HelloVerdict hear(const Hello& hello, std::size_t nodes = 3, std::size_t link = 0) {
    const std::vector<LinkView> ways(nodes);
    const auto size = write_hello(hello, ways, std::span<std::uint8_t, kMaxHelloBytes>(octets));
    const auto heard = read_hello({octets.data(), size});
    return heard ? node.hear(link, *heard, 1'000) : throw std::logic_error("not a hello");
  }
};

TEST_F(OneNode, BelievesOnlyTheNodeAtTheFarEndAndOfTheSameDocument) {
  const Hello good{.sender = NodeId{1}, .receiver = NodeId{0}, .boot_id = 5, .sequence = 9};
  EXPECT_EQ(hear(good), HelloVerdict::believed);
  EXPECT_EQ(hear(good), HelloVerdict::stale);
  EXPECT_EQ(hear(good, 3, 1), HelloVerdict::not_for_us);
  EXPECT_EQ(hear(good, 4), HelloVerdict::other_document);
  Hello other = good;
  other.receiver = NodeId{2};
  EXPECT_EQ(hear(other), HelloVerdict::not_for_us);
}

TEST_F(OneNode, SendsOnlyWithACarrierThenAtOnceThenEveryInterval) {
  Time now = 0xffffff00;
  EXPECT_FALSE(node.hello_due(0, now));
  EXPECT_EQ(node.until_next_hello(now), Liveness::kIdle);
  node.set_carrier(0, true, now);
  EXPECT_TRUE(node.hello_due(0, now));
  EXPECT_FALSE(node.hello_due(1, now));
  Time last = now;
  node.sent(0, now);
  for (int hello = 0; hello < 100; ++hello) {
    const Time wait = node.until_next_hello(now);
    EXPECT_GE(wait, kInterval - kInterval / 8);
    EXPECT_LE(wait, kInterval);
    EXPECT_FALSE(node.hello_due(0, now + wait - 1));
    now += wait;
    EXPECT_TRUE(node.hello_due(0, now));
    node.sent(0, now);
    last = now;
  }
  node.set_ready(true);  // news go out sooner, though not at once
  EXPECT_EQ(node.until_next_hello(last), kInterval / 8);
}

TEST_F(OneNode, EventsAreBoundedAndTheOldestGo) {
  Hello hello{.sender = NodeId{1}, .receiver = NodeId{0}, .boot_id = 1};
  for (std::size_t i = 0; i < Liveness::kEvents + 10; ++i) {
    ++hello.boot_id;
    hear(hello);
  }
  EXPECT_EQ(node.lost_events(), 9u);  // the first boot is no restart
  EXPECT_EQ(events_of(node).size(), Liveness::kEvents);
}

}  // namespace
}  // namespace rackway::vlb
