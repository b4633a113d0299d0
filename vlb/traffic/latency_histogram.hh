// SPDX-License-Identifier: Apache-2.0
// Times in a histogram of fixed size: 64 cells for each power of two, so that a percentile read
// from it is at most 1/64 more than the exact one. Any number of times; about 30 KiB. One thread.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "vlb/traffic/virtual_time.hh"

namespace rackway::traffic {

class LatencyHistogram {
 public:
  // Negative times count as 0.
  void add(Picoseconds time) {
    ++cells_[cell_of(time > 0 ? static_cast<std::uint64_t>(time) : 0)];
    ++count_;
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  // The time that this share (0..1) of all times does not exceed, rounded up to the end of its
  // cell; 0 when there is none.
  [[nodiscard]] Picoseconds percentile(double share) const;
  void merge(const LatencyHistogram& other);

 private:
  static constexpr unsigned kOrder = 6;
  static constexpr std::uint64_t kLinear = 1u << kOrder;  // times below have a cell each
  static constexpr std::size_t kCells = kLinear * (64 - kOrder + 1);

  static std::size_t cell_of(std::uint64_t time) {
    if (time < kLinear) return time;
    const unsigned shift = static_cast<unsigned>(std::bit_width(time)) - 1 - kOrder;
    return (static_cast<std::size_t>(shift) << kOrder) + (time >> shift);
  }
  // The largest time of the cell.
  static std::uint64_t end_of(std::size_t cell);

  std::array<std::uint64_t, kCells> cells_{};
  std::uint64_t count_{0};
};

}  // namespace rackway::traffic
