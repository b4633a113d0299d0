// SPDX-License-Identifier: Apache-2.0
// Next-hop ids that outgrow one octet, then two, while the table is in use: all is made anew with
// wider leaves in the middle of an update, and nothing may be lost.
#include <gtest/gtest.h>

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

}  // namespace
}  // namespace rackway::fib::testing
