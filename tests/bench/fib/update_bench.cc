// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/fib/update_bench.hh"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <random>

#include "fib/ipv4_table.hh"
#include "fib/ipv6_table.hh"
#include "tests/bench/measure.hh"

namespace rackway::bench {
namespace {

using fib::NextHopId;
using fib::TableRoute;

constexpr std::size_t kBatch = 500;  // withdrawn at a time
constexpr std::size_t kRandomRoutes = 10'000;
constexpr int kGoes = 5;

// The /8 that begins with that octet, and the default route.
IpPrefix short_prefix(Family family, std::uint8_t octet, std::uint8_t length) {
  if (family == Family::ipv4) return {Ipv4Address{std::uint32_t{octet} << 24}, length};
  Ipv6Address address;
  address.bytes[0] = octet;
  return {address, length};
}

std::vector<IpPrefix> prefixes_to_try(std::span<const TableRoute> routes) {
  const Family family = routes.front().prefix.address.family();
  std::vector<IpPrefix> prefixes{short_prefix(family, 0, 0)};
  for (int octet = 0; octet < 256; ++octet) {
    prefixes.push_back(short_prefix(family, static_cast<std::uint8_t>(octet), 8));
  }
  std::mt19937_64 random(1);
  for (std::size_t i = 0; i < kRandomRoutes; ++i) {
    prefixes.push_back(routes[random() % routes.size()].prefix);
  }
  return prefixes;
}

template <class Table>
class UpdateTimer {
 public:
  explicit UpdateTimer(Table& table) : table_(table) {}

  // Announced, given another next hop, withdrawn; then as it was.
  void try_prefix(const IpPrefix& prefix) {
    const std::optional<NextHopId> known = table_.find(prefix);
    const NextHopId next_hop = known.value_or(NextHopId{fib::kFirstNextHop});
    const NextHopId other{next_hop.value == fib::kFirstNextHop ? next_hop.value + 1
                                                               : fib::kFirstNextHop};
    std::array<double, kWhat.size()> least;
    least.fill(std::numeric_limits<double>::max());
    withdraw(prefix);
    for (int go = 0; go < kGoes; ++go) {
      const std::array<double, kWhat.size()> took{
          seconds([&] { announce(prefix, next_hop); }),
          seconds([&] { announce(prefix, other); }),
          seconds([&] { withdraw(prefix); }),
      };
      for (std::size_t i = 0; i < took.size(); ++i) least[i] = std::min(least[i], took[i]);
    }
    if (known) announce(prefix, *known);
    for (std::size_t i = 0; i < least.size(); ++i) {
      if (least[i] > slowest_.seconds) slowest_ = {least[i], kWhat[i] + prefix.to_string()};
    }
  }
  [[nodiscard]] const SlowestUpdate& slowest() const { return slowest_; }

 private:
  static constexpr std::array<const char*, 3> kWhat{"announcing ", "replacing ", "withdrawing "};

  void announce(const IpPrefix& prefix, NextHopId next_hop) {
    table_.set(prefix, next_hop);
    table_.refresh();
  }
  void withdraw(const IpPrefix& prefix) {
    table_.remove(prefix);
    table_.refresh();
  }

  Table& table_;
  SlowestUpdate slowest_;
};

}  // namespace

std::vector<Change> random_changes(std::vector<TableRoute>& routes, std::uint32_t next_hops,
                                   std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::size_t> order(routes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::shuffle(order.begin(), order.end(), random);

  std::vector<Change> changes;
  for (std::size_t at = 0; changes.size() < kUpdates; at = (at + kBatch) % routes.size()) {
    const auto route = [&](std::size_t i) -> TableRoute& {
      return routes[order[(at + i) % order.size()]];
    };
    for (std::size_t i = 0; i < kBatch; ++i) changes.push_back({route(i).prefix, kNoRoute});
    for (std::size_t i = 0; i < kBatch; ++i) {
      changes.push_back({route(i).prefix, route(i).next_hop.value});
    }
    for (std::size_t i = 0; i < kBatch; ++i) {
      TableRoute& replaced = routes[random() % routes.size()];
      replaced.next_hop.value =
          fib::kFirstNextHop + static_cast<std::uint32_t>(random() % next_hops);
      changes.push_back({replaced.prefix, replaced.next_hop.value});
    }
  }
  return changes;
}

template <class Table>
SlowestUpdate slowest_update(Table& table, std::span<const TableRoute> routes) {
  UpdateTimer timer(table);
  for (const IpPrefix& prefix : prefixes_to_try(routes)) timer.try_prefix(prefix);
  return timer.slowest();
}

template SlowestUpdate slowest_update(fib::Ipv4Table&, std::span<const TableRoute>);
template SlowestUpdate slowest_update(fib::Ipv6Table&, std::span<const TableRoute>);

}  // namespace rackway::bench
