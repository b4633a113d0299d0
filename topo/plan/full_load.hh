// SPDX-License-Identifier: Apache-2.0
// The worst loads of a fabric at once, where that is possible: under Valiant's split over shortest
// ways, what a link carries of the traffic from i to j is a part that depends on i alone plus a
// part that depends on j alone (the two phases). So every matrix in which all nodes send and
// receive all they can, and nobody to himself, loads every link equally, and no admissible matrix
// loads one more. Such a matrix exists if no node has more than half of all rates. Needs one pass
// per target instead of a matching per link; tests hold it equal to the matching.
#pragma once

#include <optional>
#include <vector>

#include "topo/plan/fabric_model.hh"
#include "topo/plan/steering_split.hh"

namespace rackway::plan {

struct Demand {
  NodeId from, to;
  double gbps;
};

struct FullLoad {
  std::vector<double> loads;  // Gb/s by Direction
  bool cut_off{false};
};

// Nothing where the above does not hold: another split, one hop only, or a node too fast.
[[nodiscard]] std::optional<FullLoad> full_load(const FabricModel& model,
                                                const SteeringSplit& split,
                                                const Failures& failures);

// A matrix in which every living node sends and receives its rate, none to itself.
// Nothing if there is none.
[[nodiscard]] std::optional<std::vector<Demand>> full_matrix(const FabricModel& model,
                                                             const Failures& failures);

}  // namespace rackway::plan
