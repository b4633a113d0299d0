// SPDX-License-Identifier: Apache-2.0
// Every case runs for both families and for next-hop ids of one, two and three octets, on a table
// and a naive one side by side.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "fib/ipv4_table.hh"
#include "fib/ipv6_table.hh"
#include "fib/records.hh"
#include "tests/fib/naive_table.hh"

namespace rackway::fib::testing {
namespace {

template <class T, std::uint32_t bound>
struct Case {
  using Table = T;
  static constexpr std::uint32_t kNextHops = bound;  // ids are below
};

template <class C>
class LookupTableTest : public ::testing::Test {
 protected:
  using Table = typename C::Table;
  using A = typename Table::Address;
  using R = Range<A>;
  static constexpr unsigned kBits = A::kBits;
  static constexpr std::uint32_t kNextHops = C::kNextHops;

  // An IPv4-looking number at the head of the family's address.
  static Number at(std::uint32_t head) { return Number{head} << (kBits - 32); }

  Number random_number() {
    const Number high = random_();
    return (high << 64 | random_()) & host_mask<A>(0);
  }
  static R around(Number number, unsigned length) { return R::around(number, length); }
  R random_range() { return around(random_number(), random_() % (kBits + 1)); }
  // Near one of a few places, so that routes nest.
  R crowded_range() {
    const Number flip = Number{1} << random_() % kBits;
    return around(at(static_cast<std::uint32_t>(random_() % 4) << 28) ^ flip,
                  random_() % (kBits + 1));
  }
  NextHopId random_next_hop() {
    return {kFirstNextHop + static_cast<std::uint32_t>(random_() % (kNextHops - kFirstNextHop))};
  }

  // Does not refresh the table.
  void put(const R& range, NextHopId next_hop) {
    ASSERT_EQ(table_.set(range.prefix(), next_hop), naive_.set(range, next_hop));
  }
  void take(const R& range) { ASSERT_EQ(table_.remove(range.prefix()), naive_.remove(range)); }
  void set(const R& range, NextHopId next_hop) {
    put(range, next_hop);
    table_.refresh();
  }
  void remove(const R& range) {
    take(range);
    table_.refresh();
  }

  // Scalar, burst and longest match agree with the naive table at every address.
  void expect_equal_at(const std::vector<A>& addresses) {
    std::vector<NextHopId> burst(addresses.size());
    table_.lookup(addresses, burst);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const auto expected = naive_.longest_match(addresses[i]);
      const bool longer = expected && expected->prefix.length > 0;
      const NextHopId next_hop = longer ? expected->next_hop : Table::kDefault;
      const bool same = table_.lookup(addresses[i]) == next_hop && burst[i] == next_hop &&
                        table_.longest_match(addresses[i]) == expected;
      ASSERT_TRUE(same) << IpAddress(addresses[i]).to_string() << " scalar "
                        << table_.lookup(addresses[i]).value << " burst " << burst[i].value
                        << " expected " << next_hop.value;
    }
  }

  // At the boundaries of every route and at random.
  void expect_equal() {
    std::vector<A> addresses;
    const auto ranges = naive_.ranges();
    ASSERT_EQ(table_.size(), ranges.size());
    for (const R& range : ranges) {
      const auto edges = range.boundaries();
      addresses.insert(addresses.end(), edges.begin(), edges.end());
      ASSERT_TRUE(table_.find(range.prefix()).has_value());
    }
    for (int i = 0; i < 200; ++i) addresses.push_back(address_of<A>(random_number()));
    expect_equal_at(addresses);
  }

  void remove_all_in_random_order() {
    auto ranges = naive_.ranges();
    std::shuffle(ranges.begin(), ranges.end(), random_);
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      remove(ranges[i]);
      if (i % 64 == 0) expect_equal_at(ranges[i].boundaries());
    }
    expect_empty();
  }

  std::vector<TableRoute> routes() const {
    std::vector<TableRoute> all;
    table_.for_each([&](const TableRoute& route) { all.push_back(route); });
    return all;
  }

  void expect_empty() {
    EXPECT_EQ(table_.size(), 0u);
    EXPECT_TRUE(routes().empty());
    expect_equal();
  }

  std::mt19937_64 random_{20261130};
  Table table_;
  NaiveTable<A> naive_;
};

using Cases = ::testing::Types<Case<Ipv4Table, 254>, Case<Ipv4Table, 65534>,
                               Case<Ipv4Table, kMaxGroups + kFirstNextHop>, Case<Ipv6Table, 255>,
                               Case<Ipv6Table, 65535>, Case<Ipv6Table, kMaxGroups + kFirstNextHop>>;
struct CaseName {
  template <class C>
  static std::string GetName(int) {
    return (C::Table::Address::kBits == 32 ? "ipv4_below_" : "ipv6_below_") +
           std::to_string(C::kNextHops);
  }
};
TYPED_TEST_SUITE(LookupTableTest, Cases, CaseName);

TYPED_TEST(LookupTableTest, EmptyTableCoversNothing) {
  using Address = typename TypeParam::Table::Address;
  EXPECT_EQ(this->table_.lookup(Address{}), TypeParam::Table::kDefault);
  EXPECT_EQ(this->table_.longest_match(Address{}), std::nullopt);
  EXPECT_EQ(this->table_.find(IpPrefix{Address{}, 0}), std::nullopt);
  this->expect_empty();
}

TYPED_TEST(LookupTableTest, RemovingWhatIsNotThereChangesNothing) {
  EXPECT_EQ(this->table_.remove(this->around(this->at(0x0a000000), 24).prefix()), std::nullopt);
  this->set(this->around(this->at(0x0a000000), 24), {2});
  EXPECT_EQ(this->table_.remove(this->around(this->at(0x0a000000), 25).prefix()), std::nullopt);
  EXPECT_EQ(this->table_.remove(this->around(this->at(0x0a000000), 23).prefix()), std::nullopt);
  EXPECT_EQ(this->table_.remove(this->around(this->at(0x0a000100), 24).prefix()), std::nullopt);
  this->expect_equal();
}

TYPED_TEST(LookupTableTest, EmptyBurst) {
  this->table_.lookup({}, {});
}

TYPED_TEST(LookupTableTest, EveryLengthAlone) {
  for (unsigned length = 0; length <= this->kBits; ++length) {
    for (int i = 0; i < 20; ++i) {
      const auto range = this->around(this->random_number(), length);
      this->set(range, this->random_next_hop());
      this->expect_equal_at(range.boundaries());
      this->set(range, this->random_next_hop());
      this->expect_equal_at(range.boundaries());
      this->remove(range);
      this->expect_equal_at(range.boundaries());
    }
  }
  this->expect_empty();
}

TYPED_TEST(LookupTableTest, ExtremeNextHopsAreToldApart) {
  const NextHopId last{this->kNextHops - 1}, first{kFirstNextHop};
  this->set(this->around(0, 0), last);
  this->set(this->around(0, 16), first);
  this->set(this->around(0, 17), last);
  this->set(this->around(0, this->kBits), first);
  this->expect_equal();
}

// A chain of all lengths around one address, built and taken down in three orders each.
TYPED_TEST(LookupTableTest, NestedChainOfAllLengths) {
  for (const Number centre :
       {Number{0}, host_mask<typename TypeParam::Table::Address>(0), this->random_number()}) {
    std::vector<Range<typename TypeParam::Table::Address>> chain;
    for (unsigned length = 0; length <= this->kBits; ++length) {
      chain.push_back(this->around(centre, length));
    }
    for (int order = 0; order < 9; ++order) {
      if (order % 3 == 2) std::shuffle(chain.begin(), chain.end(), this->random_);
      for (const auto& range : chain) this->set(range, {kFirstNextHop + range.length});
      this->expect_equal();
      if (order / 3 == 1) std::reverse(chain.begin(), chain.end());
      if (order / 3 == 2) std::shuffle(chain.begin(), chain.end(), this->random_);
      for (const auto& range : chain) {
        this->remove(range);
        this->expect_equal_at(range.boundaries());
        if (range.length % 16 == 0) this->expect_equal();
      }
      this->expect_empty();
    }
  }
}

// Each route's neighbour has another next hop: nothing may bleed over an edge.
TYPED_TEST(LookupTableTest, AlternatingNextHopsOnEveryLength) {
  for (unsigned length = 1; length <= this->kBits; ++length) {
    const Number step = host_mask<typename TypeParam::Table::Address>(length) + 1;
    const auto first = this->around(this->random_number(), length);
    for (unsigned i = 0; i < 40; ++i) {
      this->set(this->around(first.first + step * i, length), {kFirstNextHop + i % 2});
    }
  }
  this->expect_equal();
  this->remove_all_in_random_order();
}

TYPED_TEST(LookupTableTest, AllHostsOfANetworkOf256) {
  const Number base = this->random_number() & ~Number{255};
  this->set(this->around(base, this->kBits - 8), {7});
  for (unsigned i = 0; i < 256; ++i) {
    this->set(this->around(base + i, this->kBits), {kFirstNextHop + i % 250});
  }
  this->expect_equal();
  for (unsigned i = 0; i < 256; i += 2) {
    this->remove(this->around(base + i, this->kBits));
  }
  this->expect_equal();
  this->remove_all_in_random_order();
}

TYPED_TEST(LookupTableTest, SampleOfHostsOfANetworkOf65536) {
  const Number base = this->random_number() & ~Number{65535};
  this->set(this->around(base, this->kBits - 16), {7});
  for (int i = 0; i < 8000; ++i) {
    const Number host = base + this->random_() % 65536;
    this->set(this->around(host, this->kBits), this->random_next_hop());
  }
  this->expect_equal();
  this->remove_all_in_random_order();
}

TYPED_TEST(LookupTableTest, ShortRoutesComeAndGoOverLongOnes) {
  for (int i = 0; i < 500; ++i) this->set(this->random_range(), this->random_next_hop());
  for (unsigned length = 0; length <= 20; ++length) {
    const auto range = this->around(this->random_number(), length);
    this->set(range, this->random_next_hop());
    this->expect_equal();
    this->remove(range);
    this->expect_equal();
  }
  this->remove_all_in_random_order();
}

TYPED_TEST(LookupTableTest, RandomRoutesOfEveryLength) {
  for (int i = 0; i < 20000; ++i) this->set(this->random_range(), this->random_next_hop());
  this->expect_equal();
  this->remove_all_in_random_order();
}

// Routes crowd in a few places so that they nest, are replaced, and are removed while covered.
TYPED_TEST(LookupTableTest, Churn) {
  std::vector<Range<typename TypeParam::Table::Address>> pool;
  for (int place = 0; place < 40; ++place) {
    const Number centre = this->random_number();
    for (int i = 0; i < 100; ++i) {
      const unsigned flip = this->random_() % this->kBits;
      pool.push_back(
          this->around(centre ^ (Number{1} << flip), this->random_() % (this->kBits + 1)));
    }
  }
  for (int operation = 0; operation < 200000; ++operation) {
    const auto& range = pool[this->random_() % pool.size()];
    if (this->random_() % 2 == 0) {
      this->set(range, this->random_next_hop());
    } else {
      this->remove(range);
    }
    if (operation % 4 == 0) this->expect_equal_at(range.boundaries());
    if (this->HasFatalFailure()) return;
  }
  this->expect_equal();
  this->remove_all_in_random_order();
}

TYPED_TEST(LookupTableTest, IterationVisitsEachRouteOnceInOrder) {
  std::set<TableRoute> expected;
  for (int i = 0; i < 1000; ++i) {
    const auto range = this->crowded_range();
    const auto next_hop = this->random_next_hop();
    this->put(range, next_hop);
    std::erase_if(expected, [&](const TableRoute& r) { return r.prefix == range.prefix(); });
    expected.insert({range.prefix(), next_hop});
  }
  EXPECT_EQ(this->routes(), std::vector<TableRoute>(expected.begin(), expected.end()));
}

// Many changes with one refresh, also such as undo each other.
TYPED_TEST(LookupTableTest, BatchesOfAnySize) {
  for (int batch = 0; batch < 300; ++batch) {
    for (int i = static_cast<int>(this->random_() % 40); i >= 0; --i) {
      const auto range = this->random_() % 2 == 0 ? this->crowded_range() : this->random_range();
      if (this->random_() % 2 == 0) {
        this->put(range, this->random_next_hop());
      } else {
        this->take(range);
      }
    }
    const auto known = this->naive_.ranges();
    for (int i = 0; i < 10 && !known.empty(); ++i)
      this->take(known[this->random_() % known.size()]);
    this->table_.refresh();
    if (batch % 10 == 0) this->expect_equal();
    if (this->HasFatalFailure()) return;
  }
  this->remove_all_in_random_order();
}

// What is seen before a refresh is what was there at the last one.
TYPED_TEST(LookupTableTest, ChangesShowAtTheNextRefresh) {
  const auto range = this->around(this->at(0x0a010200), 24);
  const auto address = address_of<typename TypeParam::Table::Address>(range.first);
  this->set(range, {5});
  this->put(range, {6});
  EXPECT_EQ(this->table_.lookup(address), NextHopId{5});
  EXPECT_EQ(this->table_.find(range.prefix()), NextHopId{6});
  this->table_.refresh();
  EXPECT_EQ(this->table_.lookup(address), NextHopId{6});
}

// The lookup structure of a full table is little, and goes when the routes go.
TYPED_TEST(LookupTableTest, MemoryIsUsedAgain) {
  std::vector<Range<typename TypeParam::Table::Address>> ranges;
  for (int i = 0; i < 3000; ++i) ranges.push_back(this->random_range());
  std::size_t bytes = 0;
  for (int round = 0; round < 4; ++round) {
    for (const auto& range : ranges) this->put(range, this->random_next_hop());
    this->table_.refresh();
    if (round == 1) bytes = this->table_.lookup_bytes();
    for (const auto& range : ranges) this->take(range);
    this->table_.refresh();
  }
  EXPECT_LE(this->table_.lookup_bytes(), bytes + bytes / 8);
}

TYPED_TEST(LookupTableTest, FindIsExact) {
  const auto range = this->around(this->at(0x0a010200), 24);
  this->set(range, {5});
  EXPECT_EQ(this->table_.find(range.prefix()), NextHopId{5});
  EXPECT_EQ(this->table_.find(this->around(range.first, 25).prefix()), std::nullopt);
  EXPECT_EQ(this->table_.find(this->around(range.first, 23).prefix()), std::nullopt);
}

TYPED_TEST(LookupTableTest, CopyIsIndependent) {
  const auto range = this->around(this->at(0x0a010200), 28);
  this->set(range, {5});
  auto copy = this->table_;
  copy.set(range.prefix(), {6});
  copy.refresh();
  EXPECT_EQ(copy.lookup(address_of<typename TypeParam::Table::Address>(range.first)), NextHopId{6});
  EXPECT_EQ(copy.remove(range.prefix()), NextHopId{6});
  copy.refresh();
  EXPECT_EQ(copy.lookup(address_of<typename TypeParam::Table::Address>(range.first)),
            TypeParam::Table::kDefault);
  this->expect_equal();
}

TYPED_TEST(LookupTableTest, CoveringRoutesLongestFirst) {
  const auto at = this->at(0x0a010200);
  const auto covering = [&](unsigned length) {
    std::vector<unsigned> lengths;
    for (const TableRoute& route : this->table_.covering(this->around(at, length).prefix())) {
      EXPECT_EQ(route.next_hop, NextHopId{kFirstNextHop + route.prefix.length});
      lengths.push_back(route.prefix.length);
    }
    return lengths;
  };
  EXPECT_TRUE(covering(24).empty());
  for (const unsigned length : {0u, 8u, 16u, 23u, 24u, 32u}) {
    this->set(this->around(at, length), {kFirstNextHop + length});
  }
  this->set(this->around(this->at(0x0a010000), 24), {9});
  EXPECT_EQ(covering(32), (std::vector<unsigned>{32, 24, 23, 16, 8, 0}));
  EXPECT_EQ(covering(23), (std::vector<unsigned>{23, 16, 8, 0}));
  EXPECT_EQ(covering(9), (std::vector<unsigned>{8, 0}));
  EXPECT_EQ(covering(0), (std::vector<unsigned>{0}));
}

// Every kind of vectors gives the answers of the one that is chosen; those of the machine are
// tried.
TEST(Ipv6Table, BurstsAreTheSameOnAllVectorUnits) {
  std::mt19937_64 random(20261130);
  for (const std::uint32_t next_hops : {200u, 60000u, 1000000u}) {
    std::vector<Ipv6Table> tables;
    for (const auto unit : {VectorUnit::none, VectorUnit::avx2, VectorUnit::avx512}) {
      if (unit <= widest_vector_unit()) tables.emplace_back(unit);
    }
    std::vector<Ipv6Address> addresses;
    for (int i = 0; i < 20000; ++i) {
      const Number base = Number{0x2001 + random() % 3} << 112;
      const auto range = Range<Ipv6Address>::around(
          base | Number{random() % 40} << 96 | Number{random() % 400} << 80 | random(),
          16 + random() % 113);
      const NextHopId next_hop{kFirstNextHop + static_cast<std::uint32_t>(random() % next_hops)};
      for (auto& table : tables) table.set(range.prefix(), next_hop);
      for (const auto& edge : range.boundaries()) addresses.push_back(edge);
    }
    for (auto& table : tables) table.refresh();
    for (const std::size_t size : {1u, 15u, 16u, 63u, 64u, 65u, 200u}) {
      for (std::size_t first = 0; first + size <= addresses.size(); first += size * 7) {
        const std::span<const Ipv6Address> burst(addresses.data() + first, size);
        for (const auto& table : tables) {
          std::vector<NextHopId> out(size);
          table.lookup(burst, out);
          for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(out[i], table.lookup(burst[i]));
        }
      }
    }
  }
}

// A burst longer than the table's own, and of every small size.
TYPED_TEST(LookupTableTest, BurstsOfAnySize) {
  for (int i = 0; i < 500; ++i) this->set(this->random_range(), this->random_next_hop());
  for (std::size_t size = 1; size < 200; ++size) {
    std::vector<typename TypeParam::Table::Address> addresses;
    const auto ranges = this->naive_.ranges();
    for (std::size_t i = 0; i < size; ++i) {
      addresses.push_back(address_of<typename TypeParam::Table::Address>(
          ranges[this->random_() % ranges.size()].last()));
    }
    this->expect_equal_at(addresses);
  }
}

}  // namespace
}  // namespace rackway::fib::testing
