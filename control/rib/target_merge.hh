// SPDX-License-Identifier: Apache-2.0
// What several next hops come to that each lead somewhere: one target, each next hop's share of the
// traffic divided as its own target divides it. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "control/route_plan.hh"

namespace rackway::control {

struct WeightedTarget {
  Target target;           // forward, blackhole, unreachable or prohibit
  std::uint16_t weight{};  // 1..65535
};

// Those that forward decide; without any, the kind that is first in GroupKind. Nothing of nothing.
// Weights have no common divisor, and are rounded where 16 bits do not do; of more neighbours than
// a group has room for the first are taken.
[[nodiscard]] std::optional<Target> merge_targets(const std::vector<WeightedTarget>& targets);

}  // namespace rackway::control
