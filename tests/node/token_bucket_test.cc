// SPDX-License-Identifier: Apache-2.0
#include "node/token_bucket.hh"

#include <gtest/gtest.h>

#include <vector>

namespace rackway::node {
namespace {

constexpr std::uint64_t kSecond = 1'000'000;

std::uint64_t taken(std::uint16_t cores, TokenRate rate, std::uint64_t now, std::uint64_t until) {
  const Tokens tokens(rate, {kSecond, cores});
  std::vector<TokenBucket> buckets(cores);
  std::uint64_t count = 0;
  for (; now <= until; ++now) {
    for (auto& bucket : buckets) {
      while (bucket.take(tokens, now)) ++count;
    }
  }
  return count;
}

TEST(TokenBucket, AllCoresTogetherKeepToTheRate) {
  constexpr TokenRate kRate{.per_second = 1'000, .burst = 96};
  for (const std::uint16_t cores : {1, 2, 3, 4, 8}) {
    EXPECT_EQ(taken(cores, kRate, 0, 0), 96u) << cores;
    const auto in_a_second = taken(cores, kRate, 0, kSecond);
    EXPECT_LE(in_a_second, 1'096u) << cores;
    EXPECT_GE(in_a_second, 1'096u - cores) << cores;
  }
}

TEST(TokenBucket, EveryCoreHasATokenAtLeast) {
  EXPECT_EQ(taken(8, {.per_second = 8, .burst = 2}, 0, 0), 8u);
}

TEST(TokenBucket, OneThatLacksATokenIsFullAfterAnInterval) {
  const Tokens tokens({.per_second = 10, .burst = 2}, kSecond);
  TokenBucket bucket(tokens, 5);
  EXPECT_FALSE(bucket.full(5 + kSecond / 10 - 1));
  EXPECT_TRUE(bucket.full(5 + kSecond / 10));
  EXPECT_TRUE(bucket.take(tokens, 5));
  EXPECT_FALSE(bucket.take(tokens, 5));
}

}  // namespace
}  // namespace rackway::node
