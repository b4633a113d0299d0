// SPDX-License-Identifier: Apache-2.0
// The chain of headers of an IPv6 packet (RFC 8200 section 4): what it ends in and where. For the
// flow hash, punt classes and the rules of ICMP errors, which all ask for the upper layer. A packet
// without extension headers costs one test; a chain is followed for at most kMaxExtensionHeaders.
// Pure functions; nothing behind the packet's own length or the readable octets is looked at.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rackway::node {

inline constexpr std::size_t kIpv6HeaderSize = 40;
// More than any sound packet has: RFC 8200 4.1 recommends each at most once, one of them twice.
inline constexpr int kMaxExtensionHeaders = 8;

enum class ChainEnd : std::uint8_t {
  upper_layer,     // the chain is whole; `protocol` begins at `offset`
  later_fragment,  // a fragment other than the first: at `offset` is data of somewhere in the
                   // middle
  malformed,       // the packet ends within its chain, or hop-by-hop options are not its first
  out_of_reach,    // longer than kMaxExtensionHeaders or than what is readable
};

struct Ipv6Chain {
  ChainEnd end = ChainEnd::upper_layer;
  bool fragment = false;  // a fragment header was seen, of an atomic fragment (RFC 6946) as well
  // Of a later fragment: what its fragment header names, which is an extension header if the first
  // fragment goes on with one. Where the chain could not be followed: of the header there.
  std::uint8_t protocol{};
  // Octets from the packet's first one. In an unreadable part if the last extension header reaches
  // into it: the reader of the upper layer checks it.
  std::uint32_t offset = kIpv6HeaderSize;

  // The same for every fragment of a packet, unlike `protocol`.
  [[nodiscard]] std::uint8_t flow_protocol() const noexcept { return fragment ? 44 : protocol; }
  bool operator==(const Ipv6Chain&) const = default;
};

// Those of IANA's registry whose length can be told. ESP (50) hides what follows and "no next
// header" (59) has nothing behind it: both are ends.
[[nodiscard]] constexpr bool is_extension_header(std::uint8_t protocol) noexcept {
  switch (protocol) {
    case 0:    // hop-by-hop options
    case 43:   // routing
    case 44:   // fragment
    case 51:   // authentication, RFC 4302
    case 60:   // destination options
    case 135:  // mobility, RFC 6275
    case 139:  // HIP, RFC 7401
    case 140:  // shim6, RFC 5533
      return true;
    default: return false;
  }
}

[[nodiscard]] Ipv6Chain follow_extension_headers(const std::uint8_t* packet,
                                                 std::size_t readable) noexcept;

// packet: an IPv6 header and what follows, `readable` octets of it, at least the header's 40.
[[nodiscard]] inline Ipv6Chain ipv6_chain(const std::uint8_t* packet,
                                          std::size_t readable) noexcept {
  constexpr int kNextHeader = 6;
  if (!is_extension_header(packet[kNextHeader])) [[likely]] {
    return {.protocol = packet[kNextHeader]};
  }
  return follow_extension_headers(packet, readable);
}

}  // namespace rackway::node
