// SPDX-License-Identifier: Apache-2.0
// Which share of the traffic between each two nodes crosses a given direction of a link, for a
// fabric, what failed in it, and how steering splits. The load of the link under any traffic matrix
// is the sum of the shares times the matrix; the guarantee looks for the worst one.
#pragma once

#include <memory>
#include <vector>

#include "topo/plan/fabric_model.hh"
#include "topo/plan/steering_split.hh"
#include "topo/plan/transportation.hh"

namespace rackway::plan {

class LinkShares {
 public:
  virtual ~LinkShares() = default;
  // Some two living nodes with external ports have no path at all.
  [[nodiscard]] virtual bool cut_off() const = 0;
  // The two nodes, if cut_off().
  [[nodiscard]] virtual WeightedPair cut_pair() const = 0;
  // Pairs may occur several times; their shares add up. Empty for a dead link.
  [[nodiscard]] virtual std::vector<WeightedPair> of(Direction direction) const = 0;
};

// For either kind of fabric. The model and the split must outlive it.
[[nodiscard]] std::unique_ptr<LinkShares> link_shares(const FabricModel& model,
                                                      const SteeringSplit& split,
                                                      const Failures& failures);
[[nodiscard]] std::unique_ptr<LinkShares> one_hop_shares(const FabricModel& model,
                                                         const SteeringSplit& split,
                                                         const Failures& failures);
// Keeps the shares of all pairs on all links: for fabrics of up to some hundred nodes.
[[nodiscard]] std::unique_ptr<LinkShares> shortest_way_shares(const FabricModel& model,
                                                              const SteeringSplit& split,
                                                              const Failures& failures);

}  // namespace rackway::plan
