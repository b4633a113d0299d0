// SPDX-License-Identifier: Apache-2.0
// Shortest ways through what works of a fabric, as fabric tables have them: a node hands on what is
// for a target in equal shares over the links that start a shortest way there.
#pragma once

#include <limits>
#include <vector>

#include "topo/plan/fabric_model.hh"

namespace rackway::plan {

class ShortestWays {
 public:
  struct Step {
    NodeId to;
    Direction direction;
  };
  static constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

  ShortestWays(const FabricModel& model, const Failures& failures);

  // Hops of each node to the target, kFar where there is no way, and the nodes that have one, the
  // nearest first.
  struct Distances {
    std::vector<std::uint32_t> hops;
    std::vector<NodeId> order;
  };
  [[nodiscard]] Distances to(NodeId target) const;

  // Moves what is at the nodes to the target: calls carry(direction, amount) for each link on a
  // way. `amounts` has an entry for each node and is used up.
  template <class Carry>
  void send(const Distances& distances, std::vector<double>& amounts, Carry carry) const {
    for (auto at = distances.order.rbegin(); at != distances.order.rend(); ++at) {
      const double amount = amounts[at->value];
      const auto hops = distances.hops[at->value];
      if (amount <= 0 || hops == 0) continue;
      std::size_t ways = 0;
      for (const auto& step : around_[at->value]) ways += distances.hops[step.to.value] + 1 == hops;
      for (const auto& step : around_[at->value]) {
        if (distances.hops[step.to.value] + 1 != hops) continue;
        const double share = amount / static_cast<double>(ways);
        amounts[step.to.value] += share;
        carry(step.direction, share);
      }
      amounts[at->value] = 0;
    }
  }

 private:
  std::vector<std::vector<Step>> around_;  // what works
};

}  // namespace rackway::plan
