// SPDX-License-Identifier: Apache-2.0
// Turns routes, given in order of address then length, into the intervals that a node is made of:
// each value of the node's 16 bits gets the cell of the last route that covers it. Neighbouring
// intervals of the same cell become one.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace rackway::fib {

// A next hop, or 0 for "what is above says it", or a reference to a node (Ipv6Lookup).
using Ipv6Cell = std::uint32_t;

// From this value of a node's 16 bits on, to the next interval.
struct Interval {
  std::uint32_t first;
  Ipv6Cell cell;
  bool operator==(const Interval&) const = default;
};

class IntervalSweep {
 public:
  // Values from `begin` up to, not including, `end`; the outer cell where no route is.
  IntervalSweep(std::uint32_t begin, std::uint32_t end, Ipv6Cell outer) {
    open_.push_back({end, outer});
    intervals_.push_back({begin, outer});
  }

  // What covers the values from `begin` on before the next cover().
  [[nodiscard]] Ipv6Cell cell_at(std::uint32_t begin) {
    close_until(begin);
    return open_.back().cell;
  }
  void cover(std::uint32_t begin, std::uint32_t count, Ipv6Cell cell) {
    close_until(begin);
    show(begin, cell);
    open_.push_back({begin + count, cell});
  }
  [[nodiscard]] std::vector<Interval> finish() && {
    const std::uint32_t end = open_.front().end;
    close_until(end - 1);
    while (open_.size() > 1 && open_.back().end == end) open_.pop_back();
    return std::move(intervals_);
  }

 private:
  struct Open {
    std::uint32_t end;
    Ipv6Cell cell;
  };

  void close_until(std::uint32_t value) {
    while (open_.size() > 1 && open_.back().end <= value) {
      const std::uint32_t end = open_.back().end;
      open_.pop_back();
      show(end, open_.back().cell);
    }
  }
  void show(std::uint32_t first, Ipv6Cell cell) {
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

// Puts a part in the place of what `all` says of those values. Either ends before its end value;
// the part lies within.
void replace_intervals(std::vector<Interval>& all, std::uint32_t all_end,
                       std::vector<Interval> part, std::uint32_t part_end);

}  // namespace rackway::fib
