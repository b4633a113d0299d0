// SPDX-License-Identifier: Apache-2.0
// Turns routes, given in order of address then length, into intervals: each address of a range gets
// the cell of the last route that covers it. Neighbouring intervals of the same cell become one.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "fib/ipv6_key.hh"

namespace rackway::fib {

// A next hop, or 0 for "what is above says it", or a reference to a node (ipv6_cell.hh).
using Ipv6Cell = std::uint32_t;

// From this address on, to the next interval.
struct Interval {
  Ipv6Number first;
  Ipv6Cell cell;
  bool operator==(const Interval&) const = default;
};

class IntervalSweep {
 public:
  // The addresses of that prefix; the outer cell where no route is.
  IntervalSweep(const Ipv6Key& range, Ipv6Cell outer) {
    open_.push_back({range.last(), outer});
    intervals_.push_back({range.address, outer});
  }

  void cover(const Ipv6Key& route, Ipv6Cell cell) {
    close_before(route.address);
    show(route.address, cell);
    open_.push_back({route.last(), cell});
  }
  [[nodiscard]] std::vector<Interval> finish() && {
    const Ipv6Number last = open_.front().last;
    while (open_.back().last != last) close_one();
    return std::move(intervals_);
  }

 private:
  struct Open {
    Ipv6Number last;
    Ipv6Cell cell;
  };

  void close_before(Ipv6Number address) {
    while (open_.back().last < address) close_one();
  }
  // There is one around it that ends later, or both end together and nothing shows between.
  void close_one() {
    const Ipv6Number last = open_.back().last;
    while (open_.back().last == last) open_.pop_back();
    show(last + 1, open_.back().cell);
  }
  void show(Ipv6Number first, Ipv6Cell cell) {
    if (intervals_.back().first == first) {
      intervals_.pop_back();
      if (!intervals_.empty() && intervals_.back().cell == cell) return;
    } else if (intervals_.back().cell == cell) {
      return;
    }
    intervals_.push_back({first, cell});
  }

  std::vector<Open> open_;
  std::vector<Interval> intervals_;
};

}  // namespace rackway::fib
