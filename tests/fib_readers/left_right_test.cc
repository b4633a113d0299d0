// SPDX-License-Identifier: Apache-2.0
#include "fib/left_right.hh"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "fib/rcu.hh"
#include "tests/fib/sample_records.hh"

namespace rackway::fib::testing {
namespace {

const Delta kChange{.routes = {route("11.0.0.0/8", 1)}};
const Delta kOtherChange{.routes = {route("12.0.0.0/8", 1)}};
const Delta kBad{.adjacencies = {adjacency(1, 0, 700)}, .routes = {route("13.0.0.0/8", 77)}};

Digest prepare(LeftRight& fibs, const Delta& delta) {
  const auto prepared = fibs.prepare(delta);
  EXPECT_TRUE(prepared.has_value()) << prepared.error().message;
  return prepared.value_or(Digest{});
}

Delta with(Delta base, const Delta& more) {
  base.routes.insert(base.routes.begin() + 3, more.routes.begin(), more.routes.end());
  return base;
}

class LeftRightTest : public ::testing::Test {
 protected:
  LeftRightTest() {
    prepare(fibs_, sample());
    fibs_.commit();
  }
  void expect_active(const Delta& content) {
    EXPECT_EQ(fibs_.active()->snapshot(), content);
    EXPECT_EQ(fibs_.active()->digest(), fib_of(content).digest());
  }
  // Both sides are seen in turn if nothing is committed twice.
  void expect_both_sides(const Delta& content) {
    for (int side = 0; side < 2; ++side) {
      EXPECT_FALSE(fibs_.prepared());
      EXPECT_EQ(prepare(fibs_, {}), fib_of(content).digest());
      fibs_.commit();
      expect_active(content);
    }
  }
  LeftRight fibs_;
};

TEST(LeftRight, BeginsEmpty) {
  LeftRight fibs;
  EXPECT_EQ(fibs.active()->snapshot(), Delta{});
  EXPECT_FALSE(fibs.prepared());
}

TEST_F(LeftRightTest, PreparedIsInvisible) {
  const Fib* before = fibs_.active();
  EXPECT_EQ(prepare(fibs_, kChange), fib_of(with(sample(), kChange)).digest());
  EXPECT_TRUE(fibs_.prepared());
  EXPECT_EQ(fibs_.active(), before);
  expect_active(sample());
}

TEST_F(LeftRightTest, CommittedIsVisibleOnBothSides) {
  const Fib* before = fibs_.active();
  prepare(fibs_, kChange);
  fibs_.commit();
  EXPECT_NE(fibs_.active(), before);
  expect_active(with(sample(), kChange));
  expect_both_sides(with(sample(), kChange));
}

TEST_F(LeftRightTest, AbandonedLeavesNoTrace) {
  prepare(fibs_, kChange);
  fibs_.abandon();
  EXPECT_FALSE(fibs_.prepared());
  expect_both_sides(sample());
}

TEST_F(LeftRightTest, AbandonWithoutPrepareIsNothing) {
  fibs_.abandon();
  expect_both_sides(sample());
}

TEST_F(LeftRightTest, RefusedPrepareLeavesBoth) {
  const auto refused = fibs_.prepare(kBad);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, "route 13.0.0.0/8: group 77 is unknown");
  expect_both_sides(sample());
}

TEST_F(LeftRightTest, PrepareAfterPrepareReplacesIt) {
  prepare(fibs_, kChange);
  EXPECT_EQ(prepare(fibs_, kOtherChange), fib_of(with(sample(), kOtherChange)).digest());
  fibs_.commit();
  expect_active(with(sample(), kOtherChange));
  expect_both_sides(with(sample(), kOtherChange));
}

TEST_F(LeftRightTest, RefusedPrepareAfterPrepareLeavesNothingPrepared) {
  prepare(fibs_, kChange);
  EXPECT_FALSE(fibs_.prepare(kBad).has_value());
  expect_both_sides(sample());
}

TEST_F(LeftRightTest, SnapshotReplacesEverything) {
  const Delta other{.groups = {plain(7, GroupKind::local)}, .routes = {route("::/0", 7)}};
  const auto digest = fibs_.prepare_snapshot(other);
  ASSERT_TRUE(digest.has_value());
  EXPECT_EQ(*digest, fib_of(other).digest());
  expect_active(sample());
  fibs_.commit();
  expect_active(other);
  expect_both_sides(other);
}

TEST_F(LeftRightTest, AbandonedSnapshotLeavesNoTrace) {
  ASSERT_TRUE(fibs_.prepare_snapshot({}).has_value());
  fibs_.abandon();
  expect_both_sides(sample());
}

TEST_F(LeftRightTest, RefusedSnapshotLeavesBoth) {
  // Sound as a change of this FIB, not over the empty one.
  ASSERT_FALSE(fibs_.prepare_snapshot(kChange).has_value());
  expect_both_sides(sample());
  prepare(fibs_, kChange);
  ASSERT_FALSE(fibs_.prepare_snapshot(kChange).has_value());
  expect_both_sides(sample());
}

TEST_F(LeftRightTest, DeltaAfterSnapshotAfterDelta) {
  prepare(fibs_, kChange);
  ASSERT_TRUE(fibs_.prepare_snapshot(sample()).has_value());
  prepare(fibs_, kOtherChange);
  fibs_.commit();
  expect_both_sides(with(sample(), kOtherChange));
}

// Epoch e: every route points at group e % kGroups, and every MTU is kFirstMtu + e. So two epochs
// mixed within a burst differ somewhere in it, and an epoch tells its number.
constexpr unsigned kRoutes = 128;
constexpr unsigned kGroups = 3;
constexpr unsigned kFirstMtu = 100;
constexpr unsigned kEpochs = 1000;

Delta epoch(unsigned number) {
  Delta delta;
  const auto mtu = static_cast<std::uint16_t>(kFirstMtu + number);
  for (unsigned i = 0; i < kGroups; ++i) {
    delta.adjacencies.push_back(adjacency(1, i, mtu));
    delta.groups.push_back(forward(i, {{key(1, i), 1}}));
  }
  for (unsigned i = 0; i < kRoutes; ++i) {
    const IpPrefix net{Ipv4Address{0x0a000000 + (i << 16)}, static_cast<std::uint8_t>(16 + i % 17)};
    delta.routes.push_back({net, {number % kGroups}});
  }
  return delta;
}

struct Reader {
  const LeftRight& fibs;
  std::vector<Ipv4Address> addresses;
  unsigned last = 0;
  std::uint64_t bursts = 0;

  // One burst on one Fib; false if it saw anything but one whole epoch, or an older one again.
  bool read_one_epoch() {
    const Fib& fib = *fibs.active();
    const unsigned mtu = fib.adjacencies_of({1})[0].mtu;
    std::vector<NextHopId> next_hops(addresses.size());
    fib.lookup(addresses, next_hops);
    if (bursts % 64 == 0) std::this_thread::yield();  // let the writer into the burst
    bool whole = mtu >= kFirstMtu + last;
    last = mtu - kFirstMtu;
    for (const NextHopId next_hop : next_hops) {
      const auto group = fib.group_of(next_hop);
      whole = whole && group == GroupId{last % kGroups} && fib.group(next_hop).pick(0).mtu == mtu;
    }
    ++bursts;
    return whole && fib.adjacencies_of({1})[kGroups - 1].mtu == mtu;
  }
};

// The writer also abandons, is refused, and sends snapshots: readers notice none of it.
void write_epoch(LeftRight& fibs, unsigned number) {
  if (number % 16 == 3) {
    prepare(fibs, epoch(number + 1000));
    fibs.abandon();
  }
  if (number % 16 == 5) {
    EXPECT_FALSE(fibs.prepare(kBad).has_value());
  }
  const bool snapshot = number % 16 == 7;
  const auto digest = snapshot ? fibs.prepare_snapshot(epoch(number)) : fibs.prepare(epoch(number));
  ASSERT_TRUE(digest.has_value()) << digest.error().message;
  fibs.commit();
  ASSERT_EQ(fibs.active()->digest(), *digest);
}

TEST(LeftRight, ReadersSeeWholeEpochsOnly) {
  LeftRight fibs;
  write_epoch(fibs, 0);
  std::atomic<bool> stop{false};
  std::atomic<int> started{0};
  const auto read = [&] {
    rcu::ReaderThread registration;
    Reader reader{fibs, {}};
    for (const Route& r : epoch(0).routes) reader.addresses.push_back(r.prefix.address.v4());
    bool whole = reader.read_one_epoch();
    ++started;
    while (!stop && whole) {
      for (int burst = 0; burst < 4; ++burst) whole = whole && reader.read_one_epoch();
      registration.quiescent();
      if (reader.bursts % 256 < 4) {
        registration.offline();
        registration.online();
      }
    }
    EXPECT_TRUE(whole) << "after " << reader.bursts << " bursts, in epoch " << reader.last;
    EXPECT_GT(reader.bursts, 1u);
    // The last epoch was committed before the stop, so it is what remains to be seen.
    if (whole) {
      EXPECT_TRUE(reader.read_one_epoch());
      EXPECT_EQ(reader.last, kEpochs);
    }
  };
  std::thread first(read);
  std::thread second(read);
  while (started < 2) std::this_thread::yield();
  for (unsigned number = 1; number <= kEpochs; ++number) write_epoch(fibs, number);
  stop = true;
  first.join();
  second.join();
}

}  // namespace
}  // namespace rackway::fib::testing
