// SPDX-License-Identifier: Apache-2.0
// A million random updates of each family, with a few refreshes for many and many for a few; the
// boundaries of what changed are compared with a naive table at once, everything now and then.
#include <gtest/gtest.h>

#include "tests/fib/table_pair.hh"

namespace rackway::fib::testing {
namespace {

constexpr std::size_t kUpdates = 1'000'000 / kSmaller;
constexpr std::size_t kFullCheck = 50'000 / kSmaller;

template <class Table>
class ChurnTest : public ::testing::Test {
 protected:
  using A = typename Table::Address;
  using R = Range<A>;

  // Few of the shortest, each of which costs thousands of small writes.
  unsigned length() {
    static const auto lengths = sore_lengths<A>();
    const unsigned any = lengths[pair_.below(lengths.size())];
    return any < 10 && pair_.below(20) != 0 ? lengths[pair_.below(lengths.size() / 2) + 6] : any;
  }
  // Prefixes that nest in each other at some places and are alone at others.
  std::vector<R> crowded_pool(std::size_t places, std::size_t at_each) {
    std::vector<R> pool;
    for (std::size_t place = 0; place < places; ++place) {
      const Number centre = pair_.number();
      for (std::size_t i = 0; i < at_each; ++i) {
        const Number near = centre ^ Number { 1 } << pair_.below(A::kBits);
        pool.push_back(pair_.around(near, length()));
      }
    }
    return pool;
  }

  // Of a batch, mostly one; what it changed, after the refresh.
  void update_batch(const std::vector<R>& pool, std::uint32_t next_hops, unsigned removals_in_ten) {
    std::vector<A> edges;
    const std::size_t batch = pair_.below(4) != 0 ? 1 : 1 + pair_.below(60);
    for (std::size_t i = 0; i < batch; ++i) {
      const R& range = pool[pair_.below(pool.size())];
      if (pair_.below(10) < removals_in_ten) {
        pair_.take(range);
      } else {
        pair_.put(range, pair_.next_hop(next_hops));
      }
      for (const A& edge : range.boundaries()) edges.push_back(edge);
    }
    pair_.table.refresh();
    ASSERT_TRUE(pair_.equal_at(edges)) << "after " << done_ << " updates";
    if (done_ / kFullCheck != (done_ + batch) / kFullCheck) {
      ASSERT_TRUE(pair_.equal(pool)) << "after " << done_ << " updates";
    }
    done_ += batch;
  }

  TablePair<Table> pair_;
  std::size_t done_ = 0;
};
TYPED_TEST_SUITE(ChurnTest, BothTables);

// The share of removals swings, so that the table fills and empties over and over.
TYPED_TEST(ChurnTest, MillionUpdates) {
  const auto pool = this->crowded_pool(60, 60);
  while (this->done_ < kUpdates) {
    const auto phase = static_cast<unsigned>(this->done_ * 40 / kUpdates);
    this->update_batch(pool, phase < 20 ? 250 : 1000, 2 + phase % 4 * 2);
    if (this->HasFatalFailure()) return;
  }
  this->pair_.expect_all_removable(1);
}

// Few prefixes, so that all of them change in one batch and nearly all is nested.
TYPED_TEST(ChurnTest, FewPrefixesThatChangeAllTheTime) {
  const auto pool = this->crowded_pool(2, 40);
  while (this->done_ < kUpdates / 10) {
    this->update_batch(pool, 5, 5);
    if (this->HasFatalFailure()) return;
  }
  ASSERT_TRUE(this->pair_.equal(pool));
  this->pair_.expect_all_removable(1);
}

// Prefixes of one node or block: it grows to its greatest and shrinks to nothing, many times.
TYPED_TEST(ChurnTest, OneCrowdedPlace) {
  using Address = typename TypeParam::Address;
  for (const unsigned length : sore_lengths<Address>()) {
    const auto place = this->pair_.around(this->pair_.number(), length);
    const unsigned longest = std::min<unsigned>(length + 12, Address::kBits);
    std::vector<Range<Address>> pool;
    for (int i = 0; i < 500; ++i) {
      const Number inner =
          this->pair_.number() & host_mask<Address>(length) & ~host_mask<Address>(longest);
      pool.push_back(this->pair_.around(
          place.first | inner,
          length + static_cast<unsigned>(this->pair_.below(longest - length + 1))));
    }
    for (int round = 0; round < 100; ++round) {
      this->update_batch(pool, 100, round / 20 % 2 == 0 ? 1 : 9);
      if (this->HasFatalFailure()) return;
    }
    ASSERT_TRUE(this->pair_.equal(pool)) << "length " << length;
  }
  this->pair_.expect_all_removable(16);
}

}  // namespace
}  // namespace rackway::fib::testing
