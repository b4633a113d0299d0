// SPDX-License-Identifier: Apache-2.0
// A full table of IPv4 for the programs that bring no file of one: the same each time.
#pragma once

#include <cstddef>
#include <vector>

#include "tests/bench/forward/bench_node.hh"
#include "tests/bench/forward/table_file.hh"
#include "tests/fib/table_generator.hh"

namespace rackway::bench {

inline constexpr std::size_t kFullTable = 1'033'283;  // routes

[[nodiscard]] inline std::vector<FileRoute> full_table() {
  std::vector<FileRoute> routes;
  for (const auto& [prefix, next_hop] :
       fib::testing::TableGenerator<Ipv4Address>(1).make(kFullTable, kNextHops)) {
    routes.push_back({prefix, next_hop.value - fib::kFirstNextHop});
  }
  return routes;
}

}  // namespace rackway::bench
