// SPDX-License-Identifier: Apache-2.0
// Where a route of the operator's leads, and how that is written: in a file of routes
// (csv_reader.hh) and in an order. Next hops need not be neighbours. Pure.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip_address.hh"
#include "base/result.hh"

namespace rackway::table_file {

struct WeightedHop {
  IpAddress address;
  std::uint16_t weight{1};  // 1..65535
  auto operator<=>(const WeightedHop&) const = default;
};

struct RouteTarget {
  enum class Kind : std::uint8_t { forward, blackhole, unreachable, prohibit } kind{};
  std::vector<WeightedHop> next_hops;  // 1..512 different ones if forward, sorted; else none
  auto operator<=>(const RouteTarget&) const = default;
};

inline constexpr std::size_t kMostNextHops = 512;

// "blackhole"; or next hops, each with its weight behind it unless that is 1:
// "192.0.2.1,192.0.2.2,3". Commas and blanks separate.
[[nodiscard]] Result<RouteTarget> parse_route_target(std::string_view text);
// As it is parsed, by commas.
[[nodiscard]] std::string to_string(const RouteTarget& target);

// The next field and the rest behind it; separators before it are dropped.
[[nodiscard]] std::string_view take_field(std::string_view& text);

}  // namespace rackway::table_file
