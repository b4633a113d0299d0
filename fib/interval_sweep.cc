// SPDX-License-Identifier: Apache-2.0
#include "fib/interval_sweep.hh"

#include <algorithm>
#include <iterator>

namespace rackway::fib {

void replace_intervals(std::vector<Interval>& all, std::uint32_t all_end,
                       std::vector<Interval> part, std::uint32_t part_end) {
  const auto before = [](const Interval& interval, std::uint32_t value) {
    return interval.first < value;
  };
  auto first = std::lower_bound(all.begin(), all.end(), part.front().first, before);
  auto last = std::lower_bound(first, all.end(), part_end, before);
  const bool tail_begins_here = last != all.end() && last->first == part_end;
  if (part_end < all_end && !tail_begins_here) {
    const Ipv6Cell tail = std::prev(last)->cell;
    if (tail != part.back().cell) part.push_back({part_end, tail});
  } else if (tail_begins_here && last->cell == part.back().cell) {
    ++last;
  }
  const bool goes_on = first != all.begin() && std::prev(first)->cell == part.front().cell;
  auto from = part.begin() + (goes_on ? 1 : 0);
  for (; first != last && from != part.end(); ++first, ++from) *first = *from;
  if (first != last) {
    all.erase(first, last);
  } else {
    all.insert(first, from, part.end());
  }
}

}  // namespace rackway::fib
