// SPDX-License-Identifier: Apache-2.0
// A lookup table and a naive one that are given the same changes, and where their answers differ.
// One thread.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "fib/ipv4_table.hh"
#include "fib/ipv6_table.hh"
#include "tests/fib/naive_table.hh"

namespace rackway::fib::testing {

// Sanitizers make everything some ten times slower; there the big cases are that much smaller.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif
inline constexpr unsigned kSmaller = kSanitized ? 10 : 1;

// Where the structures change their ways, and the lengths around them.
template <class Address>
std::vector<unsigned> sore_lengths() {
  if constexpr (Address::kBits == 32) {
    return {0, 1, 2, 7, 8, 9, 15, 16, 17, 18, 19, 20, 22, 23, 24, 25, 26, 27, 30, 31, 32};
  } else {
    return {0,  1,  8,  15, 16, 17, 20, 23, 24, 25, 31,  32,  33,  40,  47,  48,  49,
            56, 63, 64, 65, 79, 80, 81, 95, 96, 97, 111, 112, 113, 120, 126, 127, 128};
  }
}

template <class T>
class TablePair {
 public:
  using Table = T;
  using A = typename Table::Address;
  using R = Range<A>;
  static constexpr unsigned kBits = A::kBits;

  explicit TablePair(std::uint64_t seed = 20261130) : random_(seed) {}

  // An IPv4-looking number at the head of the family's address.
  static Number at(std::uint32_t head) { return Number{head} << (kBits - 32); }
  static R around(Number number, unsigned length) { return R::around(number, length); }

  std::size_t below(std::size_t bound) { return random_() % bound; }
  Number number() { return (Number{random_()} << 64 | random_()) & host_mask<A>(0); }
  NextHopId next_hop(std::uint32_t bound) {
    return {kFirstNextHop + static_cast<std::uint32_t>(below(bound - kFirstNextHop))};
  }
  template <class Elements>
  void shuffle(Elements& elements) {
    std::shuffle(elements.begin(), elements.end(), random_);
  }

  void put(const R& range, NextHopId next_hop) {
    EXPECT_EQ(table.set(range.prefix(), next_hop), naive.set(range, next_hop));
  }
  void take(const R& range) { EXPECT_EQ(table.remove(range.prefix()), naive.remove(range)); }

  // Scalar form, burst and longest match.
  [[nodiscard]] ::testing::AssertionResult equal_at(const std::vector<A>& addresses) const {
    std::vector<NextHopId> burst(addresses.size());
    table.lookup(addresses, burst);
    for (std::size_t i = 0; i < addresses.size(); ++i) {
      const auto expected = naive.longest_match(addresses[i]);
      const bool longer = expected && expected->prefix.length > 0;
      const NextHopId next_hop = longer ? expected->next_hop : Table::kDefault;
      const NextHopId scalar = table.lookup(addresses[i]);
      if (scalar == next_hop && burst[i] == next_hop &&
          table.longest_match(addresses[i]) == expected)
        continue;
      return ::testing::AssertionFailure()
             << IpAddress(addresses[i]).to_string() << ": scalar " << scalar.value << ", burst "
             << burst[i].value << ", expected " << next_hop.value << " of "
             << (expected ? expected->prefix.to_string() : "no route");
    }
    return ::testing::AssertionSuccess();
  }

  // At the boundaries of every route, of everything else that is of interest, and at random.
  [[nodiscard]] ::testing::AssertionResult equal(const std::vector<R>& others = {}) {
    const auto ranges = naive.ranges();
    if (table.size() != ranges.size()) return ::testing::AssertionFailure() << "size";
    std::vector<A> addresses;
    const auto add = [&](const R& range) {
      for (const A& edge : range.boundaries()) addresses.push_back(edge);
    };
    for (const R& range : ranges) add(range);
    for (const R& range : others) add(range);
    for (int i = 0; i < 300; ++i) addresses.push_back(address_of<A>(number()));
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    shuffle(addresses);
    return equal_at(addresses);
  }

  // In pieces of `step` routes, looked at behind each; then all of it must be gone.
  void expect_all_removable(std::size_t step) {
    auto ranges = naive.ranges();
    shuffle(ranges);
    for (std::size_t first = 0; first < ranges.size(); first += step) {
      std::vector<A> edges;
      for (std::size_t i = first; i < std::min(first + step, ranges.size()); ++i) {
        take(ranges[i]);
        for (const A& edge : ranges[i].boundaries()) edges.push_back(edge);
      }
      table.refresh();
      ASSERT_TRUE(equal_at(edges)) << first << " removed";
    }
    EXPECT_EQ(table.size(), 0u);
    ASSERT_TRUE(equal(ranges)) << "all removed";
  }

  Table table;
  NaiveTable<A> naive;

 private:
  std::mt19937_64 random_;
};

using BothTables = ::testing::Types<Ipv4Table, Ipv6Table>;

}  // namespace rackway::fib::testing
