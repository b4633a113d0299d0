// SPDX-License-Identifier: Apache-2.0
// Routes laid out so that each kind of node of the IPv6 lookup structure comes, is shared, grows,
// splits and goes: beside a naive table, one or some changes at a time.
#include <gtest/gtest.h>

#include "tests/fib/table_pair.hh"

namespace rackway::fib::testing {
namespace {

using Pair = TablePair<Ipv6Table>;
using R = Range<Ipv6Address>;

class Ipv6ShapesTest : public ::testing::Test {
 protected:
  R range(Number place, unsigned first_free, unsigned length) {
    const Number free = host_mask<Ipv6Address>(first_free);
    return Pair::around((place & ~free) | (pair_.number() & free), length);
  }

  // Those of a pool come and go; every 64th time all is looked at.
  void churn(const std::vector<R>& pool, int rounds, std::uint32_t next_hops) {
    for (int round = 0; round < rounds / static_cast<int>(kSmaller); ++round) {
      std::vector<Ipv6Address> edges;
      for (std::size_t n = pair_.below(8) == 0 ? 100 : 1; n > 0; --n) {
        const R& chosen = pool[pair_.below(pool.size())];
        for (const auto& edge : chosen.boundaries()) edges.push_back(edge);
        if (pair_.below(100) < 40u + round / 500 % 2 * 20) {
          pair_.take(chosen);
        } else {
          pair_.put(chosen, pair_.next_hop(next_hops));
        }
      }
      pair_.table.refresh();
      ASSERT_TRUE(pair_.equal_at(edges)) << "round " << round;
      if (round % 64 == 0) {
        ASSERT_TRUE(pair_.equal(pool)) << "round " << round;
      }
    }
    pair_.expect_all_removable(1);
  }

  Pair pair_;
  const Number place_ = pair_.number();
};

// Few in each of many neighbours, so that they share lines, and leave them.
TEST_F(Ipv6ShapesTest, NeighboursShareLeaves) {
  std::vector<R> pool;
  for (int i = 0; i < 200; ++i) pool.push_back(range(place_, 18, 22 + pair_.below(27)));
  for (int i = 0; i < 100; ++i) pool.push_back(range(place_, 26, 28 + pair_.below(13)));
  churn(pool, 4000, 6);
}

// Routes longer than a window, alone and beside shorter ones.
TEST_F(Ipv6ShapesTest, ForksToTheLastBits) {
  std::vector<R> pool;
  for (int i = 0; i < 60; ++i) pool.push_back(range(place_, 20 + pair_.below(100), 128));
  for (int i = 0; i < 60; ++i) pool.push_back(range(place_, 90, 92 + pair_.below(37)));
  for (int i = 0; i < 30; ++i) pool.push_back(range(place_, 24, 25 + pair_.below(104)));
  churn(pool, 4000, 60);
}

// Thousands within a few bits at every depth: tables behind tables, and a base behind a base.
TEST_F(Ipv6ShapesTest, CrowdsAtEveryDepth) {
  std::vector<R> pool;
  for (const unsigned front : {24u, 40u, 47u, 48u, 64u, 79u, 100u, 116u}) {
    for (int i = 0; i < 150; ++i) pool.push_back(range(place_, front, front + 4 + pair_.below(9)));
  }
  churn(pool, 3000, 300);
}

// A /24 that is learned route by route, repainted from above, and forgotten.
TEST_F(Ipv6ShapesTest, NetworkLearnedRouteByRoute) {
  std::vector<R> learned;
  for (int i = 0; i < 3000 / static_cast<int>(kSmaller); ++i) {
    learned.push_back(range(place_, 24, 26 + pair_.below(30)));
    pair_.put(learned.back(), pair_.next_hop(40));
    pair_.table.refresh();
    ASSERT_TRUE(pair_.equal_at(learned.back().boundaries()));
  }
  ASSERT_TRUE(pair_.equal());
  for (const unsigned length : {16u, 17u, 20u, 23u, 24u, 25u, 31u}) {
    pair_.put(Pair::around(place_, length), pair_.next_hop(40));
    pair_.table.refresh();
    ASSERT_TRUE(pair_.equal()) << length;
  }
  pair_.expect_all_removable(7);
}

// Lines that were given back are used again: memory does not grow with time.
TEST_F(Ipv6ShapesTest, ChurnDoesNotLeak) {
  std::vector<R> pool;
  for (int i = 0; i < 400; ++i) pool.push_back(range(place_, 20, 24 + pair_.below(60)));
  const auto come_and_go = [&] {
    for (int round = 0; round < 20; ++round) {
      for (const R& route : pool) {
        pair_.put(route, pair_.next_hop(40));
        pair_.table.refresh();
      }
      for (const R& route : pool) {
        pair_.take(route);
        pair_.table.refresh();
      }
    }
    return pair_.table.lookup_bytes();
  };
  const std::size_t first = come_and_go();
  EXPECT_LE(come_and_go(), first + first / 8);
  ASSERT_TRUE(pair_.equal(pool));
}

}  // namespace
}  // namespace rackway::fib::testing
