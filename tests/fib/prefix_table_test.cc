// SPDX-License-Identifier: Apache-2.0
// Every case runs for both families, on a table and a naive one side by side.
#include "fib/prefix_table.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "tests/fib/naive_table.hh"

namespace rackway::fib::testing {
namespace {

template <class A>
class PrefixTableTest : public ::testing::Test {
 protected:
  static constexpr unsigned kBits = A::kBits;
  using R = Range<A>;

  // An IPv4-looking number at the head of the family's address.
  static Number at(std::uint32_t head) { return Number{head} << (kBits - 32); }

  Number random_number() {
    const Number high = random_();
    return (high << 64 | random_()) & host_mask<A>(0);
  }
  static R around(Number number, unsigned length) { return R::around(number, length); }
  R random_range() { return around(random_number(), random_() % (kBits + 1)); }
  GroupId random_group() { return {static_cast<std::uint32_t>(random_() % kMaxGroups)}; }

  void set(const R& range, GroupId group) {
    ASSERT_EQ(table_.set({range.prefix(), group}), naive_.set(range, group));
  }
  void remove(const R& range) { ASSERT_EQ(table_.remove(range.prefix()), naive_.remove(range)); }

  // Scalar, burst and longest match agree with the naive table at every address.
  void expect_equal_at(const std::vector<A>& addresses) {
    std::vector<GroupId> burst(addresses.size());
    table_.lookup(addresses, burst);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const auto expected = naive_.longest_match(addresses[i]);
      const GroupId group = expected ? expected->group : PrefixTable<A>::kNoRoute;
      const Route* match = table_.longest_match(addresses[i]);
      const bool same = table_.lookup(addresses[i]) == group && burst[i] == group &&
                        (match ? std::optional(*match) : std::nullopt) == expected;
      ASSERT_TRUE(same) << IpAddress(addresses[i]).to_string() << " scalar "
                        << table_.lookup(addresses[i]).value << " burst " << burst[i].value
                        << " expected " << group.value;
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
      ASSERT_NE(table_.find(range.prefix()), nullptr);
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
    expect_baseline();
  }

  void expect_baseline() {
    EXPECT_EQ(table_.size(), 0u);
    EXPECT_EQ(table_.blocks_in_use(), 0u);
    EXPECT_EQ(table_.lookup_bytes(), PrefixTable<A>().lookup_bytes());
    EXPECT_EQ(table_.begin(), table_.end());
    expect_equal();
  }

  std::mt19937_64 random_{20261130};
  PrefixTable<A> table_;
  NaiveTable<A> naive_;
};

using Families = ::testing::Types<Ipv4Address, Ipv6Address>;
struct FamilyName {
  template <class A>
  static std::string GetName(int) {
    return A::kBits == 32 ? "ipv4" : "ipv6";
  }
};
TYPED_TEST_SUITE(PrefixTableTest, Families, FamilyName);

TYPED_TEST(PrefixTableTest, EmptyTableCoversNothing) {
  EXPECT_EQ(this->table_.lookup(TypeParam{}), GroupId{kMaxGroups});
  EXPECT_EQ(this->table_.longest_match(TypeParam{}), nullptr);
  EXPECT_EQ(this->table_.find(IpPrefix{TypeParam{}, 0}), nullptr);
  this->expect_baseline();
}

TYPED_TEST(PrefixTableTest, RemovingWhatIsNotThereChangesNothing) {
  EXPECT_EQ(this->table_.remove(this->around(this->at(0x0a000000), 24).prefix()), std::nullopt);
  this->set(this->around(this->at(0x0a000000), 24), {1});
  EXPECT_EQ(this->table_.remove(this->around(this->at(0x0a000000), 25).prefix()), std::nullopt);
  EXPECT_EQ(this->table_.remove(this->around(this->at(0x0a000000), 23).prefix()), std::nullopt);
  EXPECT_EQ(this->table_.remove(this->around(this->at(0x0a000100), 24).prefix()), std::nullopt);
  this->expect_equal();
}

TYPED_TEST(PrefixTableTest, EmptyBurst) {
  this->table_.lookup(std::span<const TypeParam>{}, std::span<GroupId>{});
}

TYPED_TEST(PrefixTableTest, EveryLengthAlone) {
  for (unsigned length = 0; length <= this->kBits; ++length) {
    for (int i = 0; i < 20; ++i) {
      const auto range = this->around(this->random_number(), length);
      this->set(range, this->random_group());
      this->expect_equal_at(range.boundaries());
      this->set(range, this->random_group());
      this->expect_equal_at(range.boundaries());
      this->remove(range);
      this->expect_equal_at(range.boundaries());
      ASSERT_EQ(this->table_.blocks_in_use(), 0u);
    }
  }
  this->expect_baseline();
}

TYPED_TEST(PrefixTableTest, ExtremeGroupIdsAreToldApart) {
  this->set(this->around(0, 0), {kMaxGroups - 1});
  this->set(this->around(0, 16), {0});
  this->set(this->around(0, 17), {kMaxGroups - 1});
  this->set(this->around(0, this->kBits), {0});
  this->expect_equal();
}

// A chain of all lengths around one address, built and taken down in three orders each.
TYPED_TEST(PrefixTableTest, NestedChainOfAllLengths) {
  for (const Number centre : {Number{0}, host_mask<TypeParam>(0), this->random_number()}) {
    std::vector<Range<TypeParam>> chain;
    for (unsigned length = 0; length <= this->kBits; ++length) {
      chain.push_back(this->around(centre, length));
    }
    for (int order = 0; order < 9; ++order) {
      if (order % 3 == 2) std::shuffle(chain.begin(), chain.end(), this->random_);
      for (const auto& range : chain) this->set(range, {range.length});
      this->expect_equal();
      if (order / 3 == 1) std::reverse(chain.begin(), chain.end());
      if (order / 3 == 2) std::shuffle(chain.begin(), chain.end(), this->random_);
      for (const auto& range : chain) {
        this->remove(range);
        this->expect_equal_at(range.boundaries());
        if (range.length % 16 == 0) this->expect_equal();
      }
      this->expect_baseline();
    }
  }
}

// Each route's neighbour has another next hop: nothing may bleed over an edge.
TYPED_TEST(PrefixTableTest, AlternatingNextHopsOnEveryLength) {
  for (unsigned length = 1; length <= this->kBits; ++length) {
    const Number step = host_mask<TypeParam>(length) + 1;
    const auto first = this->around(this->random_number(), length);
    for (unsigned i = 0; i < 40; ++i) {
      this->set(this->around(first.first + step * i, length), {1 + i % 2});
    }
  }
  this->expect_equal();
  this->remove_all_in_random_order();
}

TYPED_TEST(PrefixTableTest, AllHostsOfANetworkOf256) {
  const Number base = this->random_number() & ~Number{255};
  this->set(this->around(base, this->kBits - 8), {7});
  for (unsigned i = 0; i < 256; ++i) {
    this->set(this->around(base + i, this->kBits), {100 + i});
  }
  this->expect_equal();
  for (unsigned i = 0; i < 256; i += 2) {
    this->remove(this->around(base + i, this->kBits));
  }
  this->expect_equal();
  this->remove_all_in_random_order();
}

TYPED_TEST(PrefixTableTest, SampleOfHostsOfANetworkOf65536) {
  const Number base = this->random_number() & ~Number{65535};
  this->set(this->around(base, this->kBits - 16), {7});
  for (int i = 0; i < 8000; ++i) {
    const Number host = base + this->random_() % 65536;
    this->set(this->around(host, this->kBits), this->random_group());
  }
  this->expect_equal();
  this->remove_all_in_random_order();
}

TYPED_TEST(PrefixTableTest, ShortRoutesComeAndGoOverLongOnes) {
  for (int i = 0; i < 500; ++i) this->set(this->random_range(), this->random_group());
  for (unsigned length = 0; length <= 20; ++length) {
    const auto range = this->around(this->random_number(), length);
    this->set(range, this->random_group());
    this->expect_equal();
    this->remove(range);
    this->expect_equal();
  }
  this->remove_all_in_random_order();
}

TYPED_TEST(PrefixTableTest, RandomRoutesOfEveryLength) {
  for (int i = 0; i < 20000; ++i) this->set(this->random_range(), this->random_group());
  this->expect_equal();
  this->remove_all_in_random_order();
}

// Routes crowd in a few places so that they nest, are replaced, and are removed while covered.
TYPED_TEST(PrefixTableTest, Churn) {
  std::vector<Range<TypeParam>> pool;
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
      this->set(range, this->random_group());
    } else {
      this->remove(range);
    }
    if (operation % 4 == 0) this->expect_equal_at(range.boundaries());
    if (this->HasFatalFailure()) return;
  }
  this->expect_equal();
  this->remove_all_in_random_order();
}

// The structure depends on the routes alone, not on how they came.
TYPED_TEST(PrefixTableTest, BlocksDoNotDependOnHistory) {
  for (int i = 0; i < 3000; ++i) this->set(this->random_range(), this->random_group());
  const auto blocks = this->table_.blocks_in_use();
  std::vector<Range<TypeParam>> guests;
  while (guests.size() < 3000) {
    const auto range = this->random_range();
    if (this->table_.find(range.prefix()) != nullptr) continue;
    this->set(range, this->random_group());
    guests.push_back(range);
  }
  for (const auto& range : guests) this->remove(range);
  EXPECT_EQ(this->table_.blocks_in_use(), blocks);

  PrefixTable<TypeParam> fresh;
  auto routes = std::vector<Route>(this->table_.begin(), this->table_.end());
  std::sort(routes.begin(), routes.end());
  for (const Route& route : routes) fresh.set(route);
  EXPECT_EQ(fresh.blocks_in_use(), blocks);
}

TYPED_TEST(PrefixTableTest, IterationVisitsEachRouteOnce) {
  std::set<Route> expected;
  for (int i = 0; i < 1000; ++i) {
    const auto range = this->random_range();
    this->set(range, {static_cast<std::uint32_t>(i)});
    std::erase_if(expected, [&](const Route& r) { return r.prefix == range.prefix(); });
    expected.insert({range.prefix(), {static_cast<std::uint32_t>(i)}});
  }
  const std::vector<Route> visited(this->table_.begin(), this->table_.end());
  EXPECT_EQ(visited.size(), expected.size());
  EXPECT_EQ(std::set<Route>(visited.begin(), visited.end()), expected);
}

TYPED_TEST(PrefixTableTest, FindIsExact) {
  const auto range = this->around(this->at(0x0a010200), 24);
  this->set(range, {5});
  ASSERT_NE(this->table_.find(range.prefix()), nullptr);
  EXPECT_EQ(*this->table_.find(range.prefix()), (Route{range.prefix(), {5}}));
  EXPECT_EQ(this->table_.find(this->around(range.first, 25).prefix()), nullptr);
  EXPECT_EQ(this->table_.find(this->around(range.first, 23).prefix()), nullptr);
}

TYPED_TEST(PrefixTableTest, CopyIsIndependent) {
  const auto range = this->around(this->at(0x0a010200), 28);
  this->set(range, {5});
  auto copy = this->table_;
  copy.set({range.prefix(), {6}});
  EXPECT_EQ(copy.lookup(address_of<TypeParam>(range.first)), GroupId{6});
  EXPECT_EQ(copy.remove(range.prefix()), GroupId{6});
  this->expect_equal();
}

// A burst longer than the table's own, and of every small size.
TYPED_TEST(PrefixTableTest, BurstsOfAnySize) {
  for (int i = 0; i < 500; ++i) this->set(this->random_range(), this->random_group());
  for (std::size_t size = 1; size < 200; ++size) {
    std::vector<TypeParam> addresses;
    const auto ranges = this->naive_.ranges();
    for (std::size_t i = 0; i < size; ++i) {
      addresses.push_back(address_of<TypeParam>(ranges[this->random_() % ranges.size()].last()));
    }
    this->expect_equal_at(addresses);
  }
}

}  // namespace
}  // namespace rackway::fib::testing
