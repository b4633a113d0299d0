// SPDX-License-Identifier: Apache-2.0
// The hash of a flow: addresses, protocol, and ports where every packet of the flow has them.
// Fragments hash without ports, so that all fragments of one datagram go the same way.
#pragma once

#include <rte_hash_crc.h>

#include <cstdint>
#include <cstring>

namespace rackway::node {

// addresses: source and destination as they are in the header (8 or 32 octets).
template <std::size_t Size>
[[nodiscard]] inline std::uint32_t hash_addresses(const std::uint8_t* addresses,
                                                  std::uint8_t protocol) noexcept {
  static_assert(Size % 8 == 0);
  std::uint32_t hash = protocol;
  for (std::size_t at = 0; at < Size; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, addresses + at, 8);
    hash = rte_hash_crc_8byte(word, hash);
  }
  return hash;
}

// ports: source and destination port, the first four octets of the transport header.
[[nodiscard]] inline std::uint32_t hash_ports(std::uint32_t hash,
                                              const std::uint8_t* ports) noexcept {
  std::uint32_t word;
  std::memcpy(&word, ports, 4);
  return rte_hash_crc_4byte(word, hash);
}

// Transport protocols that begin with two port numbers.
[[nodiscard]] inline bool has_ports(std::uint8_t protocol) noexcept {
  return protocol == 6 || protocol == 17 || protocol == 132 || protocol == 33 || protocol == 136;
}

}  // namespace rackway::node
