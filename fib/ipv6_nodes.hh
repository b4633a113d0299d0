// SPDX-License-Identifier: Apache-2.0
// Makes the nodes of an IPv6 lookup structure (ipv6_cell.hh) from intervals, and gives them back.
// What does not fit into a leaf becomes a table, of as many cells as seem to cost least in octets
// and in lines that lookups read; cells of one table share leaves. Routes that end far behind the
// others are led to by a fork. One writer while nobody reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "fib/interval_sweep.hh"
#include "fib/ipv6_key.hh"
#include "fib/line_arena.hh"

namespace rackway::fib {

// The addresses that a node is for, and the bit from which the windows there are counted.
struct Ipv6Region {
  Ipv6Key key;
  unsigned base;

  // The window of a node for it begins here.
  [[nodiscard]] unsigned window() const;
  // What cell `index` of a table with 2^stride cells is for.
  [[nodiscard]] Ipv6Region part(unsigned stride, std::uint32_t index) const;
};

// Of a region, in order; the first one counts from the region's begin, wherever it begins itself.
using Intervals = std::span<const Interval>;

class Ipv6Nodes {
 public:
  // front: octets at the beginning that belong to the owner.
  explicit Ipv6Nodes(std::size_t front);

  [[nodiscard]] const std::byte* base() const noexcept { return arena_.at(0); }
  [[nodiscard]] Ipv6Cell* front() noexcept { return reinterpret_cast<Ipv6Cell*>(arena_.at(0)); }
  // Of next hops in leaves, the logarithm of octets. Leaves of another width are to be given back.
  [[nodiscard]] unsigned log_width() const noexcept { return log_width_; }
  void set_log_width(unsigned log_width) { log_width_ = log_width; }
  [[nodiscard]] std::size_t bytes() const noexcept { return arena_.bytes(); }

  // What shows the intervals: a next hop, or a new node.
  [[nodiscard]] Ipv6Cell make(const Ipv6Region& region, Intervals intervals);
  // A new table in any case, of 2^stride cells.
  [[nodiscard]] Ipv6Cell make_table(const Ipv6Region& region, unsigned stride, Intervals intervals);
  // A leaf in the line of another that is done with; 0 if they do not fit into one.
  [[nodiscard]] Ipv6Cell remake_leaf(Ipv6Cell old, const Ipv6Region& region, Intervals intervals);
  // The node and all that it leads to, each once.
  void give_back(Ipv6Cell cell);

  [[nodiscard]] std::span<Ipv6Cell> table_cells(Ipv6Cell table);
  // The cell of a fork for the window's value.
  [[nodiscard]] Ipv6Cell& fork_cell(Ipv6Cell fork, std::uint32_t value);
  [[nodiscard]] unsigned fork_advance(Ipv6Cell fork);
  // What a leaf shows, in a region around it.
  [[nodiscard]] std::vector<Interval> leaf_intervals(Ipv6Cell leaf, const Ipv6Region& region);

 private:
  class Groups;

  [[nodiscard]] unsigned leaf_kind(std::size_t count, unsigned last_bit,
                                   const Ipv6Region& region) const;
  [[nodiscard]] unsigned stride_for(const Ipv6Region& region, Intervals intervals) const;
  void write_leaf(std::byte* line, unsigned kind, unsigned window, Intervals intervals) const;
  [[nodiscard]] Ipv6Cell make_leaf(const Ipv6Region& region, unsigned kind, Intervals intervals);
  [[nodiscard]] Ipv6Cell make_fork(const Ipv6Region& region, Intervals intervals);
  [[nodiscard]] Ipv6Cell make_fork_of(const Ipv6Region& region, Intervals intervals,
                                      unsigned advance);

  LineArena arena_;
  unsigned log_width_ = 0;
};

// Part of the intervals; they begin before or at the key's address.
[[nodiscard]] Intervals intervals_within(Intervals intervals, const Ipv6Key& key);
// Those of a range that begins at that address, behind all others.
void append_intervals(std::vector<Interval>& to, Ipv6Number begin, Intervals more);
// Those of a range, with others in the place of a part of it.
[[nodiscard]] std::vector<Interval> with_part(Intervals all, const Ipv6Key& range, Intervals part,
                                              const Ipv6Key& part_range);

}  // namespace rackway::fib
