// SPDX-License-Identifier: Apache-2.0
// The hash of a flow: addresses, protocol, and ports where every packet of the flow has them.
// Fragments hash without ports, so that all fragments of one datagram go the same way. CRC-32C by
// the processor's own instruction, eight octets at a time.
#pragma once

#include <nmmintrin.h>

#include <array>
#include <cstdint>
#include <cstring>

namespace rackway::node {

// By protocol: all ones for transport protocols that begin with two port numbers, so that it masks
// them: TCP, UDP, DCCP, SCTP, UDP-Lite.
inline constexpr auto kPortMasks = [] {
  std::array<std::uint32_t, 256> masks{};
  for (const std::size_t protocol : {6, 17, 33, 132, 136}) masks[protocol] = ~0u;
  return masks;
}();

[[nodiscard]] inline bool has_ports(std::uint8_t protocol) noexcept {
  return kPortMasks[protocol] != 0;
}

// addresses: source and destination as they are in the header (8 or 32 octets). ports: the first
// four octets of the transport header as they lie in memory, 0 for flows without.
template <std::size_t Size>
[[nodiscard]] inline std::uint32_t hash_flow(const std::uint8_t* addresses, std::uint32_t ports,
                                             std::uint8_t protocol) noexcept {
  static_assert(Size % 8 == 0);
  std::uint64_t hash = 0;
  for (std::size_t at = 0; at < Size; at += 8) {
    std::uint64_t word;
    std::memcpy(&word, addresses + at, 8);
    hash = _mm_crc32_u64(hash, word);
  }
  hash = _mm_crc32_u64(hash, std::uint64_t{protocol} << 32 | ports);
  return static_cast<std::uint32_t>(hash);
}

}  // namespace rackway::node
