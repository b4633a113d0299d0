// SPDX-License-Identifier: Apache-2.0
// The report of `rackway sim`: for people, and as JSON with everything in it.
#pragma once

#include <string>

#include "topo/cluster_document.hh"
#include "vlb/simulator/report.hh"

namespace rackway::cli {

[[nodiscard]] std::string sim_text(const simulator::Report& report);
[[nodiscard]] std::string sim_json(const simulator::Report& report,
                                   const topo::ClusterDocument& document);

}  // namespace rackway::cli
