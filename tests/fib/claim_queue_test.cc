// SPDX-License-Identifier: Apache-2.0
#include "fib/claim_queue.hh"

#include <gtest/gtest.h>

#include <random>

namespace rackway::fib {
namespace {

using Members = std::vector<std::uint32_t>;

// Whose turns come first; members whose turns are used up leave.
Members turns_of(const std::vector<std::uint32_t>& weights, std::uint32_t before, std::size_t count,
                 std::vector<std::uint32_t> turns_left) {
  ClaimQueue queue(weights, before);
  Members turns;
  while (turns.size() < count) {
    const auto member = queue.next().member;
    EXPECT_EQ(queue.next().weight, weights[member]);
    turns.push_back(member);
    --turns_left[member] == 0 ? queue.drop() : queue.renew();
  }
  return turns;
}

Members turns_of(const std::vector<std::uint32_t>& weights, std::uint32_t before,
                 std::size_t count) {
  return turns_of(weights, before, count, Members(weights.size(), 0));
}

// The rule of the header, looked up among all members.
Members naive_turns(const std::vector<std::uint32_t>& weights, std::uint32_t before,
                    std::size_t count, std::vector<std::uint32_t> turns_left) {
  Members claims(weights.size(), before);
  Members turns;
  while (turns.size() < count) {
    std::size_t best = weights.size();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (turns_left[i] == 0) continue;
      if (best == weights.size() || std::uint64_t{weights[i]} * (2 * claims[best] + 1) >
                                        std::uint64_t{weights[best]} * (2 * claims[i] + 1)) {
        best = i;
      }
    }
    turns.push_back(static_cast<std::uint32_t>(best));
    ++claims[best];
    --turns_left[best];
  }
  return turns;
}

TEST(ClaimQueue, EqualMembersInRotation) {
  EXPECT_EQ(turns_of({9}, 0, 3), (Members{0, 0, 0}));
  EXPECT_EQ(turns_of({5, 5, 5}, 0, 7), (Members{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(turns_of({5, 5, 5}, 1, 4), (Members{0, 1, 2, 0}));
}

TEST(ClaimQueue, ByWeight) {
  EXPECT_EQ(turns_of({1, 3}, 0, 8), (Members{1, 0, 1, 1, 1, 0, 1, 1}));
  EXPECT_EQ(turns_of({1, 3}, 1, 5), (Members{1, 1, 1, 0, 1}));
}

TEST(ClaimQueue, WhoIsDroppedComesNoMore) {
  EXPECT_EQ(turns_of({5, 5, 5}, 0, 6, {9, 1, 2}), (Members{0, 1, 2, 0, 2, 0}));
  EXPECT_EQ(turns_of({1, 3}, 0, 4, {9, 2}), (Members{1, 0, 1, 0}));
}

TEST(ClaimQueue, LargestWeights) {
  constexpr std::uint32_t kMost = (1u << 31) - 1;
  EXPECT_EQ(turns_of({kMost, kMost - 1}, kMost - 16, 4), (Members{0, 1, 0, 1}));
}

TEST(ClaimQueue, RandomWeightsAsTheNaiveOne) {
  std::mt19937 random(11);
  for (int round = 0; round < 200; ++round) {
    Members weights(1 + random() % 9);
    Members left(weights.size());
    const bool equal = round % 3 == 0;
    for (auto& weight : weights) weight = equal ? 7 : 1 + random() % 12;
    for (auto& turns : left) turns = 1 + random() % 20;
    left[random() % left.size()] = 1000;
    ASSERT_EQ(turns_of(weights, round % 2, 100, left), naive_turns(weights, round % 2, 100, left));
  }
}

}  // namespace
}  // namespace rackway::fib
