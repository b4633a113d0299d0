// SPDX-License-Identifier: Apache-2.0
#include "tests/fib/table_generator.hh"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace rackway::fib::testing {
namespace {

constexpr std::size_t kPrefixes = 50'000;
constexpr std::uint32_t kNextHops = 64;

template <class Address>
class TableGeneratorTest : public ::testing::Test {
 protected:
  static constexpr bool kIpv4 = Address::kBits == 32;
  static std::vector<TableRoute> make(std::uint64_t seed, NextHops kind = NextHops::uniform) {
    return TableGenerator<Address>(seed).make(kPrefixes, kNextHops, kind);
  }

  // Of all routes, how many lie in a shorter one. Sorted routes: what covers a route is among the
  // ones open before it.
  static double nested_share(const std::vector<TableRoute>& routes) {
    std::vector<IpPrefix> open;
    std::size_t nested = 0;
    for (const auto& route : routes) {
      while (!open.empty() && !open.back().covers(route.prefix.address)) open.pop_back();
      nested += open.empty() ? 0 : 1;
      open.push_back(route.prefix);
    }
    return double(nested) / double(routes.size());
  }
  static double same_as_neighbour_share(const std::vector<TableRoute>& routes) {
    std::size_t same = 0;
    for (std::size_t i = 1; i < routes.size(); ++i) {
      same += routes[i].next_hop == routes[i - 1].next_hop ? 1 : 0;
    }
    return double(same) / double(routes.size() - 1);
  }
};

using Families = ::testing::Types<Ipv4Address, Ipv6Address>;
TYPED_TEST_SUITE(TableGeneratorTest, Families);

TYPED_TEST(TableGeneratorTest, PrefixesAreSortedUniqueAndWithoutHostBits) {
  const auto routes = TestFixture::make(1);
  ASSERT_EQ(routes.size(), kPrefixes);
  for (std::size_t i = 0; i < routes.size(); ++i) {
    const IpPrefix& prefix = routes[i].prefix;
    ASSERT_EQ(prefix, IpPrefix::covering(prefix.address, prefix.length));
    ASSERT_TRUE(i == 0 || routes[i - 1].prefix < prefix);
  }
}

TYPED_TEST(TableGeneratorTest, LengthsHaveTheSharesOfTheRealTable) {
  std::map<unsigned, std::size_t> counts;
  for (const auto& route : TestFixture::make(2)) ++counts[route.prefix.length];
  const auto of_all = [](double share) { return std::size_t(share * double(kPrefixes)); };
  if (TestFixture::kIpv4) {
    EXPECT_NEAR(counts[24], of_all(0.6194), 2);
    EXPECT_NEAR(counts[22], of_all(0.1103), 2);
    EXPECT_EQ(counts[7], 0);
  } else {
    EXPECT_NEAR(counts[48], of_all(0.3444), 2);
    EXPECT_NEAR(counts[32], of_all(0.1284), 2);
    EXPECT_EQ(counts[65], 0);
  }
}

TYPED_TEST(TableGeneratorTest, NestingIsLikeThatOfTheRealTable) {
  EXPECT_NEAR(this->nested_share(TestFixture::make(3)), TestFixture::kIpv4 ? 0.45 : 0.25, 0.06);
}

TYPED_TEST(TableGeneratorTest, NextHopsAreThoseAskedFor) {
  std::set<NextHopId> seen;
  for (const auto& route : TestFixture::make(4)) seen.insert(route.next_hop);
  EXPECT_EQ(seen.size(), kNextHops);
  EXPECT_EQ(seen.begin()->value, kFirstNextHop);
  EXPECT_EQ(seen.rbegin()->value, kFirstNextHop + kNextHops - 1);
}

TYPED_TEST(TableGeneratorTest, NeighboursShareANextHopByOriginOnly) {
  EXPECT_LT(this->same_as_neighbour_share(TestFixture::make(5)), 0.03);
  EXPECT_GT(this->same_as_neighbour_share(TestFixture::make(5, NextHops::by_origin)), 0.4);
}

TYPED_TEST(TableGeneratorTest, TheSeedDecides) {
  EXPECT_EQ(TestFixture::make(6), TestFixture::make(6));
  EXPECT_NE(TestFixture::make(6), TestFixture::make(7));
}

}  // namespace
}  // namespace rackway::fib::testing
