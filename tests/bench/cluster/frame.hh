// SPDX-License-Identifier: Apache-2.0
// A generated packet as octets: Ethernet, IPv4, UDP, and in the payload what the meter asks for.
// Its addresses and ports say which flow it is of, so that a node's own hash tells flows apart, and
// its destination lies behind its egress node. 60 octets at least (64 with the check sequence).
#pragma once

#include <rte_mbuf.h>

#include <cstdint>

#include "base/ip_address.hh"
#include "base/mac_address.hh"
#include "vlb/traffic/packet.hh"

namespace rackway::bench {

inline constexpr unsigned kCheckSequence = 4;  // octets of a frame that are not in a buffer
inline constexpr MacAddress kRouterMac{{0x02, 0, 0, 0, 0, 0x01}};
inline constexpr std::uint8_t kTtl = 64;

// Behind each node are 256 networks /24 of one /16.
[[nodiscard]] constexpr Ipv4Address network_of(NodeId egress) {
  return {20u << 24 | std::uint32_t{egress.value} << 16};
}

// The neighbour of a node's external port.
[[nodiscard]] constexpr MacAddress neighbor_of(NodeId egress) {
  return {{0x02, 0xaa, 0, 0, static_cast<std::uint8_t>(egress.value >> 8),
           static_cast<std::uint8_t>(egress.value)}};
}

// What a node makes of its addresses and ports.
[[nodiscard]] std::uint32_t flow_hash_of(const traffic::Packet& packet);

// Into an empty buffer with room for it.
void write_frame(const traffic::Packet& packet, rte_mbuf& frame);
// What was written, from anywhere on its way.
[[nodiscard]] traffic::Packet read_frame(const rte_mbuf& frame);
// A frame on a fabric link: it goes on to another node from `here`.
[[nodiscard]] bool is_relayed(const rte_mbuf& frame, NodeId here);
// As it leaves the cluster: one hop counted on all its way, to the neighbour behind its egress
// node.
[[nodiscard]] bool is_delivered_well(const rte_mbuf& frame, const traffic::Packet& packet,
                                     NodeId egress);

}  // namespace rackway::bench
