// SPDX-License-Identifier: Apache-2.0
// What is done to a frame's octets when it goes on: TTL down by one (ingress node), the MACs of its
// adjacency (egress node). A few loads and stores each; no checks.
#pragma once

#include <rte_ether.h>
#include <rte_ip.h>

#include <cstdint>
#include <cstring>

#include "base/byte_order.hh"
#include "base/mac_address.hh"
#include "fib/fib.hh"

namespace rackway::node {

// RFC 1812 5.3.1; the checksum follows by RFC 1624. A ones' complement sum does not mind the order
// of octets (RFC 1071 2 B), so the word is taken as it lies: TTL is the low octet of its word
// there, one less of it is one more of the checksum, with the carry taken around. A sum of all ones
// is carried too, as the checksum of a header that is not all zero is never that. TTL is at
// least 1.
inline void decrement_ipv4_ttl(std::uint8_t* frame) noexcept {
  std::uint8_t* const at = frame + RTE_ETHER_HDR_LEN + 8;  // TTL, protocol, checksum
  std::uint32_t word;
  std::memcpy(&word, at, sizeof word);
  std::uint32_t checksum = (word >> 16) + 1;
  checksum += static_cast<std::uint32_t>(checksum >= 0xffff);
  word = checksum << 16 | ((word - 1) & 0xffff);
  std::memcpy(at, &word, sizeof word);
}

inline void decrement_ipv6_hop_limit(std::uint8_t* frame) noexcept {
  --frame[RTE_ETHER_HDR_LEN + 7];
}

// A MAC address in the low six octets of an integer, as it lies in memory.
[[nodiscard]] inline std::uint64_t mac_word(const MacAddress& mac) noexcept {
  std::uint64_t word = 0;
  std::memcpy(&word, mac.bytes.data(), mac.bytes.size());
  return word;
}

// Both MAC addresses of a frame in two stores.
inline void write_macs(std::uint8_t* frame, std::uint64_t destination,
                       std::uint64_t source) noexcept {
  const std::uint64_t first = (destination & 0xffff'ffff'ffff) | source << 48;
  const auto rest = static_cast<std::uint32_t>(source >> 16);
  std::memcpy(frame, &first, sizeof first);
  std::memcpy(frame + 8, &rest, sizeof rest);
}

// Octets of the IP packet in a frame whose header has been checked, padding not counted.
[[nodiscard]] inline std::uint32_t ipv4_size(const std::uint8_t* frame) noexcept {
  return load_be<std::uint16_t>(frame + RTE_ETHER_HDR_LEN + 2);
}
[[nodiscard]] inline std::uint32_t ipv6_size(const std::uint8_t* frame) noexcept {
  return load_be<std::uint16_t>(frame + RTE_ETHER_HDR_LEN + 4) +
         std::uint32_t{sizeof(rte_ipv6_hdr)};
}

}  // namespace rackway::node
