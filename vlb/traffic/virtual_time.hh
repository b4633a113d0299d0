// SPDX-License-Identifier: Apache-2.0
// Virtual time of generator, meter and simulator: picoseconds since the start, so that a frame of
// 64 octets at 100 Gb/s (6,720 ps with its gap) is timed without rounding.
#pragma once

#include <cmath>
#include <cstdint>

namespace rackway::traffic {

using Picoseconds = std::int64_t;

inline constexpr Picoseconds kNanosecond = 1'000;
inline constexpr Picoseconds kMicrosecond = 1'000 * kNanosecond;
inline constexpr Picoseconds kMillisecond = 1'000 * kMicrosecond;
inline constexpr Picoseconds kSecond = 1'000 * kMillisecond;

// Octets between two frames on an Ethernet cable: preamble, start delimiter, gap (IEEE 802.3).
inline constexpr unsigned kFrameOverhead = 20;

// A rate in bits/s as the time of one octet.
[[nodiscard]] inline double picoseconds_per_octet(double bits_per_second) {
  return 8.0 * static_cast<double>(kSecond) / bits_per_second;
}

// On the cable, for a frame of so many octets (with its check sequence).
[[nodiscard]] inline Picoseconds time_on_cable(unsigned frame_octets, double ps_per_octet) {
  return static_cast<Picoseconds>(
      std::llround(static_cast<double>(frame_octets + kFrameOverhead) * ps_per_octet));
}

}  // namespace rackway::traffic
