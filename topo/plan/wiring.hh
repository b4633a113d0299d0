// SPDX-License-Identifier: Apache-2.0
// A plan down to the ports: which card is in which slot of each server, which of its ports is an
// external port and which the end of which cable. What cluster document, cabling list, inventory
// and drawing have in common. The order is fixed: external ports first, then links by number.
#pragma once

#include <string>
#include <vector>

#include "topo/plan/planner.hh"

namespace rackway::plan {

struct PortPlace {
  unsigned slot, port;  // from 0
  std::string device;   // DPDK's name: the PCI address; see docs/planning.md
};

struct WiredCard {
  const NicModel* nic;
  NicMode mode;
  unsigned external{0}, fabric{0};  // ports in use
};

struct WiredServer {
  std::string name;
  unsigned stage;                // of a butterfly; 0 has the external ports
  std::vector<WiredCard> cards;  // by slot
  std::vector<PortPlace> external;
};

struct WiredCable {
  std::size_t a, b;  // servers
  PortPlace port_a, port_b;
};

struct Wiring {
  std::vector<WiredServer> servers;
  std::vector<WiredCable> cables;  // one for each link
};

// The plan must not outlive the catalogue it was made from, nor the wiring the plan.
[[nodiscard]] Wiring wire(const Plan& plan, Mbps rate);

}  // namespace rackway::plan
