// SPDX-License-Identifier: Apache-2.0
// How steering divides the traffic between two nodes over paths, as far as it does not depend on
// the traffic (oblivious routing). Valiant: over relay k a share of p_k, where ingress and egress
// node are relays, too, and mean the direct path (Valiant 1982; for nodes of unequal rate p_k in
// proportion to the rate, Zhang-Shen and McKeown, HotNets 2004). Fixed: a set share over relays,
// the rest straight; without the direct path all over relays. A relay counts for two nodes only if
// both halves of its path work, and the shares of those that do add up to one.
#pragma once

#include <vector>

#include "topo/plan/fabric_model.hh"

namespace rackway::plan {

struct SteeringSplit {
  enum class Mode : std::uint8_t { valiant, fixed };
  Mode mode{Mode::valiant};
  double relay_share{0};        // of mode fixed, 0..1; 0 is direct routing
  std::vector<double> weights;  // p of each node, in any unit
};

// Weights are the nodes' rates.
[[nodiscard]] SteeringSplit valiant(const FabricModel& model);
// Every node with external ports is a relay of equal weight.
[[nodiscard]] SteeringSplit fixed_share(const FabricModel& model, double relay_share);

}  // namespace rackway::plan
