// SPDX-License-Identifier: Apache-2.0
// The hash of a flow: addresses, protocol, and ports where every packet of the flow has them.
// Fragments hash without ports, so that all fragments of one datagram go the same way. The fields
// of a burst lie in columns and are hashed all at once, several to a vector register: products and
// shifts of 32 bits only.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

namespace rackway::node {

// By slot. Octets as they are in the header; what matters is only that equal flows have equal ones.
struct FlowFields {
  static constexpr std::size_t kSlots = 64;
  using Column = std::array<std::uint32_t, kSlots>;
  alignas(64) Column source;  // an IPv6 address folded, see fold_ipv6()
  alignas(64) Column destination;
  alignas(64) Column ports;  // 0 where the flow has none
  alignas(64) Column protocol;
};

// An IPv6 address in 32 bits.
[[nodiscard]] inline std::uint32_t fold_ipv6(const std::uint8_t* address) noexcept {
  std::uint64_t high, low;
  std::memcpy(&high, address, 8);
  std::memcpy(&low, address + 8, 8);
  const std::uint64_t mixed = high * 0x9e3779b97f4a7c15u + low;
  return static_cast<std::uint32_t>(mixed * 0xbf58476d1ce4e5b9u >> 32);
}

// A multilinear sum with odd factors, then every bit spread over all (the last steps of
// MurmurHash3, A. Appleby, public domain).
[[nodiscard]] inline std::uint32_t hash_flow(std::uint32_t source, std::uint32_t destination,
                                             std::uint32_t ports, std::uint32_t protocol) noexcept {
  std::uint32_t hash = source * 0x9e3779b1u + destination * 0x85ebca77u + ports * 0xc2b2ae3du +
                       protocol * 0x27d4eb2fu;
  hash = (hash ^ hash >> 16) * 0x85ebca6bu;
  hash = (hash ^ hash >> 13) * 0xc2b2ae35u;
  return hash ^ hash >> 16;
}

// hashes[i] for the fields of slot i < count.
inline void hash_flows(const FlowFields& flow, std::size_t count, std::uint32_t* hashes) noexcept {
  for (std::size_t i = 0; i < count; ++i) {
    hashes[i] = hash_flow(flow.source[i], flow.destination[i], flow.ports[i], flow.protocol[i]);
  }
}

// Transport protocols that begin with two port numbers: TCP, UDP, DCCP, SCTP, UDP-Lite.
[[nodiscard]] inline bool has_ports(std::uint8_t protocol) noexcept {
  constexpr std::array<std::uint64_t, 4> kPorts{1ull << 6 | 1ull << 17 | 1ull << 33, 0,
                                                1ull << (132 - 128) | 1ull << (136 - 128), 0};
  return (kPorts[protocol >> 6] >> (protocol & 63) & 1) != 0;
}

}  // namespace rackway::node
