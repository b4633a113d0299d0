// SPDX-License-Identifier: Apache-2.0
#include "fib/bucket_shares.hh"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

namespace rackway::fib {
namespace {

using Shares = std::vector<std::uint32_t>;

TEST(BucketShares, NoMembers) {
  EXPECT_EQ(bucket_shares({}, 0), Shares{});
}

TEST(BucketShares, OneHasAll) {
  EXPECT_EQ(bucket_shares(Shares{1}, 1), Shares{1});
  EXPECT_EQ(bucket_shares(Shares{65535}, 64), Shares{64});
}

TEST(BucketShares, EqualMembersDifferByOneAtMost) {
  EXPECT_EQ(bucket_shares(Shares{256, 256, 256}, 3), (Shares{1, 1, 1}));
  EXPECT_EQ(bucket_shares(Shares{1, 1, 1}, 1024), (Shares{342, 341, 341}));
  EXPECT_EQ(bucket_shares(Shares(5, 9), 8), (Shares{2, 2, 2, 1, 1}));
  EXPECT_EQ(bucket_shares(Shares(512, 65535), 32768), Shares(512, 64));
}

TEST(BucketShares, WeightsThatFitAreExact) {
  EXPECT_EQ(bucket_shares(Shares{1, 3}, 1024), (Shares{256, 768}));
  EXPECT_EQ(bucket_shares(Shares{1, 1023}, 1024), (Shares{1, 1023}));
  EXPECT_EQ(bucket_shares(Shares{100, 200, 300, 424}, 1024), (Shares{100, 200, 300, 424}));
}

TEST(BucketShares, OthersAreNear) {
  EXPECT_EQ(bucket_shares(Shares{1, 2, 3}, 1024), (Shares{171, 341, 512}));
  EXPECT_EQ(bucket_shares(Shares{30000, 60001}, 1024), (Shares{341, 683}));
  EXPECT_EQ(bucket_shares(Shares{20001, 20001, 20000}, 1024), (Shares{342, 341, 341}));
}

TEST(BucketShares, TheWeakestStillGetsOne) {
  EXPECT_EQ(bucket_shares(Shares{1, 65535}, 1024), (Shares{1, 1023}));
  Shares weights(512, 1);
  weights[0] = 65535;
  Shares expected(512, 1);
  expected[0] = 32768 - 511;
  EXPECT_EQ(bucket_shares(weights, 32768), expected);
}

// Half of them 65535 times the others, and a sum of weights beyond 16 bits.
TEST(BucketShares, ManyOfBothKinds) {
  Shares weights(512, 1);
  for (std::size_t i = 0; i < 512; i += 2) weights[i] = 65535;
  const Shares shares = bucket_shares(weights, 32768);
  for (std::size_t i = 0; i < 512; ++i) EXPECT_EQ(shares[i], i % 2 == 0 ? 127u : 1u) << i;
}

TEST(BucketShares, RandomWeightsWithinOneBucketOfTheirDue) {
  std::mt19937 random(7);
  for (int round = 0; round < 300; ++round) {
    Shares weights(2 + random() % 60);
    for (auto& weight : weights) weight = 5000 + random() % 60000;
    const Shares shares = bucket_shares(weights, 1024);
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    ASSERT_EQ(std::accumulate(shares.begin(), shares.end(), 0u), 1024u);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      ASSERT_LT(std::abs(shares[i] - weights[i] / total * 1024), 1.0);
    }
  }
}

TEST(BucketShares, NoneShrinksWhenOneGoes) {
  std::mt19937 random(8);
  for (int round = 0; round < 300; ++round) {
    Shares weights(2 + random() % 60);
    for (auto& weight : weights) weight = 1 + random() % (round % 2 == 0 ? 10 : 65535);
    const Shares before = bucket_shares(weights, 1024);
    const std::size_t gone = random() % weights.size();
    weights.erase(weights.begin() + static_cast<std::ptrdiff_t>(gone));
    const Shares after = bucket_shares(weights, 1024);
    for (std::size_t i = 0; i < after.size(); ++i) ASSERT_GE(after[i], before[i + (i >= gone)]);
  }
}

}  // namespace
}  // namespace rackway::fib
