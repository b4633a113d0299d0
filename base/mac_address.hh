// SPDX-License-Identifier: Apache-2.0
// A 48-bit Ethernet address, in the order in which it is on the wire.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rackway {

struct MacAddress {
  std::array<std::uint8_t, 6> bytes{};

  auto operator<=>(const MacAddress&) const = default;
  [[nodiscard]] bool is_multicast() const noexcept { return (bytes[0] & 1) != 0; }
  [[nodiscard]] bool is_zero() const noexcept { return *this == MacAddress{}; }

  // "02:00:00:00:00:01", six pairs of hex digits; anything else is nullopt.
  [[nodiscard]] static std::optional<MacAddress> parse(std::string_view text);
  [[nodiscard]] std::string to_string() const;
};
static_assert(sizeof(MacAddress) == 6);

}  // namespace rackway
