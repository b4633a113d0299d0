// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same everywhere for a seed: the standard fixes the engine but not its
// distributions, so those are here, by inversion.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace rackway::traffic {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  // In [0, 1), 53 bits.
  [[nodiscard]] double unit() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  // In [0, bound), bound > 0.
  [[nodiscard]] std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>((engine_() >> 32) * bound >> 32);
  }
  [[nodiscard]] double exponential(double mean) { return -mean * std::log1p(-unit()); }
  // 1, 2, ... with the mean given, at least 1.
  [[nodiscard]] std::uint32_t geometric(double mean) {
    if (mean <= 1) return 1;
    return 1 + static_cast<std::uint32_t>(std::log1p(-unit()) / std::log1p(-1 / mean));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace rackway::traffic
