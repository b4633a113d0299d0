// SPDX-License-Identifier: Apache-2.0
// 64 neighbouring cells of a lookup structure (each the answer for one block of addresses), painted
// route by route, shorter ones first; then read as runs of equal cells. Cells that no route painted
// show what lies outside ("outer"); their runs are kept apart from others of the same next hop, so
// that another outer next hop can be written into them without painting anew.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "fib/next_hop_id.hh"

namespace rackway::fib {

inline constexpr unsigned kCells = 64;

class CellRun {
 public:
  explicit CellRun(NextHopId outer) { ids_.fill(outer.value); }

  void paint(unsigned first, unsigned count, std::uint32_t id) {
    const std::uint64_t cells =
        (count == kCells ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << first;
    const std::uint64_t first_bit = std::uint64_t{1} << first;
    starts_ = (starts_ & ~cells) | first_bit;
    if (first + count < kCells) starts_ |= first_bit << (count - 1) << 1;
    outer_ &= ~cells;
    for (unsigned i = first; i < first + count; ++i) ids_[i] = id;
  }

  [[nodiscard]] std::uint32_t at(unsigned cell) const { return ids_[cell]; }

  // visit(first cell, id, is outer) for each run, in order; neighbours differ in one of the latter.
  template <class Visit>
  void for_each_run(Visit visit) const {
    std::uint32_t last_id = 0;
    bool last_outer = false;
    bool first = true;
    for (std::uint64_t rest = starts_; rest != 0; rest &= rest - 1) {
      const auto cell = static_cast<unsigned>(std::countr_zero(rest));
      const bool outer = (outer_ >> cell & 1) != 0;
      if (!first && ids_[cell] == last_id && outer == last_outer) continue;
      first = false;
      last_id = ids_[cell];
      last_outer = outer;
      visit(cell, last_id, outer);
    }
  }

 private:
  std::array<std::uint32_t, kCells> ids_;
  std::uint64_t starts_ = 1;  // cells at which a run may begin
  std::uint64_t outer_ = ~std::uint64_t{0};
};

}  // namespace rackway::fib
