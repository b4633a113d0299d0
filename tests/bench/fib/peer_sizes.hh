// SPDX-License-Identifier: Apache-2.0
// How many groups of 256 entries ("tbl8") DPDK's tables need for routes; each such table is created
// with a fixed number of them. Routes are sorted.
#pragma once

#include <cstdint>
#include <span>

#include "fib/table_route.hh"

namespace rackway::bench {

// One for each prefix of 24, 32, 40 ... bits with longer routes below it.
[[nodiscard]] std::uint32_t tbl8_groups(std::span<const fib::TableRoute> routes);
// What rte_fib6 sets aside when routes come in order: it counts by route, not by what is shared, so
// it needs several times what it fills.
[[nodiscard]] std::uint32_t trie_tbl8_groups(std::span<const fib::TableRoute> routes);

// load(groups) from a first guess upwards until it says true. False: not with any number.
template <class Load>
[[nodiscard]] bool load_with_least(std::uint32_t groups, Load load) {
  for (int i = 0; i < 40; ++i) {
    if (load(groups)) return true;
    groups += groups / 20 + 1;
  }
  return false;
}

}  // namespace rackway::bench
