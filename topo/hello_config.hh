// SPDX-License-Identifier: Apache-2.0
// How often the nodes say hello on every fabric link, and how many hellos may be missed before a
// link counts as down.
#pragma once

#include <cstdint>

namespace rackway::topo {

struct HelloConfig {
  std::uint16_t interval_ms{10};  // 1..10000
  std::uint8_t multiplier{3};     // 2..50
  bool operator==(const HelloConfig&) const = default;
};

inline constexpr std::uint16_t kMostHelloIntervalMs = 10'000;
inline constexpr std::uint8_t kLeastHelloMultiplier = 2, kMostHelloMultiplier = 50;

}  // namespace rackway::topo
