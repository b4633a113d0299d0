// SPDX-License-Identifier: Apache-2.0
// Digests from scratch in steps, and the walk over the routes that they go by, against snapshots.
#include "fib/digest_run.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "fib/record_digest.hh"
#include "tests/fib/sample_records.hh"

namespace rackway::fib::testing {
namespace {

// Prefixes that crowd in few blocks, beside each other and one in the other.
Delta crowded(unsigned seed) {
  std::mt19937 random(seed);
  Delta delta;
  delta.groups = {{{1}, GroupKind::blackhole, {}}, {{2}, GroupKind::local, {}}};
  for (int i = 0; i < 700; ++i) {
    Ipv6Address six{{0x20, 0x01, static_cast<std::uint8_t>(random() % 3)}};
    six.bytes[15] = static_cast<std::uint8_t>(random());
    const Ipv4Address four{static_cast<std::uint32_t>(random() % 4 << 30 | (random() & 0x1ffff))};
    const auto prefix = random() % 2 == 0
                            ? IpPrefix::covering(four, static_cast<std::uint8_t>(random() % 33))
                            : IpPrefix::covering(six, static_cast<std::uint8_t>(random() % 129));
    delta.routes.push_back({prefix, {static_cast<std::uint32_t>(random() % 2 + 1)}});
  }
  std::ranges::stable_sort(delta.routes, {}, &Route::prefix);
  const auto twice = std::ranges::unique(delta.routes, {}, &Route::prefix);
  delta.routes.erase(twice.begin(), twice.end());
  delta.addresses = {{{1}, {0}, {}, *IpAddress::parse("10.0.0.1"), 24}};
  return delta;
}

TEST(RoutesAfter, WalksAllInOrderWhateverTheStep) {
  const auto fib = fib_of(crowded(1));
  const auto all = fib.snapshot().routes;
  ASSERT_GT(all.size(), 300u);
  for (const std::size_t most : {1u, 2u, 7u, 100u, 100'000u}) {
    std::vector<Route> walked;
    std::optional<IpPrefix> last;
    while (true) {
      const auto some = fib.routes_after(last, most);
      ASSERT_LE(some.size(), most);
      walked.insert(walked.end(), some.begin(), some.end());
      if (some.size() < most) break;
      last = some.back().prefix;
    }
    EXPECT_EQ(walked, all) << most;
  }
}

TEST(RoutesAfter, ThePrefixNeedNotBeThere) {
  const auto fib = fib_of(crowded(2));
  const auto all = fib.snapshot().routes;
  for (const auto& other : crowded(3).routes) {
    const auto next = std::ranges::upper_bound(all, other.prefix, {}, &Route::prefix);
    const auto found = fib.routes_after(other.prefix, 1);
    ASSERT_EQ(found.empty(), next == all.end()) << other.prefix.to_string();
    if (!found.empty()) {
      EXPECT_EQ(found[0], *next) << other.prefix.to_string();
    }
  }
  EXPECT_TRUE(fib.routes_after(*IpPrefix::parse("ffff::/16"), 10).empty());
  EXPECT_TRUE(fib.routes_after(std::nullopt, 0).empty());
  EXPECT_TRUE(Fib().routes_after(std::nullopt, 10).empty());
}

TEST(DigestRun, IsThatOfTheRecordsWhateverTheStep) {
  const auto delta = crowded(4);
  const auto fib = fib_of(delta);
  ASSERT_EQ(fib.digest(), digest_of(delta));
  for (const std::size_t most : {1u, 10u, 100'000u}) {
    DigestRun run(fib);
    std::size_t steps = 1;
    while (!run.step(most)) ++steps;
    EXPECT_EQ(run.sum(), fib.digest());
    EXPECT_EQ(steps, delta.routes.size() / most + 1);
    EXPECT_TRUE(run.is_done());
    EXPECT_TRUE(run.step(most));
    EXPECT_EQ(run.sum(), fib.digest());
  }
}

TEST(DigestRun, OfNothingIsZero) {
  const Fib fib;
  DigestRun run(fib);
  EXPECT_TRUE(run.step(10));
  EXPECT_EQ(run.sum(), Digest{});
}

TEST(DigestRun, TakesRecordsOfEveryKind) {
  const auto fib = fib_of(sample());
  DigestRun run(fib);
  EXPECT_TRUE(run.step(1000));
  EXPECT_EQ(run.sum(), fib.digest());
  EXPECT_NE(fib.digest_without_routes(), fib.digest());
}

}  // namespace
}  // namespace rackway::fib::testing
