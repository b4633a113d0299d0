// SPDX-License-Identifier: Apache-2.0
// What changes cost: sequences of single updates, each of which counts before the next, and the
// slowest one of all.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "fib/table_route.hh"
#include "tests/bench/fib/engine.hh"

namespace rackway::bench {

inline constexpr std::size_t kUpdates = 200'000;

// Random withdrawals, the announcements that undo them some hundred updates later, and other next
// hops for random routes, a third each. `routes` is what the table holds, before and after.
[[nodiscard]] std::vector<Change> random_changes(std::vector<fib::TableRoute>& routes,
                                                 std::uint32_t next_hops, std::uint64_t seed);

struct SlowestUpdate {
  double seconds = 0;
  std::string what;
};

// Over the default route, every /8 and 10,000 random routes, each withdrawn, announced and given
// another next hop. The least of several goes counts for each: what the machine interrupts is no
// property of ours. The table is left as it was.
template <class Table>
[[nodiscard]] SlowestUpdate slowest_update(Table& table, std::span<const fib::TableRoute> routes);

}  // namespace rackway::bench
