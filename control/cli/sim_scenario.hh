// SPDX-License-Identifier: Apache-2.0
// A cluster document and arguments of `rackway sim` as a scenario of the simulator.
#pragma once

#include "base/result.hh"
#include "control/cli/sim_arguments.hh"
#include "topo/cluster_document.hh"
#include "vlb/simulator/scenario.hh"

namespace rackway::cli {

// What it steers by: the arguments' mode, else the document's.
[[nodiscard]] topo::SteeringMode sim_mode(const SimArguments& arguments,
                                          const topo::ClusterDocument& document);
// An error for a fault of something that is not in the document, for a cluster without traffic, for
// a capture that can not be read, and for a worst matrix that is not to be found.
[[nodiscard]] Result<simulator::Scenario> sim_scenario(const SimArguments& arguments,
                                                       const topo::ClusterDocument& document);

}  // namespace rackway::cli
