// SPDX-License-Identifier: Apache-2.0
// What of a captured packet says whose it is: hashes of its addresses and of its flow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace rackway::traffic {

struct IpFlow {
  std::uint64_t source, destination;  // hashes of the addresses
  std::uint64_t flow;                 // of addresses, protocol and ports
  bool operator==(const IpFlow&) const = default;
};

// Of what was captured, from the IP header on. Nothing unless the header is there, version 4 (RFC
// 791) or 6 (RFC 8200). Ports are those of TCP, UDP, UDP-Lite, DCCP and SCTP right behind the
// header; behind an IPv6 extension header they are not looked for.
[[nodiscard]] std::optional<IpFlow> ip_flow(std::span<const std::uint8_t> packet);

// Where the IP header of an Ethernet frame begins, behind up to two VLAN tags (IEEE 802.1Q,
// 802.1ad). Nothing for other frames.
[[nodiscard]] std::optional<std::size_t> ip_in_ethernet(std::span<const std::uint8_t> frame);

}  // namespace rackway::traffic
