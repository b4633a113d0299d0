// SPDX-License-Identifier: Apache-2.0
// The tables to measure with: the files under RACKWAY_DATA, or generated ones of the same size.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/ip_address.hh"
#include "fib/table_route.hh"

namespace rackway::bench {

struct BenchTable {
  std::vector<fib::TableRoute> routes;  // sorted; no default route
  std::string from;                     // for people
};

inline constexpr std::uint32_t kFileNextHops = 64;

// With kFileNextHops next hops. Throws StartupError if a file is not what it should be.
[[nodiscard]] BenchTable load_table(Family family);

// Gives every route one of that many next hops, at random.
void draw_next_hops(std::vector<fib::TableRoute>& routes, std::uint32_t count);

}  // namespace rackway::bench
