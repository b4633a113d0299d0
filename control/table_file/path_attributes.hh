// SPDX-License-Identifier: Apache-2.0
// What a RIB entry's BGP path attributes (RFC 4271 4.3) say of where packets go and of how good the
// path is. The rest is stepped over, but has to fit. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <tl/expected.hpp>

#include "base/ip_address.hh"
#include "control/table_file/skip_counts.hh"

namespace rackway::table_file {

struct PathAttributes {
  IpAddress next_hop;
  std::uint32_t local_preference{100};  // RFC 4271 5.1.5; what most take when there is none
  std::uint32_t as_path_length{};       // a set counts as one, confederations do not (RFC 5065 5.3)
  std::uint8_t origin{2};               // 0 IGP, 1 EGP, 2 incomplete
  bool operator==(const PathAttributes&) const = default;
};

// as_octets: 2 in TABLE_DUMP, 4 in TABLE_DUMP_V2. MP_REACH_NLRI may be the next hop alone (RFC 6396
// 4.3.4) or whole (RFC 4760 section 3), as some dumpers write it. Of a global and a link-local next
// hop (RFC 2545) it is the global one.
[[nodiscard]] tl::expected<PathAttributes, Skip> read_path_attributes(std::string_view octets,
                                                                      Family prefix_family,
                                                                      std::size_t as_octets);

// Not unspecified, multicast, loopback or link-local: an address that a route may lead to.
[[nodiscard]] bool is_usable_next_hop(const IpAddress& address);

}  // namespace rackway::table_file
