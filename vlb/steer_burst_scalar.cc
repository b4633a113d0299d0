// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>

#include "fib/processor.hh"
#include "vlb/steer_burst.hh"

namespace rackway::vlb {
namespace {

// By the queues of this node's own links, which nobody else's news is fresh enough for.
PathIndex begin_at(const SteeringColumns& by, std::size_t row, std::uint32_t hash) {
  const std::uint32_t spread = spread_of(hash);
  const std::size_t second = row + (spread >> 16 & 0xff);
  const PathIndex one = by.places[row + (spread >> 24)];
  if (!by.better_of_two || one == 0) return one;
  const bool differ = by.places[second] != one;
  const PathIndex two = differ ? by.places[second] : by.relays[second];
  if (two == 0) return one;
  const auto behind = [&](PathIndex path) { return by.backlog[by.paths[path].link]; };
  return behind(two) + (differ ? kClearlyLess : kWorthARelay) < behind(one) ? two : one;
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
    const std::size_t row = std::min<std::size_t>(egress[i].value, by.nodes) * kPlaces;
    const PathIndex path = (alone >> i & 1) != 0
                               ? begin_at(by, row, flow_hash[i] ^ another_place(now))
                               : by.places[row + (spread_of(flow_hash[i]) >> 24)];
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
