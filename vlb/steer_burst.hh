// SPDX-License-Identifier: Apache-2.0
// The paths of a burst's packets, and their flowlets as they are from then on: Steering::choose()'s
// work, in two forms that give the same. The one for AVX-512 looks at sixteen packets at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/id.hh"
#include "vlb/flowlet_table.hh"
#include "vlb/link_backlog.hh"
#include "vlb/path_list.hh"
#include "vlb/places.hh"

namespace rackway::vlb {

// What packets are steered by; all of it is Steering's. Columns of 16 bits have a value more than
// is used, as vectors load 32 at a time.
struct SteeringColumns {
  FlowletTable::Entry* flowlets;
  const Time* patience;     // by PathIndex: a pause so long ends a flowlet; 0 on a dead path
  const PathIndex* places;  // kPlaces for each node, then as many for all others: 0
  const PathIndex* relays;  // as places, but for relays alone, in their shares; 0: none is open
  const Path* paths;        // by PathIndex
  const Backlog* backlog;   // by local link, then that of no link: 0
  std::uint32_t nodes, links;
  bool better_of_two;  // a flowlet begins at that of two places whose link is less behind
};

inline constexpr std::size_t kMaxBurst = 64;
// A link is less behind than another if it is so by more than this. Two places of one path are both
// behind; then a relay is asked, which others pay for, and which must be worth more.
inline constexpr Backlog kClearlyLess = 5, kWorthARelay = 20;

// The flow hash also picks the member of a next-hop group and the flowlet's entry; the path may not
// follow from those. A product brings every lower bit into the upper ones: of the 32, the first
// eight are a place, and the next eight another.
inline constexpr std::uint32_t kSpread = 0x2c1b3c6d;
[[nodiscard]] constexpr std::uint32_t spread_of(std::uint32_t hash) noexcept {
  return (hash ^ hash >> 15) * kSpread;
}
// Goes into the hash of a flowlet that begins, so that a flow takes another place than before.
[[nodiscard]] constexpr std::uint32_t another_place(Time now) noexcept {
  return now * 0x9e3779b1u;
}

// paths[i] for a packet to egress[i] of the flow of flow_hash[i], i < count <= kMaxBurst. Flowlets
// are as they were before the burst.
using SteerBurst = void (*)(const SteeringColumns& by, const NodeId* egress,
                            const std::uint32_t* flow_hash, std::size_t count, Time now,
                            Path* paths) noexcept;
[[nodiscard]] SteerBurst steer_burst_scalar() noexcept;
[[nodiscard]] SteerBurst steer_burst_avx512() noexcept;
// The best that this processor runs.
[[nodiscard]] SteerBurst choose_steer_burst() noexcept;

}  // namespace rackway::vlb
