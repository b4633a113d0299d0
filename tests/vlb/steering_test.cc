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

Steering in_mesh(int nodes, int self, std::uint8_t percent) {
  return Steering(topo::FabricTable(node(self), nodes, mesh(nodes)), node(self), percent);
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
  auto steering = in_mesh(4, 0, 25);
  EXPECT_FALSE(choose(steering, node(1), 7));
  EXPECT_EQ(steering.onward(node(1)), kNoLink);
}

TEST(Steering, NeverToItselfOrToUnknownNodes) {
  auto steering = in_mesh(4, 0, 25);
  steering.set_live({true, true, true});
  EXPECT_FALSE(choose(steering, node(0), 7));
  EXPECT_FALSE(choose(steering, node(4), 7));
  EXPECT_FALSE(choose(steering, node(4095), 7));
  EXPECT_EQ(steering.onward(node(0)), kNoLink);
  EXPECT_EQ(steering.onward(node(4)), kNoLink);
  EXPECT_EQ(steering.onward(node(0xffff)), kNoLink);
}

TEST(Steering, ShareOverRelaysIsAsConfiguredAndEven) {
  for (const int percent : {0, 25, 50, 100}) {
    auto steering = in_mesh(4, 0, static_cast<std::uint8_t>(percent));
    steering.set_live({true, true, true});
    steering.set_flowlet_gap(0);
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
    EXPECT_NEAR(to[2], kFlows * (100 - percent) / 100, kFlows / 100) << percent;
    EXPECT_NEAR(to[1], kFlows * percent / 200, kFlows / 100) << percent;
    EXPECT_NEAR(to[3], kFlows * percent / 200, kFlows / 100) << percent;
    EXPECT_EQ(to[0], 0);
  }
}

TEST(Steering, AFlowKeepsItsPath) {
  auto steering = in_mesh(8, 3, 50);
  steering.set_live(std::vector<bool>(7, true));
  for (std::uint32_t hash = 0; hash < 1000; ++hash) {
    const auto first = choose(steering, node(5), hash);
    const auto again = choose(steering, node(5), hash);
    EXPECT_EQ(first->target, again->target);
    EXPECT_EQ(first->link, again->link);
  }
}

TEST(Steering, AllFlowsTakeRelaysWhenTheDirectLinkIsDown) {
  auto steering = in_mesh(4, 0, 0);
  steering.set_live({true, false, true});
  for (std::uint32_t hash = 0; hash < 1000; ++hash) {
    const auto path = choose(steering, node(2), hash * 2654435761u);
    ASSERT_TRUE(path);
    EXPECT_TRUE(path->relayed);
    EXPECT_NE(path->target, node(2));
  }
  EXPECT_EQ(steering.onward(node(2)), kNoLink);
}

TEST(Steering, DeadLinksAreNotChosen) {
  auto steering = in_mesh(4, 0, 100);
  steering.set_live({true, true, false});
  for (std::uint32_t hash = 0; hash < 1000; ++hash) {
    EXPECT_EQ(choose(steering, node(1), hash * 2654435761u)->target, node(2));
  }
}

TEST(Steering, WithoutRelaysTheDirectLinkIsUsed) {
  auto steering = in_mesh(2, 0, 100);
  steering.set_live({true});
  const auto path = choose(steering, node(1), 1);
  ASSERT_TRUE(path);
  EXPECT_FALSE(path->relayed);
}

TEST(Steering, OnwardIsTheDirectLink) {
  auto steering = in_mesh(4, 1, 100);
  steering.set_live({true, true, true});
  EXPECT_EQ(steering.table().local_links()[steering.onward(node(3))].peer, node(3));
}

TEST(Flowlets, KeepTheirPathUntilAGap) {
  auto steering = in_mesh(4, 0, 0);
  steering.set_flowlet_gap(1000);
  steering.set_live({false, true, true});
  for (std::uint32_t i = 0; i < 100; ++i) {
    ASSERT_EQ(choose(steering, node(1), flow(i), 5000)->relayed, 1u);
  }
  steering.set_live({true, true, true});  // the direct link is back: only new flowlets take it
  for (std::uint32_t i = 0; i < 100; ++i) {
    ASSERT_EQ(choose(steering, node(1), flow(i), 5999)->relayed, 1u);
    ASSERT_EQ(choose(steering, node(1), flow(i), 6998)->relayed, 1u);
    ASSERT_EQ(choose(steering, node(1), flow(i), 7998)->relayed, 0u);
  }
  EXPECT_EQ(steering.moved_early(), 0u);
}

TEST(Flowlets, LeaveADeadPathAtOnceAndAreCounted) {
  auto steering = in_mesh(4, 0, 0);
  steering.set_live({true, true, true});
  for (std::uint32_t i = 0; i < 100; ++i) choose(steering, node(1), flow(i), 10);
  steering.set_live({false, true, true});
  for (std::uint32_t i = 0; i < 100; ++i) {
    ASSERT_EQ(choose(steering, node(1), flow(i), 11)->relayed, 1u);
    ASSERT_EQ(choose(steering, node(1), flow(i), 12)->relayed, 1u);
  }
  EXPECT_EQ(steering.moved_early(), 100u);
}

TEST(Flowlets, ClockThatComesAroundIsNoGap) {
  auto steering = in_mesh(4, 0, 0);
  steering.set_flowlet_gap(1000);
  steering.set_live({false, true, true});
  choose(steering, node(1), flow(1), 0xffff'ff00);
  steering.set_live({true, true, true});
  EXPECT_EQ(choose(steering, node(1), flow(1), 0x80)->relayed, 1u);
}

TEST(Flowlets, TheSameHashToAnotherEgressIsAnotherFlow) {
  auto steering = in_mesh(4, 0, 0);
  steering.set_live({true, true, true});
  for (std::uint32_t i = 0; i < 1000; ++i) {
    for (const int egress : {1, 2, 3}) {
      ASSERT_EQ(choose(steering, node(egress), flow(i), i)->target, node(egress));
    }
  }
}

TEST(Flowlets, ABurstIsAsItsPacketsAlone) {
  auto together = in_mesh(5, 2, 40), alone = in_mesh(5, 2, 40);
  for (auto* steering : {&together, &alone}) steering->set_live({true, true, false, true});
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
  auto steering = in_mesh(5, 0, 50);
  steering.set_live({true, true, true, true});
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
