// SPDX-License-Identifier: Apache-2.0
// Which punt class a packet to the router itself belongs to, by its transport header.
#pragma once

#include <cstdint>

#include "base/byte_order.hh"
#include "cluster/drop_reason.hh"
#include "node/ipv6_chain.hh"

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

// packet: an IPv6 header and what follows, `readable` octets of it, padding not counted. By the
// upper layer, wherever it begins; a later fragment has no ports.
[[nodiscard]] inline cluster::PuntClass local_class_ipv6(const std::uint8_t* packet,
                                                         std::size_t readable) noexcept {
  const Ipv6Chain chain = ipv6_chain(packet, readable);
  const bool in_reach = chain.end == ChainEnd::upper_layer && chain.offset < readable;
  return local_class(chain.protocol, packet + (in_reach ? chain.offset : 0),
                     in_reach ? readable - chain.offset : 0);
}

}  // namespace rackway::node
