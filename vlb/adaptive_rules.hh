// SPDX-License-Identifier: Apache-2.0
// The numbers of adaptive dealing (docs/vlb.md), for those who deal places and those who reckon
// with rates.
#pragma once

namespace rackway::vlb::adaptive {

// Shares of a link's rate.
inline constexpr float kFull = 0.90f;   // more than that, and relays are asked
inline constexpr float kRoom = 0.87f;   // less than that, and relays are not needed
inline constexpr float kClear = 0.02f;  // loads that differ by less are equal
inline constexpr float kIdle = 0.60f;   // below, relays are not levelled

// Fractions a microsecond. What follows own links alone may be fast; what follows the loads that
// others tell must be slow against the time that news takes, about 15 ms.
inline constexpr float kRelieve = 0.4e-3f;
inline constexpr float kReturn = 0.02e-3f;
inline constexpr float kLevel = 0.02e-3f;

}  // namespace rackway::vlb::adaptive
