// SPDX-License-Identifier: Apache-2.0
// The report of `rackway sim --fluid`: for people, and as JSON with everything in it.
#pragma once

#include <string>

#include "topo/cluster_document.hh"
#include "vlb/simulator/fluid.hh"

namespace rackway::cli {

[[nodiscard]] std::string fluid_text(const simulator::FluidReport& report);
[[nodiscard]] std::string fluid_json(const simulator::FluidReport& report,
                                     const topo::ClusterDocument& document);

}  // namespace rackway::cli
