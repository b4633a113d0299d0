// SPDX-License-Identifier: Apache-2.0
// How much of a link's rate is in use, from a counter of the octets that were to leave by it, sent
// or not. Averaged over some milliseconds: a burst passes, steering follows what stays. A link
// whose rate nobody has said counts as full as long as it refuses frames, else as idle. One thread.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "vlb/fabric_view.hh"
#include "vlb/flowlet_table.hh"

namespace rackway::vlb {

class LinkLoad {
 public:
  // bits_per_second: 0 if unknown.
  explicit LinkLoad(double bits_per_second = 0) : octets_per_microsecond_(bits_per_second / 8e6) {}

  // Both counters grow for ever: octets that left, octets that the device had no room for. Time
  // that is not after the last one changes nothing.
  Load at(std::uint64_t sent, std::uint64_t refused, Time now) noexcept {
    const Time elapsed = now - last_;
    if (!started_ || (elapsed != 0 && elapsed < 0x8000'0000u)) {
      if (started_) add(sent - sent_, refused - refused_, elapsed);
      started_ = true;
      sent_ = sent;
      refused_ = refused;
      last_ = now;
    }
    return static_cast<Load>(std::min(255.0f, use_ * kFullLoad + 0.5f));
  }

  // What a step weighs e-fold less, microseconds.
  static constexpr float kMemory = 2'000;

 private:
  void add(std::uint64_t sent, std::uint64_t refused, Time elapsed) noexcept {
    const auto time = static_cast<float>(elapsed);
    const float use =
        octets_per_microsecond_ > 0
            ? static_cast<float>(static_cast<double>(sent + refused) / octets_per_microsecond_) /
                  time
            : static_cast<float>(refused > 0) * kRefusing;
    use_ += (use - use_) * (1 - std::exp(-time / kMemory));
  }

  static constexpr float kRefusing = 1.1f;

  double octets_per_microsecond_;
  std::uint64_t sent_ = 0, refused_ = 0;
  Time last_ = 0;
  bool started_ = false;
  float use_ = 0;
};

}  // namespace rackway::vlb
