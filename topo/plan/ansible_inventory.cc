// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/management.hh"
#include "topo/plan/plan_files.hh"

namespace rackway::plan {

std::string ansible_inventory(const Wiring& wiring, const Plan& plan) {
  std::string text =
      "all:\n  children:\n    rackway_controller:\n      hosts:\n        controller:\n"
      "          ansible_host: " +
      std::string(kControllerAddress) +
      "\n    rackway_nodes:\n      vars:\n        rackway_controller: " + kControlEndpoint +
      "\n      hosts:\n";
  for (std::size_t i = 0; i < wiring.servers.size(); ++i) {
    const auto& server = wiring.servers[i];
    const bool is_edge = server.stage == 0;
    text += "        " + server.name + ":\n          ansible_host: " + management_address(i) +
            "\n          rackway_role: " + (is_edge ? "edge" : "relay") +
            "\n          rackway_forwarding_cores: " +
            std::to_string(is_edge ? plan.edge_cores : plan.relay_cores) + "\n";
  }
  return text;
}

}  // namespace rackway::plan
