// SPDX-License-Identifier: Apache-2.0
#include "vlb/steering.hh"

#include <gtest/gtest.h>

#include <map>
#include <random>
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

TEST(Steering, NothingWhileAllLinksAreDown) {
  const auto steering = in_mesh(4, 0, 25);
  EXPECT_FALSE(steering.choose(node(1), 7));
  EXPECT_FALSE(steering.onward(node(1)));
}

TEST(Steering, NeverToItselfOrToUnknownNodes) {
  auto steering = in_mesh(4, 0, 25);
  steering.set_live({true, true, true});
  EXPECT_FALSE(steering.choose(node(0), 7));
  EXPECT_FALSE(steering.choose(node(4), 7));
  EXPECT_FALSE(steering.choose(node(4095), 7));
  EXPECT_FALSE(steering.onward(node(0)));
  EXPECT_FALSE(steering.onward(node(4)));
}

TEST(Steering, ShareOverRelaysIsAsConfiguredAndEven) {
  for (const int percent : {0, 25, 50, 100}) {
    auto steering = in_mesh(4, 0, static_cast<std::uint8_t>(percent));
    steering.set_live({true, true, true});
    std::mt19937 random(2);
    std::map<int, int> to;
    constexpr int kFlows = 100'000;
    for (int i = 0; i < kFlows; ++i) {
      const auto path = steering.choose(node(2), static_cast<std::uint32_t>(random()));
      ASSERT_TRUE(path);
      ASSERT_EQ(path->relayed, path->target != node(2));
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
    const auto first = steering.choose(node(5), hash);
    const auto again = steering.choose(node(5), hash);
    EXPECT_EQ(first->target, again->target);
    EXPECT_EQ(first->link, again->link);
  }
}

TEST(Steering, AllFlowsTakeRelaysWhenTheDirectLinkIsDown) {
  auto steering = in_mesh(4, 0, 0);
  steering.set_live({true, false, true});
  for (std::uint32_t hash = 0; hash < 1000; ++hash) {
    const auto path = steering.choose(node(2), hash * 2654435761u);
    ASSERT_TRUE(path);
    EXPECT_TRUE(path->relayed);
    EXPECT_NE(path->target, node(2));
  }
  EXPECT_FALSE(steering.onward(node(2)));
}

TEST(Steering, DeadLinksAreNotChosen) {
  auto steering = in_mesh(4, 0, 100);
  steering.set_live({true, true, false});
  for (std::uint32_t hash = 0; hash < 1000; ++hash) {
    EXPECT_EQ(steering.choose(node(1), hash * 2654435761u)->target, node(2));
  }
}

TEST(Steering, WithoutRelaysTheDirectLinkIsUsed) {
  auto steering = in_mesh(2, 0, 100);
  steering.set_live({true});
  const auto path = steering.choose(node(1), 1);
  ASSERT_TRUE(path);
  EXPECT_FALSE(path->relayed);
}

TEST(Steering, OnwardIsTheDirectLink) {
  auto steering = in_mesh(4, 1, 100);
  steering.set_live({true, true, true});
  const auto path = steering.onward(node(3));
  ASSERT_TRUE(path);
  EXPECT_EQ(path->target, node(3));
  EXPECT_EQ(steering.table().local_links()[path->link].peer, node(3));
}

}  // namespace
}  // namespace rackway::vlb
