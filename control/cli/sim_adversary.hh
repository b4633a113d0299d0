// SPDX-License-Identifier: Apache-2.0
// The traffic matrix that is worst for a way of steering: the one that attains the planner's
// guarantee (topo/plan/guarantee.hh), which loads one link as much as any admissible matrix can,
// filled up with what the other nodes can still send and receive.
#pragma once

#include "base/result.hh"
#include "topo/steering_mode.hh"
#include "vlb/simulator/scenario.hh"

namespace rackway::cli {

// Of a scenario's nodes and links without those that its faults leave dead in the end. Direct
// steering has a matrix of its own, and in a full mesh Direct VLB; of adaptive steering it is that
// of valiant, whose guarantee is its own. An error where no two nodes have a path, or where the
// proof would take too long.
[[nodiscard]] Result<traffic::TrafficMatrix> adversarial_matrix(const simulator::Scenario& scenario,
                                                                topo::SteeringMode mode);

}  // namespace rackway::cli
