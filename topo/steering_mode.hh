// SPDX-License-Identifier: Apache-2.0
// How ingress nodes spread packets over the fabric; what each means is in docs/vlb.md. Numbers go
// over the wire: append only.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace rackway::topo {

enum class SteeringMode : std::uint8_t {
  adaptive = 0,    // straight as far as the measured load of the links allows, the rest over relays
  direct = 1,      // straight only
  valiant = 2,     // every packet in two phases, by fixed weights
  direct_vlb = 3,  // straight up to a quota, the rest over relays by fixed weights
};

inline constexpr std::array<std::string_view, 4> kSteeringModes{"adaptive", "direct", "valiant",
                                                                "direct-vlb"};

[[nodiscard]] constexpr std::string_view name_of(SteeringMode mode) {
  return kSteeringModes[static_cast<std::size_t>(mode)];
}

[[nodiscard]] constexpr std::optional<SteeringMode> steering_mode(std::string_view name) {
  for (std::size_t i = 0; i < kSteeringModes.size(); ++i) {
    if (kSteeringModes[i] == name) return static_cast<SteeringMode>(i);
  }
  return std::nullopt;
}

}  // namespace rackway::topo
