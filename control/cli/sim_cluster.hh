// SPDX-License-Identifier: Apache-2.0
// The cluster that `rackway sim` simulates, as a document.
#pragma once

#include "control/cli/sim_arguments.hh"
#include "topo/cluster_document.hh"

namespace rackway::cli {

// Reads it, or makes one of a regular shape, which may be larger than a document can. Throws
// StartupError as topo::read_cluster_document().
[[nodiscard]] topo::ClusterDocument sim_cluster(const SimArguments& arguments);

}  // namespace rackway::cli
