// SPDX-License-Identifier: Apache-2.0
// How much of a node's traffic each node relays when it is spread without looking at loads: in
// proportion to the rates of the nodes' external ports ("gravity": Zhang-Shen and McKeown, HotNets
// 2004 and 2005). Then a link between nodes of rates a and b never needs more than 2ab/R, R being
// the sum of all rates, whatever the traffic. A link with less than that gets less.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/id.hh"

namespace rackway::vlb {

// By NodeId, adding up to 1; the node's own and the egress node's share stand for going straight.
// rates: of external ports, in any unit; equal if all are 0. link_rates: of the node's own link to
// each node, in the same unit, 0 if unknown or more than enough.
[[nodiscard]] std::vector<double> relay_weights(NodeId self, std::span<const double> rates,
                                                std::span<const double> link_rates);

}  // namespace rackway::vlb
