// SPDX-License-Identifier: Apache-2.0
#include "node/icmp_limiter.hh"

#include <gtest/gtest.h>

#include <random>

namespace rackway::node::testing {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr PortId kPortA{0}, kPortB{1};

int taken(IcmpLimiter& limiter, PortId port, Family family, std::uint64_t now, int tries) {
  int count = 0;
  for (int i = 0; i < tries; ++i) count += limiter.take(port, family, now) ? 1 : 0;
  return count;
}

TEST(IcmpLimiter, ABurstThenOnePerInterval) {
  IcmpLimiter limiter(1, kSecond);
  const std::uint64_t start = 7 * kSecond;
  EXPECT_EQ(taken(limiter, kPortA, Family::ipv4, start, 1000), 100);
  EXPECT_EQ(taken(limiter, kPortA, Family::ipv4, start + 999'999, 10), 0);
  EXPECT_EQ(taken(limiter, kPortA, Family::ipv4, start + 1'000'000, 10), 1);
  EXPECT_EQ(taken(limiter, kPortA, Family::ipv4, start + 11'000'000, 100), 10);
}

TEST(IcmpLimiter, AtTheStartOfTheClockToo) {
  IcmpLimiter limiter(1, kSecond);
  EXPECT_EQ(taken(limiter, kPortA, Family::ipv6, 0, 1000), 100);
}

TEST(IcmpLimiter, APauseGivesNoMoreThanTheBurst) {
  IcmpLimiter limiter(1, kSecond, {.per_second = 10, .burst = 3});
  EXPECT_EQ(taken(limiter, kPortA, Family::ipv4, kSecond, 10), 3);
  EXPECT_EQ(taken(limiter, kPortA, Family::ipv4, 1000 * kSecond, 10), 3);
}

TEST(IcmpLimiter, ABurstOfOne) {
  IcmpLimiter limiter(1, kSecond, {.per_second = 1, .burst = 1});
  EXPECT_TRUE(limiter.take(kPortA, Family::ipv4, kSecond));
  EXPECT_FALSE(limiter.take(kPortA, Family::ipv4, 2 * kSecond - 1));
  EXPECT_TRUE(limiter.take(kPortA, Family::ipv4, 2 * kSecond));
}

TEST(IcmpLimiter, PortsAndFamiliesAreApart) {
  IcmpLimiter limiter(2, kSecond);
  EXPECT_EQ(taken(limiter, kPortA, Family::ipv4, kSecond, 1000), 100);
  EXPECT_EQ(taken(limiter, kPortA, Family::ipv6, kSecond, 1000), 100);
  EXPECT_EQ(taken(limiter, kPortB, Family::ipv4, kSecond, 1000), 100);
  EXPECT_EQ(taken(limiter, kPortB, Family::ipv6, kSecond, 1000), 100);
}

// Against a bucket that counts tokens in fractions of a tick's worth.
TEST(IcmpLimiter, AgreesWithACountingBucket) {
  constexpr std::uint64_t kInterval = kSecond / 50, kBurst = 7;
  IcmpLimiter limiter(1, kSecond, {.per_second = 50, .burst = kBurst});
  std::mt19937_64 random(1);
  std::uint64_t now = kSecond, level = kBurst * kInterval;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t pause = random() % 3 == 0 ? 0 : random() % (3 * kInterval / 2);
    now += pause;
    level = std::min(level + pause, kBurst * kInterval);
    const bool expected = level >= kInterval;
    if (expected) level -= kInterval;
    ASSERT_EQ(limiter.take(kPortA, Family::ipv4, now), expected) << i;
  }
}

}  // namespace
}  // namespace rackway::node::testing
