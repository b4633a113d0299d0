// SPDX-License-Identifier: Apache-2.0
// The report of `rackway sim`: for people, and as JSON with everything in it.
#pragma once

#include <string>

#include "topo/cluster_document.hh"
#include "vlb/simulator/report.hh"
#include "vlb/traffic/recording.hh"

namespace rackway::cli {

// replayed: where the packets came from, if they were not made.
[[nodiscard]] std::string sim_text(const simulator::Report& report,
                                   const traffic::Recording* replayed);
[[nodiscard]] std::string sim_json(const simulator::Report& report,
                                   const topo::ClusterDocument& document,
                                   const traffic::Recording* replayed);

}  // namespace rackway::cli
