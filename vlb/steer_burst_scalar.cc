// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <bit>

#include "fib/processor.hh"
#include "vlb/steer_burst.hh"

namespace rackway::vlb {
namespace {

// By the queues of this node's own links, which nobody else's news is fresh enough for.
PathIndex begin_at(const SteeringColumns& by, const PathIndex* places, std::uint32_t hash) {
  const std::uint32_t spread = spread_of(hash);
  const PathIndex one = places[spread >> 24], two = places[spread >> 16 & 0xff];
  if (!by.better_of_two || one == two || (one == 0) | (two == 0)) return one;
  const auto behind = [&](PathIndex path) { return by.backlog[by.paths[path].link]; };
  return behind(two) + kClearlyLess < behind(one) ? two : one;
}

// Passes, so that the loads of the flowlets do not wait for each other's stores, and that most
// packets, whose flowlet goes on, need no more than their entry.
void steer(const SteeringColumns& by, const NodeId* egress, const std::uint32_t* flow_hash,
           std::size_t count, Time now, Path* paths) noexcept {
  std::array<std::uint32_t, kMaxBurst> index;
  std::array<FlowletTable::Entry, kMaxBurst> flowlet;
  for (std::size_t i = 0; i < count; ++i) {
    index[i] = FlowletTable::index(flow_hash[i], egress[i]);
    flowlet[i] = by.flowlets[index[i]];
  }
  std::uint64_t begins = 0, alone = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const FlowletTable::Entry known = flowlet[i];
    const bool within = now - known.last() < by.patience[known.path()];
    const bool same = known.egress() == egress[i];
    begins |= std::uint64_t{!(within & same)} << i;
    alone |= std::uint64_t{!within} << i;
    flowlet[i] = {now, known.path(), egress[i]};
    paths[i] = by.paths[known.path()];
  }
  // Where the entry is another flow's who is under way a flow takes its own place each time, lest
  // it change its path without a pause.
  for (; begins != 0; begins &= begins - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(begins));
    const std::uint32_t row = egress[i].value < by.nodes ? egress[i].value : by.nodes;
    const PathIndex* const places = by.places + row * kPlaces;
    const PathIndex path = (alone >> i & 1) != 0
                               ? begin_at(by, places, flow_hash[i] ^ another_place(now))
                               : places[spread_of(flow_hash[i]) >> 24];
    flowlet[i] = {now, path, egress[i]};
    paths[i] = by.paths[path];
  }
  for (std::size_t i = 0; i < count; ++i) by.flowlets[index[i]] = flowlet[i];
}

}  // namespace

SteerBurst steer_burst_scalar() noexcept {
  return steer;
}

SteerBurst choose_steer_burst() noexcept {
  return fib::runs_avx512() ? steer_burst_avx512() : steer_burst_scalar();
}

}  // namespace rackway::vlb
