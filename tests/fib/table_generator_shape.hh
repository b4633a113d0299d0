// SPDX-License-Identifier: Apache-2.0
// What the tables of TableGenerator look like: the global tables of 2026, in figures.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace rackway::fib::testing {

struct TableShape {
  unsigned first_length;
  std::vector<std::uint32_t> counts;  // of each length from the first on, to be scaled
  double nested;                      // share of prefixes with a shorter one around them
  unsigned root_length;
  std::uint32_t first_root, roots, root_step;
  double root_skew;  // the first x of all get x^(1 / skew) of the prefixes; 1: evenly
  unsigned home_length;
  double homes, home_skew;  // homes: for each prefix of the table
  double inner_skew;        // within a home, lower addresses get more
};

// clang-format off
inline const TableShape kIpv4Shape{
    8,
    {8,     14,     41,     105,    300,  600,  1200, 2455, 13700, 8600, 14500, 26000, 46000,
     55000, 114000, 106000, 640000, 1350, 1447, 1595, 141,  164,   53,   3,     7},
    0.45, 8, 1, 220, 1, 1, 16, 0.03, 2, 1};
inline const TableShape kIpv6Shape{
    16,
    {1,     0,    0,     0,     10,   7,    15,    21,   52,   41,   69,   65,    175,
     10410, 974,  1523,  28341, 1808, 2173, 2580,  7500, 2673, 3330, 3739, 16000, 3762,
     4368,  5099, 18000, 5009,  7000, 9800, 76000, 386,  405,  417,  520,  492,   386,
     362,   457,  384,   537,   683,  800,  835,   869,  891,  1712},
    0.25, 16, 0x2400, 61, 41, 3, 32, 0.0585, 4.3, 12};
// clang-format on

// How many of `prefixes` have each length from the first on; they add up.
inline std::vector<std::size_t> length_counts(const TableShape& shape, std::size_t prefixes) {
  const double all = std::accumulate(shape.counts.begin(), shape.counts.end(), 0.0);
  std::vector<std::size_t> counts;
  double seen = 0;
  std::size_t given = 0;
  for (const std::uint32_t count : shape.counts) {
    seen += count;
    const auto until = static_cast<std::size_t>(std::llround(seen / all * double(prefixes)));
    counts.push_back(until - given);
    given = until;
  }
  return counts;
}

}  // namespace rackway::fib::testing
