// SPDX-License-Identifier: Apache-2.0
// Tables that nobody announces, made to hurt: everything nested, everything full, neighbours that
// all differ. Beside a naive table, for both families.
#include <gtest/gtest.h>

#include "tests/fib/table_pair.hh"

namespace rackway::fib::testing {
namespace {

template <class Table>
class AdversarialTablesTest : public ::testing::Test {
 protected:
  using A = typename Table::Address;
  using R = Range<A>;
  static constexpr unsigned kBits = A::kBits;

  // All prefixes of a length within one 16 bits shorter.
  void expect_full_network(unsigned length, unsigned next_hops) {
    const auto network = pair_.around(pair_.number(), length - 16);
    const Number step = host_mask<A>(length) + 1;
    pair_.put(network, {kFirstNextHop});
    for (unsigned i = 0; i < 65536; i += kSmaller) {
      pair_.put(pair_.around(network.first + step * i, length), {kFirstNextHop + i % next_hops});
    }
    pair_.table.refresh();
    ASSERT_TRUE(pair_.equal());
    // Holes of all sizes, one by one; then another outer next hop.
    for (int i = 0; i < 200; ++i) {
      const auto range = pair_.around(network.first + step * pair_.below(65536), length);
      pair_.take(range);
      pair_.table.refresh();
      ASSERT_TRUE(pair_.equal_at(range.boundaries()));
    }
    pair_.put(network, {kFirstNextHop + 1});
    pair_.table.refresh();
    std::vector<A> edges;
    for (int i = 0; i < 5000; ++i) {
      const auto range = pair_.around(network.first + step * pair_.below(65536), length);
      for (const A& edge : range.boundaries()) edges.push_back(edge);
    }
    ASSERT_TRUE(pair_.equal_at(edges));
    pair_.expect_all_removable(4000);
  }

  TablePair<Table> pair_;
};
TYPED_TEST_SUITE(AdversarialTablesTest, BothTables);

// Chains of all lengths that share more or less of their path, at the ends and in between.
TYPED_TEST(AdversarialTablesTest, ChainsOfAllLengthsAtManyPlaces) {
  auto& pair = this->pair_;
  const Number last = host_mask<typename TypeParam::Address>(0);
  std::vector<Number> places{0, last, last / 2, last / 2 + 1, last / 3};
  for (unsigned bit = 0; bit < this->kBits; bit += 5)
    places.push_back(places[4] ^ Number{1} << bit);
  for (int i = 0; i < 30; ++i) places.push_back(pair.number());
  for (const Number place : places) {
    for (unsigned length = 0; length <= this->kBits; ++length) {
      pair.put(pair.around(place, length), pair.next_hop(200));
    }
    pair.table.refresh();
  }
  ASSERT_TRUE(pair.equal());
  pair.expect_all_removable(1);
}

// Every second link of a chain goes and comes back, while all else stays.
TYPED_TEST(AdversarialTablesTest, LinksOfAChainComeAndGo) {
  auto& pair = this->pair_;
  const Number place = pair.number();
  for (int round = 0; round < 400; ++round) {
    for (unsigned length = pair.below(3); length <= this->kBits; length += 1 + pair.below(9)) {
      const auto link = pair.around(place ^ Number{round % 7 == 0}, length);
      if (pair.below(2) == 0) {
        pair.put(link, pair.next_hop(4));
      } else {
        pair.take(link);
      }
      if (pair.below(3) == 0) pair.table.refresh();
    }
    pair.table.refresh();
    ASSERT_TRUE(pair.equal()) << "round " << round;
  }
  pair.expect_all_removable(1);
}

TYPED_TEST(AdversarialTablesTest, AllHostsOf65536OfTwoNextHops) {
  this->expect_full_network(this->kBits, 2);
}

TYPED_TEST(AdversarialTablesTest, AllHostsOf65536OfManyNextHops) {
  this->expect_full_network(this->kBits, 65536);
}

// All /24 of a /8, all /48 of a /32, and those that lie across the borders of a level.
TYPED_TEST(AdversarialTablesTest, AllNetworksOf65536) {
  this->expect_full_network(this->kBits == 32 ? 24 : 48, 300);
}

TYPED_TEST(AdversarialTablesTest, AllSubnetsOf65536) {
  this->expect_full_network(this->kBits == 32 ? 29 : 64, 200);
}

TYPED_TEST(AdversarialTablesTest, AllFirst16Bits) {
  this->expect_full_network(16, 250);
}

TYPED_TEST(AdversarialTablesTest, AllOfThirtyTwoBitsAfterSixteen) {
  this->expect_full_network(this->kBits == 32 ? 31 : 32, 70000);
}

// Fences: at each sore length a row of neighbours that alternate, with a hole at every third, the
// rows inside each other.
TYPED_TEST(AdversarialTablesTest, AlternatingRowsInsideEachOther) {
  auto& pair = this->pair_;
  const Number place = pair.number();
  for (const unsigned length : sore_lengths<typename TypeParam::Address>()) {
    const Number step = host_mask<typename TypeParam::Address>(length) + 1;
    for (unsigned i = 0; i < 300; ++i) {
      if (i % 3 == 2) continue;
      pair.put(pair.around(place + step * i - step * 150, length), {kFirstNextHop + i % 2});
    }
  }
  pair.table.refresh();
  ASSERT_TRUE(pair.equal());
  // All of them turned round, a row at a time.
  for (const unsigned length : sore_lengths<typename TypeParam::Address>()) {
    for (const auto& range : pair.naive.ranges()) {
      if (range.length != length) continue;
      pair.put(range,
               {kFirstNextHop + 1 - (pair.table.find(range.prefix())->value - kFirstNextHop)});
    }
    pair.table.refresh();
    ASSERT_TRUE(pair.equal()) << "length " << length;
  }
  pair.expect_all_removable(7);
}

// The same next hop everywhere: all intervals become one, and must part again.
TYPED_TEST(AdversarialTablesTest, OneNextHopThenEachItsOwn) {
  auto& pair = this->pair_;
  std::vector<Range<typename TypeParam::Address>> ranges;
  const Number place = pair.number();
  for (int i = 0; i < 3000; ++i) {
    const auto lengths = sore_lengths<typename TypeParam::Address>();
    const Number number = place ^ Number { 1 } << pair.below(this->kBits);
    ranges.push_back(pair.around(number, lengths[pair.below(lengths.size())]));
    pair.put(ranges.back(), {kFirstNextHop});
  }
  pair.table.refresh();
  ASSERT_TRUE(pair.equal());
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    pair.put(ranges[i], {kFirstNextHop + static_cast<std::uint32_t>(i % 250)});
    pair.table.refresh();
    ASSERT_TRUE(pair.equal_at(ranges[i].boundaries()));
  }
  ASSERT_TRUE(pair.equal());
  pair.expect_all_removable(1);
}

// Bursts that find nothing, everything, and both, of every size, at every place in the memory.
TYPED_TEST(AdversarialTablesTest, BurstsOfEverySize) {
  using Address = typename TypeParam::Address;
  auto& pair = this->pair_;
  std::vector<Address> addresses{address_of<Address>(0), address_of<Address>(~Number{0})};
  for (int i = 0; i < 2000; ++i) {
    const auto lengths = sore_lengths<Address>();
    const auto range = pair.around(pair.number(), lengths[pair.below(lengths.size())]);
    pair.put(range, pair.next_hop(i % 3 == 0 ? 70000 : 200));
    for (const auto& edge : range.boundaries()) addresses.push_back(edge);
  }
  pair.table.refresh();
  ASSERT_TRUE(pair.equal());
  constexpr NextHopId kUntouched{0xabcdef};
  for (std::size_t size = 0; size <= 200; ++size) {
    for (int round = 0; round < 4; ++round) {
      const std::size_t first = pair.below(addresses.size() - size);
      const std::span<const Address> burst(addresses.data() + first, size);
      std::vector<NextHopId> out(size + 1, kUntouched);
      pair.table.lookup(burst, {out.data(), size});
      for (std::size_t i = 0; i < size; ++i) {
        ASSERT_EQ(out[i], pair.table.lookup(burst[i])) << IpAddress(burst[i]).to_string();
      }
      ASSERT_EQ(out[size], kUntouched) << "size " << size;
    }
  }
}

// What lookups read is given back, or at least used again, whatever shape the routes had.
TYPED_TEST(AdversarialTablesTest, MemoryDoesNotGrowFromRoundToRound) {
  auto& pair = this->pair_;
  std::size_t lookup_bytes = 0, update_bytes = 0;
  for (int round = 0; round < 4; ++round) {
    TablePair<TypeParam> same;  // the same routes each round
    const auto lengths = sore_lengths<typename TypeParam::Address>();
    for (int i = 0; i < 5000; ++i) {
      const auto number = same.number();
      pair.put(pair.around(number, lengths[same.below(lengths.size())]), same.next_hop(200));
      if (i % 500 == 0) pair.table.refresh();
    }
    pair.table.refresh();
    pair.expect_all_removable(100);
    if (round == 1) lookup_bytes = pair.table.lookup_bytes();
    if (round == 1) update_bytes = pair.table.update_bytes();
  }
  EXPECT_LE(pair.table.lookup_bytes(), lookup_bytes + lookup_bytes / 8);
  EXPECT_LE(pair.table.update_bytes(), update_bytes + update_bytes / 8);
}

// A table that has lost its routes has given back what it had for each part of them.
TYPED_TEST(AdversarialTablesTest, EmptiedTableGivesBackMemory) {
  auto& pair = this->pair_;
  const std::size_t fresh = pair.table.update_bytes();
  for (int i = 0; i < 2000; ++i) pair.put(pair.around(pair.number(), this->kBits), {kFirstNextHop});
  pair.table.refresh();
  const std::size_t full = pair.table.update_bytes();
  pair.expect_all_removable(50);
  EXPECT_LT(pair.table.update_bytes(), fresh + full / 4);
}

}  // namespace
}  // namespace rackway::fib::testing
