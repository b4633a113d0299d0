// SPDX-License-Identifier: Apache-2.0
// Which punt class a packet to the router itself belongs to, by its transport header.
#pragma once

#include <cstdint>

#include "base/byte_order.hh"
#include "cluster/drop_reason.hh"

namespace rackway::node {

// payload: the transport header, at least `size` octets of it readable.
[[nodiscard]] inline cluster::PuntClass local_class(std::uint8_t protocol,
                                                    const std::uint8_t* payload,
                                                    std::size_t size) noexcept {
  constexpr std::uint16_t kBgp = 179, kBfd = 3784, kBfdMultihop = 4784;
  constexpr std::uint8_t kIcmp = 1, kTcp = 6, kUdp = 17, kIcmpv6 = 58, kOspf = 89, kVrrp = 112;
  using cluster::PuntClass;
  if (protocol == kIcmp || protocol == kIcmpv6) return PuntClass::icmp;
  if (protocol == kOspf || protocol == kVrrp) return PuntClass::routing;
  if ((protocol == kTcp || protocol == kUdp) && size >= 4) {
    const auto source = load_be<std::uint16_t>(payload);
    const auto destination = load_be<std::uint16_t>(payload + 2);
    if (protocol == kTcp && (source == kBgp || destination == kBgp)) return PuntClass::routing;
    if (protocol == kUdp && (destination == kBfd || destination == kBfdMultihop)) {
      return PuntClass::routing;
    }
  }
  return PuntClass::other;
}

}  // namespace rackway::node
