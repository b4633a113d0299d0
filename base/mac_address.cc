// SPDX-License-Identifier: Apache-2.0
#include "base/mac_address.hh"

#include <charconv>
#include <cstdio>

namespace rackway {

std::optional<MacAddress> MacAddress::parse(std::string_view text) {
  if (text.size() != 17) return std::nullopt;
  MacAddress mac;
  for (std::size_t i = 0; i < 6; ++i) {
    const char* at = text.data() + 3 * i;
    if (i < 5 && at[2] != ':') return std::nullopt;
    const auto [end, error] = std::from_chars(at, at + 2, mac.bytes[i], 16);
    if (error != std::errc{} || end != at + 2) return std::nullopt;
  }
  return mac;
}

std::string MacAddress::to_string() const {
  char text[18];
  std::snprintf(text, sizeof text, "%02x:%02x:%02x:%02x:%02x:%02x", bytes[0], bytes[1], bytes[2],
                bytes[3], bytes[4], bytes[5]);
  return text;
}

}  // namespace rackway
