// SPDX-License-Identifier: Apache-2.0
// Next-hop ids that outgrow one octet, then two, while the table is in use: all is made anew with
// wider leaves in the middle of an update, and nothing may be lost. And IPv6 nodes that find no
// place in their line of the hash table.
#include <gtest/gtest.h>

#include "fib/ipv6_node.hh"
#include "tests/fib/table_pair.hh"

namespace rackway::fib::testing {
namespace {

template <class Table>
class GrowingIdsTest : public ::testing::Test {
 protected:
  using A = typename Table::Address;
  using R = Range<A>;
  static constexpr unsigned kBits = A::kBits;

  void fill(int routes) {
    const auto lengths = sore_lengths<A>();
    const Number centre = pair_.number();
    for (int i = 0; i < routes; ++i) {
      const Number number =
          i % 2 == 0 ? pair_.number() : centre ^ Number { 1 } << pair_.below(A::kBits);
      ranges_.push_back(pair_.around(number, lengths[pair_.below(lengths.size())]));
      pair_.put(ranges_.back(), pair_.next_hop(200));
    }
    pair_.table.refresh();
    ASSERT_TRUE(pair_.equal());
  }

  // With an id for the first time, in one update with `others` changes of all kinds.
  void use_first_time(std::uint32_t id, std::size_t others) {
    for (std::size_t i = 0; i < others; ++i) {
      const R& range = ranges_[pair_.below(ranges_.size())];
      if (pair_.below(3) == 0) {
        pair_.take(range);
      } else {
        pair_.put(range, pair_.next_hop(id));
      }
    }
    pair_.put(ranges_[pair_.below(ranges_.size())], {id});
    pair_.table.refresh();
    ASSERT_TRUE(pair_.equal(ranges_)) << "id " << id;
  }

  void cross(std::uint32_t first, std::uint32_t last, std::size_t others) {
    fill(600);
    for (std::uint32_t id = first; id <= last; ++id) {
      use_first_time(id, others);
      if (HasFatalFailure()) return;
    }
  }

  TablePair<Table> pair_;
  std::vector<R> ranges_;
};
TYPED_TEST_SUITE(GrowingIdsTest, BothTables);

TYPED_TEST(GrowingIdsTest, OneAtATime) {
  this->cross(250, 260, 0);
  this->cross(65530, 65540, 0);
  this->pair_.expect_all_removable(1);
}

TYPED_TEST(GrowingIdsTest, InTheMiddleOfAnUpdate) {
  this->cross(250, 260, 100);
  this->cross(65530, 65540, 100);
  this->pair_.expect_all_removable(1);
}

TYPED_TEST(GrowingIdsTest, FromOneOctetToFourAtOnce) {
  this->cross(253, 253, 10);
  this->cross(65536, 65537, 300);
  this->pair_.expect_all_removable(1);
}

// The update that needs wider leaves also removes nearly everything, or all.
TYPED_TEST(GrowingIdsTest, WhileAlmostAllIsRemoved) {
  for (const std::uint32_t id : {253u, 254u, 255u, 256u, 65533u, 65534u, 65535u, 65536u}) {
    auto& pair = this->pair_;
    this->fill(300);
    for (const auto& range : pair.naive.ranges()) pair.take(range);
    const auto left = pair.around(pair.number(), id % 2 == 0 ? this->kBits : 14);
    pair.put(left, {id});
    pair.table.refresh();
    ASSERT_TRUE(pair.equal(this->ranges_)) << "id " << id;
    pair.put(left, {id + 1});
    pair.take(left);
    pair.table.refresh();
    ASSERT_TRUE(pair.equal(this->ranges_)) << "id " << id;
  }
}

// On the shortest routes alone, which no node or block stands for.
TYPED_TEST(GrowingIdsTest, OnShortRoutes) {
  auto& pair = this->pair_;
  this->fill(200);
  for (const std::uint32_t id : {253u, 254u, 255u, 256u, 65533u, 65534u, 65535u, 65536u}) {
    for (const unsigned length : {0u, 1u, 7u, 16u, 18u}) {
      const auto range = pair.around(pair.number(), length);
      pair.put(range, {id});
      pair.table.refresh();
      ASSERT_TRUE(pair.equal()) << "id " << id << " length " << length;
      pair.take(range);
      pair.table.refresh();
      ASSERT_TRUE(pair.equal({range})) << "id " << id << " length " << length;
    }
  }
}

// ---- /32s that share a line of the IPv6 hash table, whatever its size up to 2^16 lines

// The inverse of the factor modulo 2^32: each step doubles the bits that are right.
std::uint32_t inverse(std::uint32_t odd) {
  std::uint32_t value = odd;
  for (int i = 0; i < 5; ++i) value *= 2 - odd * value;
  return value;
}

class NearCollisionsTest : public ::testing::Test {
 protected:
  using Pair = TablePair<Ipv6Table>;

  // The i-th of 65536 that all belong to one line.
  static Number colliding(std::uint32_t line, std::uint32_t i) {
    const std::uint32_t hash = (line << 16) + i;
    return Pair::at(hash * inverse(static_cast<std::uint32_t>(kNearFactor)));
  }
  void expect_one_line(std::uint32_t line, unsigned count) {
    for (unsigned shift = 16; shift <= 28; ++shift) {
      for (unsigned i = 0; i < count; ++i) {
        const auto high32 = static_cast<std::uint32_t>(colliding(line, i) >> 96);
        ASSERT_EQ(near_line(high32, shift), (line << 16) >> shift);
      }
    }
  }
  // A /48, a /64 and a /128 in the i-th.
  void put_some(std::uint32_t line, unsigned i, std::uint32_t next_hops) {
    const Number place = colliding(line, i);
    pair_.put(Pair::around(place | Number{i % 7} << 80, 48), pair_.next_hop(next_hops));
    if (i % 2 == 0) pair_.put(Pair::around(place | Number{9} << 64, 64), pair_.next_hop(next_hops));
    if (i % 3 == 0) pair_.put(Pair::around(place | i, 128), pair_.next_hop(next_hops));
    if (i % 5 == 0) pair_.put(Pair::around(place, 32), pair_.next_hop(next_hops));
    if (i % 11 == 0) pair_.put(Pair::around(place, 24), pair_.next_hop(next_hops));
  }
  Pair pair_;
};

TEST_F(NearCollisionsTest, OneByOneAndRemovedInAnyOrder) {
  for (const std::uint32_t line : {0u, 1u, 0x8000u, 0xffffu}) {
    expect_one_line(line, 30);
    for (unsigned i = 0; i < 30; ++i) {
      put_some(line, i, 200);
      pair_.table.refresh();
      ASSERT_TRUE(pair_.equal()) << "line " << line << " entry " << i;
    }
    pair_.expect_all_removable(1);
  }
}

TEST_F(NearCollisionsTest, ThousandsInOneUpdate) {
  for (unsigned i = 0; i < 3000 / kSmaller; ++i) put_some(0x1234, i, 200);
  pair_.table.refresh();
  ASSERT_TRUE(pair_.equal());
  pair_.expect_all_removable(20);
}

// The table grows, and its cells become wider, while lines are full.
TEST_F(NearCollisionsTest, WhileTheHashTableGrowsAndIdsOutgrowTheirCells) {
  std::uint32_t next_hops = 200;
  for (unsigned i = 0; i < 1200 / kSmaller; ++i) {
    put_some(77, i, next_hops);
    put_some(i, 0, next_hops);  // another line each time
    if (i % 10 != 9) continue;
    pair_.table.refresh();
    if (i % 50 == 49) {
      ASSERT_TRUE(pair_.equal()) << "entry " << i;
    }
    next_hops += i % 100 == 99 ? 20000 : 10;
  }
  pair_.table.refresh();
  ASSERT_TRUE(pair_.equal());
  pair_.expect_all_removable(9);
}

// Those with a place in the line lose it and others get it, over and over.
TEST_F(NearCollisionsTest, ChurnInAFullLine) {
  std::vector<Range<Ipv6Address>> pool;
  for (unsigned i = 0; i < 24; ++i) {
    for (const unsigned length : {24u, 25u, 31u, 32u, 33u, 48u, 49u, 64u, 128u}) {
      pool.push_back(Pair::around(colliding(0x4321, i) | pair_.below(3), length));
    }
  }
  for (int round = 0; round < 30000 / static_cast<int>(kSmaller); ++round) {
    const auto& range = pool[pair_.below(pool.size())];
    if (pair_.below(100) < 40u + round / 2000 % 2 * 30) {
      pair_.take(range);
    } else {
      pair_.put(range, pair_.next_hop(20));
    }
    if (pair_.below(2) == 0) continue;
    pair_.table.refresh();
    ASSERT_TRUE(pair_.equal_at(range.boundaries())) << "round " << round;
    if (round % 50 == 0) {
      ASSERT_TRUE(pair_.equal(pool)) << "round " << round;
    }
  }
  pair_.table.refresh();
  ASSERT_TRUE(pair_.equal(pool));
  pair_.expect_all_removable(1);
}

// The keys by which unused places of the hash table are known are addresses as well.
TEST_F(NearCollisionsTest, TheFirst32s) {
  for (std::uint32_t high32 = 0; high32 < 40; ++high32) {
    const Number place = Pair::at(high32);
    ASSERT_TRUE(pair_.equal_at(Pair::around(place, 48).boundaries()));
    pair_.put(Pair::around(place, 48), {kFirstNextHop + high32});
    pair_.table.refresh();
    ASSERT_TRUE(pair_.equal());
  }
  pair_.expect_all_removable(1);
}

}  // namespace
}  // namespace rackway::fib::testing
