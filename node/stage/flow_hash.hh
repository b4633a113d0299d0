// SPDX-License-Identifier: Apache-2.0
// The hash of a flow: addresses, protocol, and ports where every packet of the flow has them.
// Fragments hash without ports, so that all fragments of one datagram go the same way. Products of
// 32 bits and shifts only, so that plain_frames_avx512.cc makes the same of eight packets at once.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace rackway::node {

// By protocol: all ones for transport protocols that begin with two port numbers, so that it masks
// them: TCP, UDP, DCCP, SCTP, UDP-Lite.
inline constexpr std::array<std::uint8_t, 5> kProtocolsWithPorts{6, 17, 33, 132, 136};
inline constexpr auto kPortMasks = [] {
  std::array<std::uint32_t, 256> masks{};
  for (const std::size_t protocol : kProtocolsWithPorts) masks[protocol] = ~0u;
  return masks;
}();

[[nodiscard]] inline bool has_ports(std::uint8_t protocol) noexcept {
  return kPortMasks[protocol] != 0;
}

// Odd, and otherwise of no meaning.
struct FlowHashFactors {
  static constexpr std::uint32_t kSource = 0x9e3779b1, kDestination = 0x85ebca77;
  static constexpr std::uint32_t kPorts = 0xc2b2ae3d, kProtocol = 0x27d4eb2f, kLast = 0x2c1b3c6d;
};

// A multilinear sum (Carter and Wegman's family; Lemire and Kaser, "Strongly universal string
// hashing is fast", 2014), folded, and once more multiplied and folded. All as the octets lie in
// memory; ports: 0 for flows without.
[[nodiscard]] inline std::uint32_t hash_flow(std::uint32_t source, std::uint32_t destination,
                                             std::uint32_t ports, std::uint8_t protocol) noexcept {
  using Factors = FlowHashFactors;
  std::uint64_t hash = std::uint64_t{source} * Factors::kSource +
                       std::uint64_t{destination} * Factors::kDestination +
                       std::uint64_t{ports} * Factors::kPorts +
                       std::uint64_t{protocol} * Factors::kProtocol;
  hash ^= hash >> 32;
  hash = (hash & 0xffffffff) * Factors::kLast;
  return static_cast<std::uint32_t>(hash ^ hash >> 32);
}

struct Ipv6FoldFactors {
  static constexpr std::uint32_t kFirst = 0x9e3779b1, kSecond = 0x85ebca77;
  static constexpr std::uint32_t kThird = 0xc2b2ae3d, kFourth = 0x165667b1;
};

// An IPv6 address in 32 bits, for hash_flow().
[[nodiscard]] inline std::uint32_t fold_ipv6(const std::uint8_t* address) noexcept {
  using Factors = Ipv6FoldFactors;
  std::uint32_t word[4];
  std::memcpy(word, address, sizeof word);
  const std::uint64_t sum =
      std::uint64_t{word[0]} * Factors::kFirst + std::uint64_t{word[1]} * Factors::kSecond +
      std::uint64_t{word[2]} * Factors::kThird + std::uint64_t{word[3]} * Factors::kFourth;
  return static_cast<std::uint32_t>(sum ^ sum >> 32);
}

}  // namespace rackway::node
