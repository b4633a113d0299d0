// SPDX-License-Identifier: Apache-2.0
// Servers needed against external ports, as Figure 3 of RouteBricks (SOSP 2009) has it: for some
// server models, how many servers the smallest cluster has, and up to how many ports a full mesh
// does it. Without regard to failures.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topo/plan/planner.hh"

namespace rackway::plan {

struct Transition {
  std::string server;
  Mbps rate;                             // of the external ports
  std::optional<unsigned> largest_mesh;  // external ports; 0: none; nothing: not looked for
  struct Point {
    unsigned ports;
    std::optional<unsigned> servers;
    FabricKind kind;
  };
  std::vector<Point> points;
};

// The smallest cluster for so many ports.
[[nodiscard]] Transition::Point transition_point(const Catalogue& catalogue,
                                                 const std::string& server, Mbps rate,
                                                 const PacketMix& packets, unsigned cables_per_link,
                                                 unsigned ports);

// From 4 ports on, doubled up to `most_ports`; and the largest mesh.
[[nodiscard]] Transition transition(const Catalogue& catalogue, const std::string& server,
                                    Mbps rate, const PacketMix& packets, unsigned cables_per_link,
                                    unsigned most_ports);

}  // namespace rackway::plan
