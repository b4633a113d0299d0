// SPDX-License-Identifier: Apache-2.0
// The scenarios that both the simulator and the cluster in one process run: full meshes of equal
// nodes, links of so many times 2r/N. Plain values.
#pragma once

#include "vlb/simulator/scenario.hh"

namespace rackway::bench {

struct MeshCase {
  std::size_t nodes{4};
  double rate{10e9};  // of a node's external ports, bits/s
  traffic::MatrixKind matrix{traffic::MatrixKind::uniform};
  double load{0.8};           // of what is admissible
  double links_of_2r_n{1.0};  // rate of a link, in units of 2r/N
  topo::SteeringMode mode{topo::SteeringMode::adaptive};
};

[[nodiscard]] simulator::Scenario mesh_scenario(const MeshCase& of);

}  // namespace rackway::bench
