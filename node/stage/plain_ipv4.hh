// SPDX-License-Identifier: Apache-2.0
// Which frames are plain IPv4, and their facts: PlainCheck's work for one family, in two forms that
// give the same. The one for AVX-512 looks at eight frames at once.
#pragma once

#include <cstring>

#include "node/burst.hh"

namespace rackway::node {

// Of the slots given, which are plain; their facts are set, those of slots not given are not
// touched. mac: of the port, see mac_word().
using PlainIpv4 = Mask (*)(Burst& burst, Mask slots, std::uint64_t mac) noexcept;

[[nodiscard]] Mask plain_ipv4_scalar(Burst& burst, Mask slots, std::uint64_t mac) noexcept;
[[nodiscard]] Mask plain_ipv4_avx512(Burst& burst, Mask slots, std::uint64_t mac) noexcept;

// The best that this processor runs.
[[nodiscard]] PlainIpv4 choose_plain_ipv4() noexcept;

inline constexpr std::uint16_t kLeastPlainFrame = 60;  // of Ethernet; shorter ones need care

// 0 for a frame to this MAC, untagged; the address is compared in one go. Also for IPv6.
[[nodiscard]] inline std::uint64_t not_ours(const rte_mbuf& frame, const std::uint8_t* octets,
                                            std::uint64_t mac) noexcept {
  std::uint64_t destination;  // and two octets more
  std::memcpy(&destination, octets, sizeof destination);
  return (destination ^ mac) << 16 | (frame.ol_flags & RTE_MBUF_F_RX_VLAN);
}

}  // namespace rackway::node
