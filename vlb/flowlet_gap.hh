// SPDX-License-Identifier: Apache-2.0
// How long a flow must pause before it may take another path: as much as one live path to its
// egress node was slower than another in about the last second, and a quarter more. Then the first
// packet on the new path can not overtake the last one on the old. Within bounds that the operator
// gives. Times in microseconds. One thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "vlb/flowlet_table.hh"

namespace rackway::vlb {

struct GapBounds {
  Time least = 500, most = 50'000;
  bool operator==(const GapBounds&) const = default;
};

class FlowletGap {
 public:
  explicit FlowletGap(GapBounds bounds) : bounds_(bounds), gap_(bounds.most) {}

  // difference: slowest less fastest path now; kUnknown if some delay is not measured yet. elapsed:
  // since the last time.
  Time see(Time difference, Time elapsed) noexcept {
    if (difference == kUnknown) return gap_ = bounds_.most;
    peak_ *= std::exp(-static_cast<float>(elapsed) / kMemory);
    peak_ = std::max(peak_, static_cast<float>(difference));
    const float wanted = std::min(peak_ * kMargin, static_cast<float>(bounds_.most));
    return gap_ = std::max(bounds_.least, static_cast<Time>(wanted));
  }
  [[nodiscard]] Time gap() const noexcept { return gap_; }

  static constexpr Time kUnknown = 0xffff'ffff;

 private:
  static constexpr float kMemory = 1'000'000, kMargin = 1.25f;

  GapBounds bounds_;
  float peak_ = 0;
  Time gap_;
};

}  // namespace rackway::vlb
