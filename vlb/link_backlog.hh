// SPDX-License-Identifier: Apache-2.0
// How far behind a link is: a bucket that fills with the octets that were to leave by it and drains
// at its rate. What the load of some milliseconds can not say: where a frame would wait now. A link
// whose rate nobody has said is never behind. One thread.
#pragma once

#include <algorithm>
#include <cstdint>

#include "vlb/flowlet_table.hh"

namespace rackway::vlb {

// Microseconds.
using Backlog = std::uint16_t;

class LinkBacklog {
 public:
  // bits_per_second: 0 if unknown.
  explicit LinkBacklog(double bits_per_second = 0)
      : octets_per_microsecond_(static_cast<float>(bits_per_second / 8e6)) {}

  // octets: a counter that grows for ever.
  Backlog at(std::uint64_t octets, Time now) noexcept {
    const auto more = static_cast<float>(octets - octets_);
    const auto drained = static_cast<float>(now - last_) * octets_per_microsecond_;
    octets_ = octets;
    last_ = now;
    if (octets_per_microsecond_ <= 0) return 0;
    behind_ = std::clamp(behind_ - drained + more, 0.0f, kMost * octets_per_microsecond_);
    return static_cast<Backlog>(behind_ / octets_per_microsecond_);
  }

 private:
  static constexpr float kMost = 10'000;  // no buffer is longer; what is more was lost

  float octets_per_microsecond_, behind_ = 0;
  std::uint64_t octets_ = 0;
  Time last_ = 0;
};

}  // namespace rackway::vlb
