// SPDX-License-Identifier: Apache-2.0
// BGP-like tables from a seed, the same everywhere: lengths in the shares of the global tables of
// 2026, a like share of prefixes nested in shorter ones, and the crowding that lookups feel (few
// allocations hold most of the longer prefixes, and neighbours follow each other).
//
// Prefixes are laid down from the shortest to the longest. Those up to the "home" length fall into
// the roots, longer ones into homes; low-numbered roots and homes get more. Each draws again until
// it lies in a shorter prefix, or does not, as it was meant to.
#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/ip_address.hh"
#include "fib/next_hop_id.hh"
#include "fib/table_route.hh"
#include "tests/fib/naive_table.hh"
#include "tests/fib/table_generator_shape.hh"

namespace rackway::fib::testing {

enum class NextHops : std::uint8_t {
  uniform,
  by_origin,  // nine of ten prefixes of one home share one
};

template <class Address>
class TableGenerator {
 public:
  explicit TableGenerator(std::uint64_t seed) : random_(seed) {}

  // Sorted by prefix, each once, host bits clear. Next hops are the ids from kFirstNextHop on.
  [[nodiscard]] std::vector<TableRoute> make(std::size_t prefixes, std::uint32_t next_hops,
                                             NextHops kind = NextHops::uniform) {
    std::vector<TableRoute> routes;
    unsigned length = shape_.first_length;
    for (const std::size_t count : length_counts(shape_, prefixes)) {
      if (length == shape_.home_length + 1)
        choose_homes(std::size_t(shape_.homes * double(prefixes)));
      used_.clear();
      for (std::size_t i = 0; i < count; ++i) routes.push_back({place(length).prefix(), {}});
      ++length;
    }
    std::sort(routes.begin(), routes.end());
    const std::uint64_t salt = random_();
    for (TableRoute& route : routes) route.next_hop = next_hop(route, next_hops, kind, salt);
    return routes;
  }

 private:
  static constexpr int kTries = 1000, kChoosyTries = 30;

  double fraction() { return double(random_() >> 11) * 0x1p-53; }
  std::size_t skewed(std::size_t count, double skew) {
    return std::size_t(double(count) * std::pow(fraction(), skew));
  }
  // Random bits between two lengths.
  Number bits(unsigned from, unsigned to) {
    const Number any = Number{random_()} << 64 | random_();
    return any & host_mask<Address>(from) & ~host_mask<Address>(to);
  }
  Number in_roots(unsigned length) {
    const auto index = static_cast<std::uint32_t>(skewed(shape_.roots, shape_.root_skew));
    const Number root = shape_.first_root + index * shape_.root_step;
    return root << (Address::kBits - shape_.root_length) | bits(shape_.root_length, length);
  }
  Number draw(unsigned length) {
    if (length <= shape_.root_length) return in_roots(length) & ~host_mask<Address>(length);
    if (length <= shape_.home_length) return in_roots(length);
    const Number home = homes_[skewed(homes_.size(), shape_.home_skew)];
    const Number inner = skewed(std::size_t{1} << 32, shape_.inner_skew);
    return home | (inner << (Address::kBits - shape_.home_length) >> 32);
  }
  void choose_homes(std::size_t count) {
    homes_.clear();
    while (homes_.size() <= count) {
      const bool nested = fraction() < shape_.nested;
      Number home = in_roots(shape_.home_length);
      for (int i = 0; i < kChoosyTries && is_covered(home) != nested; ++i) {
        home = in_roots(shape_.home_length);
      }
      homes_.push_back(home);
    }
  }
  bool is_covered(Number first) const {
    const auto behind = covered_.upper_bound(first);
    return behind != covered_.begin() && std::prev(behind)->second >= first;
  }

  // Half of them try to follow the one before.
  Range<Address> place(unsigned length) {
    const bool nested = fraction() < shape_.nested;
    for (int i = 0; i < kTries; ++i) {
      const bool follow = i == 0 && !used_.empty() && random_() % 2 == 0;
      const Number number = follow ? last_ + host_mask<Address>(length) + 1 : draw(length);
      const auto range = Range<Address>::around(number, length);
      const bool covered = is_covered(range.first);
      if ((covered != nested && i < kChoosyTries) || !used_.insert(range.first).second) continue;
      last_ = range.first;
      if (!covered) covered_[range.first] = range.last();
      return range;
    }
    throw std::runtime_error("no place left for a prefix of length " + std::to_string(length));
  }

  NextHopId next_hop(const TableRoute& route, std::uint32_t count, NextHops kind,
                     std::uint64_t salt) {
    std::uint64_t value = random_();
    if (kind == NextHops::by_origin && random_() % 10 != 0) {
      const auto home = IpPrefix::covering(route.prefix.address, std::uint8_t(shape_.home_length));
      value = (salt ^ std::hash<IpPrefix>{}(home)) * 0x9e3779b97f4a7c15u >> 32;
    }
    return {kFirstNextHop + static_cast<std::uint32_t>(value % count)};
  }

  const TableShape& shape_ = Address::kBits == 32 ? kIpv4Shape : kIpv6Shape;
  std::mt19937_64 random_;
  std::vector<Number> homes_;
  absl::btree_map<Number, Number> covered_;  // first and last of what shorter prefixes cover
  absl::btree_set<Number> used_;             // of the length at hand
  Number last_ = 0;
};

}  // namespace rackway::fib::testing
