// SPDX-License-Identifier: Apache-2.0
#include "control/rib/target_merge.hh"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace rackway::control {
namespace {

// So that products with two weights, summed over a group, stay within 64 bits.
constexpr std::uint64_t kMostUnits = std::uint64_t{1} << 22;

std::uint64_t sum_of_weights(const Target& target) {
  std::uint64_t sum = 0;
  for (const auto& hop : target.next_hops) sum += hop.weight;
  return sum;
}

// Into how many equal units every next hop's share can be cut.
std::uint64_t units_of(const std::vector<WeightedTarget>& targets) {
  std::uint64_t units = 1;
  for (const auto& [target, weight] : targets) {
    if (target.kind != fib::GroupKind::forward) continue;
    units = std::lcm(units, sum_of_weights(target));
    if (units > kMostUnits) return kMostUnits;
  }
  return units;
}

std::map<Neighbor, std::uint64_t> shares_of(const std::vector<WeightedTarget>& targets) {
  const auto units = units_of(targets);
  std::map<Neighbor, std::uint64_t> shares;
  for (const auto& [target, weight] : targets) {
    if (target.kind != fib::GroupKind::forward) continue;
    const auto sum = sum_of_weights(target);
    for (const auto& hop : target.next_hops) {
      const auto share = units * hop.weight / sum;
      shares[hop.neighbor] += weight * std::max<std::uint64_t>(share, 1);
    }
  }
  return shares;
}

std::uint16_t scaled(std::uint64_t share, std::uint64_t divisor, std::uint64_t largest) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint16_t>::max();
  share /= divisor;
  largest /= divisor;
  if (largest <= kMost) return static_cast<std::uint16_t>(share);
  const auto rounded =
      static_cast<std::uint64_t>(static_cast<long double>(share) * kMost / largest);
  return static_cast<std::uint16_t>(std::clamp<std::uint64_t>(rounded, 1, kMost));
}

}  // namespace

std::optional<Target> merge_targets(const std::vector<WeightedTarget>& targets) {
  if (targets.empty()) return std::nullopt;
  const auto shares = shares_of(targets);
  if (shares.empty()) {
    return std::ranges::min_element(targets, {}, [](const auto& one) { return one.target.kind; })
        ->target;
  }
  std::uint64_t divisor = 0, largest = 0;
  for (const auto& [neighbor, share] : shares) {
    divisor = std::gcd(divisor, share);
    largest = std::max(largest, share);
  }
  Target merged{fib::GroupKind::forward, {}};
  for (const auto& [neighbor, share] : shares) {
    if (merged.next_hops.size() == fib::kMaxGroupMembers) break;
    merged.next_hops.push_back({neighbor, scaled(share, divisor, largest)});
  }
  return merged;
}

}  // namespace rackway::control
