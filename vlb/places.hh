// SPDX-License-Identifier: Apache-2.0
// The 256 places of an egress node: a new flowlet takes the path at its place, so that a path's
// share of the traffic is that of the places it holds.
#pragma once

#include <cstdint>
#include <span>

#include "vlb/path_list.hh"

namespace rackway::vlb {

inline constexpr std::size_t kPlaces = 256;
using Places = std::span<PathIndex, kPlaces>;

// Gives path `first + i` the share that weights[i] has of all weights, to within one place, and
// takes as few places as that needs from those who hold them. Without any weight no place has a
// path.
void deal_by_weight(Places places, PathIndex first, std::span<const double> weights);

}  // namespace rackway::vlb
