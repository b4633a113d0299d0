// SPDX-License-Identifier: Apache-2.0
// The transportation problem: how much to move from each source to each sink so that the sum of
// amount times weight is greatest, when no source gives and no sink takes more than its bound. With
// all bounds equal it is the maximum-weight matching of a bipartite graph. Exact: successive best
// augmenting paths, found with potentials (Ahuja, Magnanti, Orlin, Network Flows, 1993, 9.7).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rackway::plan {

struct WeightedPair {
  std::uint32_t from, to;
  double weight;  // per unit that is moved; pairs that are not named have weight 0
};

struct Shipment {
  std::uint32_t from, to;
  double amount;
};

struct Transport {
  double value;  // sum of amount times weight
  std::vector<Shipment> shipments;
};

// supply[i] and demand[j] are the bounds, not negative. Pairs that are named several times count
// with the sum of their weights.
[[nodiscard]] Transport best_transport(std::span<const double> supply,
                                       std::span<const double> demand,
                                       std::span<const WeightedPair> pairs);

}  // namespace rackway::plan
