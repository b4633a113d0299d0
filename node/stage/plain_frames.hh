// SPDX-License-Identifier: Apache-2.0
// Which frames are plain, and their facts: PlainCheck's work for each family, in two forms that
// give the same. The one for AVX-512 looks at eight frames at once.
#pragma once

#include <array>

#include "node/burst.hh"

namespace rackway::node {

// Of the slots given, which are plain; their facts are set, those of slots not given are not
// touched. mac: of the port, see mac_word().
using PlainAmong = Mask (*)(Burst& burst, Mask slots, std::uint64_t mac) noexcept;

struct PlainFrames {
  PlainAmong ipv4, ipv6;
};
[[nodiscard]] PlainFrames plain_frames_scalar() noexcept;
[[nodiscard]] PlainFrames plain_frames_avx512() noexcept;
// The best that this processor runs.
[[nodiscard]] PlainFrames choose_plain_frames() noexcept;

inline constexpr std::uint16_t kLeastPlainFrame = 60;  // of Ethernet; shorter ones need care

// The first half of 169.254.0.0/16 (RFC 3927) as it lies in memory; such addresses need care.
inline constexpr std::uint16_t kLinkLocalIpv4 = 0xfea9;

// Next headers of IPv6 with rules of their own: extension headers (RFC 8200 4, IANA), and ICMPv6,
// of which neighbour discovery is a part.
inline constexpr std::array<std::uint8_t, 13> kNextHeadersWithRules{0,  43,  44,  50,  51,  58, 59,
                                                                    60, 135, 139, 140, 253, 254};

}  // namespace rackway::node
