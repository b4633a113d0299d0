// SPDX-License-Identifier: Apache-2.0
#include "control/adjacency_indices.hh"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace rackway::control::testing {
namespace {

std::vector<unsigned> allocate(AdjacencyIndices& indices, unsigned count) {
  std::vector<unsigned> taken;
  for (unsigned i = 0; i < count; ++i) taken.push_back(indices.allocate().value().value);
  return taken;
}

TEST(AdjacencyIndices, AreGivenOutFromTheLowest) {
  AdjacencyIndices indices;
  EXPECT_EQ(allocate(indices, 4), (std::vector<unsigned>{0, 1, 2, 3}));
}

TEST(AdjacencyIndices, AFreedOneRestsUntilAllNodesHaveTheEpochThatFreedIt) {
  AdjacencyIndices indices;
  (void)allocate(indices, 4);
  indices.release({1}, {10});
  indices.release({2}, {11});
  EXPECT_EQ(allocate(indices, 1), std::vector<unsigned>{4});
  indices.all_nodes_have({9});
  EXPECT_EQ(allocate(indices, 1), std::vector<unsigned>{5});
  indices.all_nodes_have({10});
  EXPECT_EQ(allocate(indices, 2), (std::vector<unsigned>{1, 6}));
  indices.all_nodes_have({100});
  EXPECT_EQ(allocate(indices, 2), (std::vector<unsigned>{2, 7}));
}

TEST(AdjacencyIndices, TheLowestFreeOneComesFirst) {
  AdjacencyIndices indices;
  (void)allocate(indices, 5);
  for (const unsigned index : {3, 1, 4}) indices.release({index}, {1});
  indices.all_nodes_have({1});
  EXPECT_EQ(allocate(indices, 4), (std::vector<unsigned>{1, 3, 4, 5}));
}

TEST(AdjacencyIndices, AReservedOneIsNotGivenOut) {
  AdjacencyIndices indices;
  EXPECT_TRUE(indices.reserve({2}));
  EXPECT_TRUE(indices.reserve({0}));
  EXPECT_EQ(allocate(indices, 3), (std::vector<unsigned>{1, 3, 4}));
}

TEST(AdjacencyIndices, WhatSomebodyHasOrRestsCanNotBeReserved) {
  AdjacencyIndices indices;
  EXPECT_TRUE(indices.reserve({2}));
  EXPECT_FALSE(indices.reserve({2}));
  (void)allocate(indices, 1);
  EXPECT_FALSE(indices.reserve({0}));
  indices.release({2}, {5});
  EXPECT_FALSE(indices.reserve({2}));
  indices.all_nodes_have({5});
  EXPECT_TRUE(indices.reserve({2}));
  EXPECT_FALSE(indices.reserve({kMaxAdjacencies}));
  EXPECT_FALSE(indices.reserve({0xffffffff}));
}

TEST(AdjacencyIndices, ReleasingWhatNobodyHasIsNothing) {
  AdjacencyIndices indices;
  (void)allocate(indices, 2);
  indices.release({7}, {1});
  indices.release({0}, {1});
  indices.release({0}, {1});
  indices.all_nodes_have({1});
  EXPECT_EQ(allocate(indices, 3), (std::vector<unsigned>{0, 2, 3}));
}

TEST(AdjacencyIndices, WhatAnOlderControllerMayHaveGivenOutRestsUntilAllNodesHaveTheEpoch) {
  AdjacencyIndices indices;
  EXPECT_TRUE(indices.reserve({2}));
  indices.distrust(5, {8});
  EXPECT_EQ(allocate(indices, 2), (std::vector<unsigned>{5, 6}));
  EXPECT_FALSE(indices.all_nodes_have({7}));
  EXPECT_EQ(allocate(indices, 1), std::vector<unsigned>{7});
  EXPECT_TRUE(indices.all_nodes_have({8}));
  EXPECT_EQ(allocate(indices, 5), (std::vector<unsigned>{0, 1, 3, 4, 8}));
}

TEST(AdjacencyIndices, WhenItIsNotKnownHowManyWereGivenOutThereAreNoneUntilThen) {
  AdjacencyIndices indices;
  EXPECT_TRUE(indices.reserve({1}));
  indices.distrust(kMaxAdjacencies, {8});
  EXPECT_FALSE(indices.allocate());
  indices.release({1}, {8});
  EXPECT_FALSE(indices.allocate());
  EXPECT_TRUE(indices.all_nodes_have({8}));
  EXPECT_EQ(allocate(indices, 3), (std::vector<unsigned>{0, 1, 2}));
  EXPECT_FALSE(indices.all_nodes_have({9}));
}

TEST(AdjacencyIndices, ACeilingBelowWhatIsInUseLeavesOutWhatIsBelow) {
  AdjacencyIndices indices;
  EXPECT_TRUE(indices.reserve({3}));
  indices.distrust(2, {8});
  EXPECT_EQ(allocate(indices, 1), std::vector<unsigned>{4});
  EXPECT_TRUE(indices.all_nodes_have({8}));
  EXPECT_EQ(allocate(indices, 4), (std::vector<unsigned>{0, 1, 2, 5}));
}

TEST(AdjacencyIndices, RandomlyUsedNoneIsGivenOutTwiceOrTooEarly) {
  std::mt19937 random(4);
  AdjacencyIndices indices;
  std::set<unsigned> used;
  std::map<unsigned, std::uint64_t> resting;
  std::uint64_t epoch = 1, everywhere = 0;
  for (int i = 0; i < 20000; ++i) {
    if (random() % 3 == 0) everywhere += random() % (1 + epoch - everywhere);
    indices.all_nodes_have({everywhere});
    std::erase_if(resting, [&](const auto& entry) { return entry.second <= everywhere; });
    if (random() % 2 == 0) {
      unsigned lowest = 0;
      while (used.contains(lowest) || resting.contains(lowest)) ++lowest;
      ASSERT_EQ(indices.allocate(), AdjacencyId{lowest});
      used.insert(lowest);
    } else if (!used.empty()) {
      const unsigned index = *std::next(used.begin(), static_cast<long>(random() % used.size()));
      indices.release({index}, {epoch});
      used.erase(index);
      resting[index] = epoch;
    }
    epoch += random() % 2;
  }
}

}  // namespace
}  // namespace rackway::control::testing
