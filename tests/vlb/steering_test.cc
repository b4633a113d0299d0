// SPDX-License-Identifier: Apache-2.0
#include "vlb/steering.hh"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace rackway::vlb {
namespace {

using topo::SteeringMode;

constexpr NodeId node(int i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

std::vector<topo::LinkEnds> mesh(int nodes) {
  std::vector<topo::LinkEnds> links;
  for (int a = 0; a < nodes; ++a) {
    for (int b = a + 1; b < nodes; ++b) links.push_back({node(a), node(b)});
  }
  return links;
}

Steering in_mesh(int nodes, int self, SteeringMode mode, GapBounds gap = {50'000, 50'000}) {
  SteeringSetup setup;
  setup.mode = mode;
  setup.gap = gap;
  return Steering(topo::FabricTable(node(self), nodes, mesh(nodes)), node(self), setup);
}

void set_live(Steering& steering, const std::vector<bool>& live) {
  steering.see(view_of_carriers(steering.table(), live), 0);
}

// A burst of one.
std::optional<Path> choose(Steering& steering, NodeId egress, std::uint32_t flow_hash,
                           Time now = 0) {
  Path path;
  steering.choose({&egress, 1}, {&flow_hash, 1}, now, {&path, 1});
  return path.link == kNoLink ? std::nullopt : std::optional(path);
}

// Hashes that are as far apart as those of flows.
std::uint32_t flow(std::uint32_t number) {
  return number * 2654435761u;
}

TEST(Steering, NothingWhileAllLinksAreDown) {
  auto steering = in_mesh(4, 0, SteeringMode::valiant);
  EXPECT_FALSE(choose(steering, node(1), 7));
  EXPECT_EQ(steering.onward(node(1)), kNoLink);
}

TEST(Steering, NeverToItselfOrToUnknownNodes) {
  auto steering = in_mesh(4, 0, SteeringMode::valiant);
  set_live(steering, {true, true, true});
  EXPECT_FALSE(choose(steering, node(0), 7));
  EXPECT_FALSE(choose(steering, node(4), 7));
  EXPECT_FALSE(choose(steering, node(4095), 7));
  EXPECT_EQ(steering.onward(node(0)), kNoLink);
  EXPECT_EQ(steering.onward(node(4)), kNoLink);
  EXPECT_EQ(steering.onward(node(0xffff)), kNoLink);
}

TEST(Steering, InTwoPhasesEveryNodeIsTheRelayOfAnEqualShare) {
  auto steering = in_mesh(4, 0, SteeringMode::valiant, {0, 0});
  set_live(steering, {true, true, true});
  std::mt19937 random(2);
  std::map<int, int> to;
  constexpr int kFlows = 100'000;
  for (int i = 0; i < kFlows; ++i) {
    const auto path = choose(steering, node(2), static_cast<std::uint32_t>(random()));
    ASSERT_TRUE(path);
    ASSERT_EQ(path->relayed != 0, path->target != node(2));
    ASSERT_EQ(steering.table().local_links()[path->link].peer, path->target);
    ++to[path->target.value];
  }
  EXPECT_NEAR(to[2], kFlows / 2, kFlows / 100);  // the relay is either end
  EXPECT_NEAR(to[1], kFlows / 4, kFlows / 100);
  EXPECT_NEAR(to[3], kFlows / 4, kFlows / 100);
  EXPECT_EQ(to[0], 0);
}

TEST(Steering, AFlowKeepsItsPath) {
  auto steering = in_mesh(8, 3, SteeringMode::valiant);
  set_live(steering, std::vector<bool>(7, true));
  for (std::uint32_t hash = 0; hash < 1000; ++hash) {
    const auto first = choose(steering, node(5), hash);
    const auto again = choose(steering, node(5), hash);
    EXPECT_EQ(first->target, again->target);
    EXPECT_EQ(first->link, again->link);
  }
}

TEST(Steering, AllFlowsTakeRelaysWhenTheDirectLinkIsDown) {
  auto steering = in_mesh(4, 0, SteeringMode::adaptive);
  set_live(steering, {true, false, true});
  for (std::uint32_t hash = 0; hash < 1000; ++hash) {
    const auto path = choose(steering, node(2), hash * 2654435761u);
    ASSERT_TRUE(path);
    EXPECT_TRUE(path->relayed);
    EXPECT_NE(path->target, node(2));
  }
  EXPECT_EQ(steering.onward(node(2)), kNoLink);
}

TEST(Steering, DeadLinksAreNotChosen) {
  for (const auto mode :
       {SteeringMode::valiant, SteeringMode::direct_vlb, SteeringMode::adaptive}) {
    auto steering = in_mesh(4, 0, mode);
    set_live(steering, {false, true, false});
    for (std::uint32_t hash = 0; hash < 1000; ++hash) {
      EXPECT_EQ(choose(steering, node(1), flow(hash))->target, node(2));
    }
  }
}

TEST(Steering, InModeDirectNothingTakesARelay) {
  auto steering = in_mesh(4, 0, SteeringMode::direct);
  set_live(steering, {false, true, true});
  EXPECT_FALSE(choose(steering, node(1), 7));
  EXPECT_EQ(choose(steering, node(2), 7)->relayed, 0u);
}

TEST(Steering, AModeIsAnotherFromTheNextLookOn) {
  auto steering = in_mesh(4, 0, SteeringMode::valiant, {0, 0});
  const auto relayed = [&] {
    int count = 0;
    for (std::uint32_t i = 0; i < 1000; ++i) {
      count += static_cast<int>(choose(steering, node(1), flow(i))->relayed);
    }
    return count;
  };
  set_live(steering, {true, true, true});
  EXPECT_NEAR(relayed(), 500, 60);
  steering.set_mode(SteeringMode::direct);
  set_live(steering, {true, true, true});
  EXPECT_EQ(relayed(), 0);
  steering.set_mode(SteeringMode::direct_vlb);
  set_live(steering, {true, true, true});
  EXPECT_NEAR(relayed(), 500, 60);  // no rate is known
  EXPECT_EQ(steering.mode(), SteeringMode::direct_vlb);
}

TEST(Steering, ARelayWithoutAWayToTheEgressIsNotChosen) {
  auto steering = in_mesh(4, 0, SteeringMode::valiant);
  auto view = view_of_carriers(steering.table(), {false, true, true});
  view.peers[1].to[1].alive = false;  // node 2 to node 1
  steering.see(view, 0);
  for (std::uint32_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(choose(steering, node(1), flow(i))->target, node(3));
  }
  view.peers[2].to.clear();  // node 3 has not said anything
  steering.see(view, 0);
  EXPECT_FALSE(choose(steering, node(1), 1));
}

TEST(Steering, ARelayThatDrainsIsLeftAtGapsOnly) {
  for (const auto mode : {SteeringMode::valiant, SteeringMode::adaptive}) {
    auto steering = in_mesh(4, 0, mode, {1000, 1000});
    auto view = view_of_carriers(steering.table(), {false, true, true});
    steering.see(view, 0);
    std::vector<NodeId> before;
    for (std::uint32_t i = 0; i < 100; ++i) {
      before.push_back(choose(steering, node(1), flow(i), 5000)->target);
    }
    view.peers[1].draining = true;  // node 2
    steering.see(view, 1);
    for (std::uint32_t i = 0; i < 100; ++i) {
      ASSERT_EQ(choose(steering, node(1), flow(i), 5999)->target, before[i]);
      ASSERT_EQ(choose(steering, node(1), flow(i), 6999)->target, node(3));
    }
    for (std::uint32_t i = 0; i < 100 && mode == SteeringMode::adaptive; ++i) {
      ASSERT_EQ(choose(steering, node(2), flow(i), 7000)->target, node(2));  // what is for it
    }
    EXPECT_EQ(steering.moved_early(), 0u);
  }
}

TEST(Steering, UpToTheQuotaStraight) {
  SteeringSetup setup;
  setup.mode = SteeringMode::direct_vlb;
  setup.node_rates = {10e9, 10e9, 10e9, 10e9};
  setup.own_rate = 10e9;
  Steering steering(topo::FabricTable(node(0), 4, mesh(4)), node(0), setup);
  const auto view = view_of_carriers(steering.table(), {true, true, true});
  // To node 1 twice the quota of 2.5 Gb/s, to node 2 all of it.
  for (Time now = 0; now < 300'000; now += 1000) {
    steering.tally(node(1), 625'000);
    steering.tally(node(2), 312'000);
    steering.see(view, now);
  }
  const auto straight = [&](int egress) {
    std::uint32_t places = 0;
    for (const auto& share : steering.shares(node(egress))) {
      if (share.path.relayed == 0) places += share.places;
    }
    return places;
  };
  EXPECT_NEAR(straight(1), kPlaces / 2, 2);
  EXPECT_EQ(straight(2), kPlaces);
  EXPECT_EQ(straight(3), kPlaces);
}

TEST(Steering, WithoutRelaysTheDirectLinkIsUsed) {
  auto steering = in_mesh(2, 0, SteeringMode::valiant);
  set_live(steering, {true});
  const auto path = choose(steering, node(1), 1);
  ASSERT_TRUE(path);
  EXPECT_FALSE(path->relayed);
}

TEST(Steering, OnwardIsTheDirectLink) {
  auto steering = in_mesh(4, 1, SteeringMode::valiant);
  set_live(steering, {true, true, true});
  EXPECT_EQ(steering.table().local_links()[steering.onward(node(3))].peer, node(3));
}

// With idle links all places are straight again after a while.
void settle(Steering& steering, const std::vector<bool>& live) {
  const auto view = view_of_carriers(steering.table(), live);
  for (Time now = 0; now < 2'000'000; now += 1000) steering.see(view, now);
}

TEST(Flowlets, KeepTheirPathUntilAGap) {
  auto steering = in_mesh(4, 0, SteeringMode::adaptive, {1000, 1000});
  set_live(steering, {false, true, true});
  for (std::uint32_t i = 0; i < 100; ++i) {
    ASSERT_EQ(choose(steering, node(1), flow(i), 5000)->relayed, 1u);
  }
  settle(steering, {true, true, true});  // the direct link is back: only new flowlets take it
  for (std::uint32_t i = 0; i < 100; ++i) {
    ASSERT_EQ(choose(steering, node(1), flow(i), 5999)->relayed, 1u);
    ASSERT_EQ(choose(steering, node(1), flow(i), 6998)->relayed, 1u);
    ASSERT_EQ(choose(steering, node(1), flow(i), 7998)->relayed, 0u);
  }
  EXPECT_EQ(steering.moved_early(), 0u);
}

// One flow, as large as it may be, is spread as the places say.
TEST(Flowlets, AFlowsFlowletsTakeAllItsPaths) {
  auto steering = in_mesh(4, 0, SteeringMode::valiant, {1000, 1000});
  set_live(steering, {true, true, true});
  std::map<int, int> to;
  for (Time now = 0; now < 10'000'000; now += 1000) {
    ++to[choose(steering, node(1), flow(7), now)->target.value];
    ASSERT_EQ(choose(steering, node(1), flow(7), now + 999)->target,
              choose(steering, node(1), flow(7), now)->target);
  }
  EXPECT_EQ(to[1] + to[2] + to[3], 10'000);
}

TEST(Flowlets, TheGapFollowsTheDelays) {
  auto steering = in_mesh(3, 0, SteeringMode::adaptive, {100, 5000});
  auto view = view_of_carriers(steering.table(), {true, true});
  steering.see(view, 0);
  EXPECT_EQ(steering.flowlet_gap(node(1)), 5000u);  // nothing is known
  view.links = {{true, 0, 40}, {true, 0, 300}};
  view.peers[0].to[2] = {true, 0, 20};
  view.peers[1].to[1] = {true, 0, 540};
  steering.see(view, 1000);
  EXPECT_EQ(steering.flowlet_gap(node(1)), 1000u);  // 40 or 300 + 540, and a quarter
  EXPECT_EQ(steering.flowlet_gap(node(2)), 300u);   // 300 or 40 + 20
  view.links[1].alive = false;
  for (Time now = 2000; now < 8'000'000; now += 1000) steering.see(view, now);
  EXPECT_EQ(steering.flowlet_gap(node(1)), 100u);  // one path is left
  steering.set_gap_bounds({700, 800});
  steering.see(view, 8'001'000);
  EXPECT_EQ(steering.flowlet_gap(node(1)), 700u);
}

TEST(Flowlets, LeaveADeadPathAtOnceAndAreCounted) {
  auto steering = in_mesh(4, 0, SteeringMode::adaptive);
  set_live(steering, {true, true, true});
  for (std::uint32_t i = 0; i < 100; ++i) choose(steering, node(1), flow(i), 10);
  set_live(steering, {false, true, true});
  for (std::uint32_t i = 0; i < 100; ++i) {
    ASSERT_EQ(choose(steering, node(1), flow(i), 11)->relayed, 1u);
    ASSERT_EQ(choose(steering, node(1), flow(i), 12)->relayed, 1u);
  }
  EXPECT_EQ(steering.moved_early(), 100u);
}

TEST(Flowlets, ClockThatComesAroundIsNoGap) {
  auto steering = in_mesh(4, 0, SteeringMode::adaptive, {1000, 1000});
  set_live(steering, {false, true, true});
  choose(steering, node(1), flow(1), 0xffff'ff00);
  settle(steering, {true, true, true});
  EXPECT_EQ(choose(steering, node(1), flow(1), 0x80)->relayed, 1u);
}

TEST(Flowlets, TheSameHashToAnotherEgressIsAnotherFlow) {
  auto steering = in_mesh(4, 0, SteeringMode::adaptive);
  set_live(steering, {true, true, true});
  for (std::uint32_t i = 0; i < 1000; ++i) {
    for (const int egress : {1, 2, 3}) {
      ASSERT_EQ(choose(steering, node(egress), flow(i), i)->target, node(egress));
    }
  }
}

// Places are dealt by the loads of milliseconds; flows that begin within one find no relay there.
struct AllStraight {
  Steering steering = in_mesh(4, 0, SteeringMode::adaptive);
  static constexpr std::size_t kDirect = 0;  // the link to node 1

  AllStraight() {
    set_live(steering, {true, true, true});
    for (std::uint32_t i = 0; i < 256; ++i) EXPECT_EQ(begin(i)->relayed, 0u);
  }
  std::optional<Path> begin(std::uint32_t number) {
    return choose(steering, node(1), flow(number), 100'000 * (1 + number));
  }
};

TEST(Flowlets, BeginOverARelayWhileTheStraightLinkIsClearlyBehind) {
  AllStraight all;
  all.steering.set_backlog(all.kDirect, 21);
  std::map<int, int> over;
  for (std::uint32_t i = 256; i < 512; ++i) {
    const auto path = all.begin(i);
    EXPECT_EQ(path->relayed, 1u);
    ++over[path->target.value];
  }
  EXPECT_EQ(over.size(), 2u);
  for (const auto& [relay, flows] : over) EXPECT_NEAR(flows, 128, 40) << relay;
}

TEST(Flowlets, BeginStraightWhereARelayIsNotWorthIt) {
  AllStraight all;
  all.steering.set_backlog(all.kDirect, 20);
  EXPECT_EQ(all.begin(256)->relayed, 0u);
  all.steering.set_backlog(all.kDirect, 300);
  for (const std::size_t link : {1, 2}) all.steering.set_backlog(link, 280);
  EXPECT_EQ(all.begin(257)->relayed, 0u);
  all.steering.set_backlog(all.kDirect, 1000);
  set_live(all.steering, {true, false, false});
  EXPECT_EQ(all.begin(258)->relayed, 0u);
}

TEST(Flowlets, ThatAreUnderWayStayWhateverIsBehind) {
  AllStraight all;
  all.begin(300);
  all.steering.set_backlog(all.kDirect, 10'000);
  EXPECT_EQ(choose(all.steering, node(1), flow(300), 100'000 * 301 + 49'000)->relayed, 0u);
}

TEST(Flowlets, AskForNoRelayInOtherModes) {
  auto steering = in_mesh(4, 0, SteeringMode::direct);
  set_live(steering, {true, true, true});
  steering.set_backlog(0, 10'000);
  for (std::uint32_t i = 0; i < 100; ++i) {
    EXPECT_EQ(choose(steering, node(1), flow(i))->relayed, 0u);
  }
}

TEST(Flowlets, ABurstIsAsItsPacketsAlone) {
  auto together = in_mesh(5, 2, SteeringMode::valiant),
       alone = in_mesh(5, 2, SteeringMode::valiant);
  for (auto* steering : {&together, &alone}) set_live(*steering, {true, true, false, true});
  std::mt19937 random(3);
  for (Time now = 0; now < 2000; ++now) {
    std::vector<NodeId> egress;
    std::vector<std::uint32_t> hashes;
    const auto size = random() % (Steering::kMaxBurst + 1);
    // One packet of each entry of the table: in a burst, flowlets are as they were before it.
    std::set<std::uint32_t> entries;
    for (std::size_t i = 0; i < size; ++i) {
      const NodeId to = node(static_cast<int>(random() % 7));
      const auto hash = flow(static_cast<std::uint32_t>(random() % 4096));
      if (!entries.insert(FlowletTable::index(hash, to)).second) continue;
      egress.push_back(to);
      hashes.push_back(hash);
    }
    std::vector<Path> paths(egress.size());
    together.choose(egress, hashes, now, paths);
    for (std::size_t i = 0; i < egress.size(); ++i) {
      const auto path = choose(alone, egress[i], hashes[i], now);
      ASSERT_EQ(paths[i].link, path ? path->link : kNoLink);
      ASSERT_EQ(paths[i].target, path ? path->target : NodeId{});
    }
  }
}

TEST(Flowlets, AFlowThatComesTwiceInABurstGoesOneWay) {
  auto steering = in_mesh(5, 0, SteeringMode::valiant);
  set_live(steering, {true, true, true, true});
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const NodeId egress[] = {node(1), node(2), node(1)};
    const std::uint32_t hashes[] = {flow(i), flow(i), flow(i)};
    std::array<Path, 3> paths;
    steering.choose(egress, hashes, i, paths);
    ASSERT_EQ(paths[0].link, paths[2].link);
  }
}

}  // namespace
}  // namespace rackway::vlb
