// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/plan_files.hh"

namespace rackway::plan {
namespace {

// Slots and ports are counted from 1, as they are labelled.
std::string end_of(const WiredServer& server, const PortPlace& place) {
  return "," + server.name + "," + std::to_string(place.slot + 1) + "," +
         std::to_string(place.port + 1) + "," + place.device;
}

}  // namespace

std::string cabling_csv(const Wiring& wiring, const Plan& plan) {
  std::string text =
      "cable,rate,from,from_slot,from_port,from_device,to,to_slot,to_port,to_device\r\n";
  for (std::size_t i = 0; i < wiring.cables.size(); ++i) {
    const auto& cable = wiring.cables[i];
    text += std::to_string(i) + "," + rate_text(plan.edge.link_rate()) +
            end_of(wiring.servers[cable.a], cable.port_a) +
            end_of(wiring.servers[cable.b], cable.port_b) + "\r\n";
  }
  return text;
}

}  // namespace rackway::plan
