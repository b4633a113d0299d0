// SPDX-License-Identifier: Apache-2.0
#include "node/unresolved_limiter.hh"

#include <gtest/gtest.h>

#include <cstdint>

namespace rackway::node::testing {
namespace {

constexpr std::uint64_t kSecond = 3'000'000;
constexpr std::uint64_t kStart = 7 * kSecond;
constexpr std::uint32_t kDead = 0x0a000009;

int taken(UnresolvedLimiter& limiter, std::uint32_t destination, std::uint64_t now, int tries) {
  int count = 0;
  for (int i = 0; i < tries; ++i) count += limiter.take(destination, now) ? 1 : 0;
  return count;
}

TEST(UnresolvedLimiter, ABurstAndThenAFewASecondOfADestination) {
  UnresolvedLimiter limiter(kSecond);
  EXPECT_EQ(taken(limiter, kDead, kStart, 1000), 256);
  EXPECT_EQ(taken(limiter, kDead, kStart + 999'999, 1000), 0);
  EXPECT_EQ(taken(limiter, kDead, kStart + 1'000'000, 1000), 1);
  EXPECT_EQ(taken(limiter, kDead, kStart + kSecond, 1000), 2);
  EXPECT_EQ(taken(limiter, kDead, kStart + 100 * kSecond, 1000), 256);
}

TEST(UnresolvedLimiter, AtTheStartOfTheClockToo) {
  UnresolvedLimiter limiter(kSecond);
  EXPECT_EQ(taken(limiter, 0, 0, 1000), 256);
  EXPECT_EQ(taken(limiter, 0, 1, 1000), 0);
}

TEST(UnresolvedLimiter, ASweepIsBoundedByItsDestinations) {
  UnresolvedLimiter limiter(kSecond);
  int at_once = 0, later = 0;
  for (std::uint32_t host = 0; host < 1u << 16; ++host) at_once += limiter.take(host, kStart);
  EXPECT_EQ(at_once, 40);
  for (std::uint32_t host = 0; host < 1u << 16; ++host) {
    later += limiter.take(host << 8, kStart + 1 + host * kSecond / (1u << 16));
  }
  EXPECT_GE(later, 19);
  EXPECT_LE(later, 20);
}

TEST(UnresolvedLimiter, ADeadHostLeavesTheOthersTheirs) {
  UnresolvedLimiter limiter(kSecond);
  EXPECT_EQ(taken(limiter, kDead, kStart, 100'000), 256);
  for (std::uint32_t host = 1; host < 40; ++host) {
    EXPECT_EQ(taken(limiter, kDead + host, kStart, 1), 1) << host;
  }
}

TEST(UnresolvedLimiter, ASweepLeavesWhoIsBeingResolvedHisPackets) {
  UnresolvedLimiter limiter(kSecond);
  EXPECT_EQ(taken(limiter, kDead, kStart, 1), 1);
  for (std::uint32_t host = 0x0b000000; host < 0x0b010000; ++host) (void)limiter.take(host, kStart);
  EXPECT_EQ(taken(limiter, kDead, kStart, 10), 10);
}

// However two destinations lie in the table, together they are bounded like two.
TEST(UnresolvedLimiter, WhoShareASlotAreBoundedByNewDestinations) {
  for (std::uint32_t other = 1; other < 5000; ++other) {
    UnresolvedLimiter limiter(kSecond);
    int passed = 0;
    for (int i = 0; i < 1000; ++i) {
      passed += taken(limiter, kDead, kStart, 1) + taken(limiter, kDead + other, kStart, 1);
    }
    EXPECT_LE(passed, 2 * 256) << other;
  }
}

}  // namespace
}  // namespace rackway::node::testing
