// SPDX-License-Identifier: Apache-2.0
// Small tools of a measurement: the clock, the median, keeping results from being optimised away.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace rackway::bench {

// The compiler must have written all that the pointer leads to.
inline void consume(const void* results) {
  asm volatile("" : : "r"(results) : "memory");
}

template <class Run>
[[nodiscard]] double seconds(Run run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

// Of one figure at least.
[[nodiscard]] inline double median(std::vector<double> figures) {
  const auto middle = figures.begin() + static_cast<std::ptrdiff_t>(figures.size() / 2);
  std::nth_element(figures.begin(), middle, figures.end());
  if (figures.size() % 2 != 0) return *middle;
  return (*middle + *std::max_element(figures.begin(), middle)) / 2;
}

}  // namespace rackway::bench
