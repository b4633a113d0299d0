// SPDX-License-Identifier: Apache-2.0
#include "vlb/traffic/latency_histogram.hh"

#include <algorithm>
#include <cmath>

namespace rackway::traffic {

std::uint64_t LatencyHistogram::end_of(std::size_t cell) {
  if (cell < kLinear) return cell;
  const std::size_t shift = (cell >> kOrder) - 1;
  const std::uint64_t first = (cell & (kLinear - 1)) + kLinear;
  return ((first + 1) << shift) - 1;
}

Picoseconds LatencyHistogram::percentile(double share) const {
  if (count_ == 0) return 0;
  const auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(count_)));
  std::uint64_t seen = 0;
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    seen += cells_[cell];
    if (seen >= std::max<std::uint64_t>(rank, 1)) return static_cast<Picoseconds>(end_of(cell));
  }
  return static_cast<Picoseconds>(end_of(kCells - 1));
}

void LatencyHistogram::merge(const LatencyHistogram& other) {
  for (std::size_t cell = 0; cell < kCells; ++cell) cells_[cell] += other.cells_[cell];
  count_ += other.count_;
}

}  // namespace rackway::traffic
