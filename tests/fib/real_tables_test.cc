// SPDX-License-Identifier: Apache-2.0
// Tables as the Internet has them: generated ones, and, where RACKWAY_DATA names a folder that has
// them, real ones. The lookup structures against longest_match(), which reads the routes alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <string_view>

#include "tests/fib/table_generator.hh"
#include "tests/fib/table_pair.hh"

namespace rackway::fib::testing {
namespace {

struct ClosePipe {
  void operator()(std::FILE* pipe) const { ::pclose(pipe); }
};

// "PREFIX/LENGTH NEXT_HOP", next hops from 1 on. Every stride-th line.
std::vector<TableRoute> read_table(const std::string& path, std::size_t stride) {
  const std::string command = "xz -dc '" + path + "'";
  const std::unique_ptr<std::FILE, ClosePipe> pipe(::popen(command.c_str(), "r"));
  std::vector<TableRoute> routes;
  std::array<char, 128> buffer{};
  for (std::size_t i = 0; std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr; ++i) {
    if (i % stride != 0) continue;
    const std::string_view line(buffer.data());
    const auto space = line.find(' ');
    std::uint32_t number = 0;
    std::from_chars(line.data() + space + 1, line.data() + line.size(), number);
    routes.push_back(
        {IpPrefix::parse(line.substr(0, space)).value(), {kFirstNextHop + number - 1}});
  }
  return routes;
}

template <class Table>
class RealTablesTest : public ::testing::Test {
 protected:
  using A = typename Table::Address;
  using R = Range<A>;
  static constexpr bool kIpv4 = A::kBits == 32;

  static std::vector<TableRoute> generated(std::uint32_t next_hops, NextHops kind) {
    return TableGenerator<A>(7).make(100'000 / kSmaller, next_hops, kind);
  }
  // Nothing if there is no data.
  static std::vector<TableRoute> real(std::size_t stride) {
    const char* folder = std::getenv("RACKWAY_DATA");
    if (folder == nullptr || *folder == '\0') return {};
    const std::string name = kIpv4 ? "ipv4-1033283.txt.xz" : "ipv6-220681.txt.xz";
    const auto routes = read_table(folder + ("/tables/" + name), stride);
    EXPECT_FALSE(routes.empty()) << folder;
    return routes;
  }
  static R range_of(const TableRoute& route) {
    const auto& address = route.prefix.address;
    if constexpr (kIpv4) {
      return {number_of(address.v4()), route.prefix.length};
    } else {
      return {number_of(address.v6()), route.prefix.length};
    }
  }

  void set(const std::vector<TableRoute>& routes) {
    for (const TableRoute& route : routes) table_.set(route.prefix, route.next_hop);
    table_.refresh();
  }
  void remove(const std::vector<TableRoute>& routes) {
    for (const TableRoute& route : routes) {
      ASSERT_TRUE(table_.remove(route.prefix).has_value()) << route.prefix.to_string();
    }
    table_.refresh();
  }

  // At the boundaries of the routes given, whether they are in the table or not.
  void expect_equal_around(const std::vector<TableRoute>& routes) {
    std::vector<A> addresses;
    for (const TableRoute& route : routes) {
      for (const A& edge : range_of(route).boundaries()) addresses.push_back(edge);
    }
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    std::shuffle(addresses.begin(), addresses.end(), random_);
    std::vector<NextHopId> burst(addresses.size());
    table_.lookup(addresses, burst);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const auto match = table_.longest_match(addresses[i]);
      const bool longer = match && match->prefix.length > 0;
      const NextHopId expected = longer ? match->next_hop : Table::kDefault;
      const NextHopId scalar = table_.lookup(addresses[i]);
      ASSERT_TRUE(scalar == expected && burst[i] == expected)
          << IpAddress(addresses[i]).to_string() << ": scalar " << scalar.value << ", burst "
          << burst[i].value << ", expected " << expected.value;
    }
  }

  // In, changed, half out, in again, out: a table in use, seen from where it is not as well.
  void expect_right_through_changes(std::vector<TableRoute> routes) {
    set(routes);
    ASSERT_EQ(table_.size(), routes.size());
    std::shuffle(routes.begin(), routes.end(), random_);
    for (TableRoute& route : routes) route.next_hop.value = kFirstNextHop + random_() % 1000;
    set(routes);
    expect_equal_around(routes);
    const std::vector<TableRoute> half(routes.begin(), routes.begin() + routes.size() / 2);
    remove(half);
    expect_equal_around(half);
    if (HasFatalFailure()) return;
    for (std::size_t first = 0; first < half.size(); first += 2000) {
      const auto last = std::min(first + 2000, half.size());
      const std::vector<TableRoute> some(half.begin() + first, half.begin() + last);
      set(some);
      expect_equal_around(some);
      if (HasFatalFailure()) return;
    }
    expect_equal_around(routes);
    remove(routes);
    EXPECT_EQ(table_.size(), 0u);
    expect_equal_around(half);
  }

  std::mt19937_64 random_{20261130};
  Table table_;
};
TYPED_TEST_SUITE(RealTablesTest, BothTables);

TYPED_TEST(RealTablesTest, Generated) {
  this->expect_right_through_changes(this->generated(64, NextHops::by_origin));
}

TYPED_TEST(RealTablesTest, GeneratedOfManyNextHops) {
  this->set(this->generated(70'000, NextHops::uniform));
  this->expect_equal_around(this->generated(70'000, NextHops::uniform));
}

// longest_match() itself, against the naive table.
TYPED_TEST(RealTablesTest, LongestMatchIsThatOfANaiveTable) {
  TablePair<TypeParam> pair;
  const auto routes = this->generated(64, NextHops::uniform);
  for (std::size_t i = 0; i < routes.size(); i += 5) {
    pair.put(this->range_of(routes[i]), routes[i].next_hop);
  }
  pair.table.refresh();
  ASSERT_TRUE(pair.equal());
}

TYPED_TEST(RealTablesTest, WholeRealTable) {
  const auto routes = this->real(1);
  if (routes.empty()) GTEST_SKIP() << "RACKWAY_DATA is not set";
  if (kSanitized) GTEST_SKIP() << "takes long under a sanitizer";
  this->set(routes);
  EXPECT_EQ(this->table_.size(), routes.size());
  this->expect_equal_around(routes);
}

TYPED_TEST(RealTablesTest, PartsOfTheRealTableThroughChanges) {
  const auto routes = this->real(17 * kSmaller);
  if (routes.empty()) GTEST_SKIP() << "RACKWAY_DATA is not set";
  this->expect_right_through_changes(routes);
}

// The real prefixes moved: each with another length at the same place, many of them within others.
TYPED_TEST(RealTablesTest, RealPlacesWithOtherLengths) {
  auto routes = this->real(41 * kSmaller);
  if (routes.empty()) GTEST_SKIP() << "RACKWAY_DATA is not set";
  TablePair<TypeParam> pair;
  for (const TableRoute& route : routes) {
    const auto range = this->range_of(route);
    const unsigned longer = range.length + pair.below(TypeParam::Address::kBits + 1 - range.length);
    pair.put(range, route.next_hop);
    pair.put(pair.around(range.last(), longer), pair.next_hop(300));
    pair.put(pair.around(range.first, pair.below(longer + 1)), pair.next_hop(300));
  }
  pair.table.refresh();
  ASSERT_TRUE(pair.equal());
}

}  // namespace
}  // namespace rackway::fib::testing
