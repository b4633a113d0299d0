// SPDX-License-Identifier: Apache-2.0
// The command line of `rackway sim`: a cluster document or a regular shape, the traffic, what fails
// when.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "topo/fabric_shapes.hh"
#include "topo/rate.hh"
#include "topo/steering_mode.hh"
#include "vlb/traffic/traffic_matrix.hh"

namespace rackway::cli {

struct SimArguments {
  std::string document;                    // a file, or empty:
  std::optional<topo::FabricShape> shape;  // nodes n1, n2, ... with a port each
  traffic::MatrixKind matrix{traffic::MatrixKind::uniform};
  bool adversarial{false};                    // the planner's matrix instead
  std::string capture;                        // a file of packets instead; empty: none
  double speed{1};                            // at which that is replayed
  double load{0.8};                           // of what is admissible
  std::string sizes{"imix"};                  // or octets of every frame
  std::string mix{"heavy-tailed"};            // or steady
  std::uint32_t flows{64};                    // at a time, of each pair of nodes
  std::optional<topo::SteeringMode> mode;     // else the document's
  topo::Mbps port_rate{10'000};               // of ports whose rate the document does not say
  topo::Mbps link_rate{10'000};               // the same of links
  std::optional<double> warm_up_ms, time_ms;  // 50 and 50; of a capture 0 and all of it
  double hello_ms{10};
  std::vector<std::string> fail, repair;  // WHAT@MS
  double ingress_ns{0}, relay_ns{0}, egress_ns{0};
  std::uint64_t seed{1};
  bool fluid{false};  // rates, not packets
  bool json{false};
};

// argv[0] is "sim". Without a value there is nothing to run and this is the exit code.
[[nodiscard]] tl::expected<SimArguments, int> parse_sim_arguments(int argc, const char* const* argv,
                                                                  std::ostream& out,
                                                                  std::ostream& err);

}  // namespace rackway::cli
