// SPDX-License-Identifier: Apache-2.0
// Cuts an IPv4 packet into fragments (RFC 791 3.2): frames of one segment each, that begin with a
// copy of whatever is in front of the packet in its frame. All of them or none; the packet's frame
// is not changed and stays the caller's. TTL, TOS and id are the packet's, options without the
// copied flag are in the first fragment only, a fragment is cut into fragments of the same whole.
// No state.
// Own code, as DPDK's librte_ip_frag leaves the header checksum zero, takes padding for payload,
// and lets the offset of a fragment run over into the flags.
#pragma once

#include <rte_mbuf.h>

#include <cstdint>
#include <span>

#include "node/ip_packet.hh"

namespace rackway::node {

inline constexpr std::uint16_t kSmallestIpv4Mtu = 68;  // RFC 791: the longest header and 8 octets

enum class FragmentFault : std::uint8_t {
  none,
  dont_fragment,  // its DF flag is set
  malformed,      // its options, or it would end behind octet 65,535 of the whole
  mtu_too_small,  // less than kSmallestIpv4Mtu, the pool's buffers included
  too_many,       // more fragments than `out` holds
  no_buffers,     // the pool has not that many
};

struct Fragments {
  std::uint16_t count{};  // in `out`; zero unless fault is none
  FragmentFault fault{};
  bool operator==(const Fragments&) const = default;
};

// mtu: octets of IP. A packet that fits gives one fragment, a copy without padding.
[[nodiscard]] Fragments fragment_ipv4(const IpPacket& packet, std::uint16_t mtu, rte_mempool& pool,
                                      std::span<rte_mbuf*> out) noexcept;

}  // namespace rackway::node
