// SPDX-License-Identifier: Apache-2.0
// Rates of ports, nodes and links as people write them: "100G", "2.5G", "400M".
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace rackway::topo {

// Megabits a second; 0 where a rate is not known.
using Mbps = std::uint32_t;
inline constexpr Mbps kMaxRate = 1'000'000'000;  // 1,000T

// Digits, perhaps a point and up to three more, then M, G or T. At least 1M and at most kMaxRate.
[[nodiscard]] std::optional<Mbps> parse_rate(std::string_view text);

}  // namespace rackway::topo
