// SPDX-License-Identifier: Apache-2.0
// What a lookup returns: a group's short name within one FIB. Ids are given out lowest first, so
// they stay as small as the number of groups in use, and the lookup structures can hold them in one
// octet while that is below 254. Another FIB, also the other side of a LeftRight, may give the same
// group another id.
#pragma once

#include <cstdint>

#include "base/id.hh"

namespace rackway::fib {

using NextHopId = Id<struct NextHopTag, std::uint32_t>;

// What no route but the default route covers. Names of that group under ids of their own, so that a
// change of the default route touches no lookup structure; unreachable if there is none.
inline constexpr NextHopId kIpv4Default{0};
inline constexpr NextHopId kIpv6Default{1};
inline constexpr std::uint32_t kFirstNextHop = 2;  // of those that belong to groups

}  // namespace rackway::fib
