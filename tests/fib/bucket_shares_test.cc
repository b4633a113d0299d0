// SPDX-License-Identifier: Apache-2.0
#include "fib/bucket_shares.hh"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace rackway::fib {
namespace {

using Shares = std::vector<std::uint32_t>;

Shares shares_of(const std::vector<std::uint16_t>& weights) {
  std::vector<GroupMember> members;
  for (std::uint32_t i = 0; i < weights.size(); ++i) members.push_back({{{0}, {i}}, weights[i]});
  return bucket_shares(members);
}

TEST(BucketShares, NoMembers) {
  EXPECT_EQ(shares_of({}), Shares{});
}

TEST(BucketShares, EqualWeightsGetOneEach) {
  EXPECT_EQ(shares_of({1}), (Shares{1}));
  EXPECT_EQ(shares_of({65535}), (Shares{1}));
  EXPECT_EQ(shares_of({256, 256, 256}), (Shares{1, 1, 1}));
  EXPECT_EQ(shares_of(std::vector<std::uint16_t>(512, 65535)), Shares(512, 1));
}

TEST(BucketShares, SmallWeightsAreExact) {
  EXPECT_EQ(shares_of({1, 2, 3}), (Shares{1, 2, 3}));
  EXPECT_EQ(shares_of({100, 300}), (Shares{1, 3}));
  EXPECT_EQ(shares_of({1, 1023}), (Shares{1, 1023}));
}

TEST(BucketShares, BeyondTheBoundAreNear) {
  EXPECT_EQ(shares_of({1, 1024}), (Shares{1, 1023}));
  EXPECT_EQ(shares_of({1, 65535}), (Shares{1, 1023}));
  EXPECT_EQ(shares_of({30000, 60001}), (Shares{341, 683}));
  EXPECT_EQ(shares_of({20001, 20001, 20000}), (Shares{342, 341, 341}));  // a tie: the earlier
}

TEST(BucketShares, TheWeakestOfManyStillGetsOne) {
  std::vector<std::uint16_t> weights(512, 1);
  weights[0] = 65535;
  Shares expected(512, 1);
  expected[0] = 1024 - 511;
  EXPECT_EQ(shares_of(weights), expected);
}

TEST(BucketShares, RandomWeightsWithinOneBucketOfTheirDue) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::uint16_t> weights(2 + random() % 60);
    for (auto& weight : weights) weight = static_cast<std::uint16_t>(5000 + random() % 60000);
    const Shares shares = shares_of(weights);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    ASSERT_EQ(std::accumulate(shares.begin(), shares.end(), 0u), kMaxBuckets);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      ASSERT_LT(std::abs(shares[i] - weights[i] / total * kMaxBuckets), 1.0);
    }
  }
}

}  // namespace
}  // namespace rackway::fib
