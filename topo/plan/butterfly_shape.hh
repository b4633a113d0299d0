// SPDX-License-Identifier: Apache-2.0
// The wrapped butterfly (k-ary n-fly, Dally and Towles, Principles and Practices of Interconnection
// Networks, 2004, ch. 4, with its last stage joined to its first): n stages of k1 x ... x kn nodes.
// A node of stage s is joined to the nodes of stage s+1 that have the same position in all digits
// but s; behind the last stage comes the first. External ports are at stage 0, the others relay.
// Two nodes that both rules would join have one link. One stage is a full mesh.
#pragma once

#include <optional>

#include "topo/plan/fabric_model.hh"

namespace rackway::plan {

using Radices = std::vector<unsigned>;

// How many nodes a stage has: the product.
[[nodiscard]] std::size_t positions(const Radices& radices);
// Links at a node of the stage.
[[nodiscard]] unsigned fanout(const Radices& radices, std::size_t stage);
[[nodiscard]] unsigned largest_fanout(const Radices& radices);
// A node's number is stage * positions + position.
[[nodiscard]] FabricModel butterfly(const Radices& radices, double node_gbps, double link_gbps);

// The radices of two or more stages, each at least `least`, with the fewest nodes of which stage 0
// has at least `ports` and no node has more links than `links_at_most`; of equal ones those with
// the fewest links.
[[nodiscard]] std::optional<Radices> smallest_butterfly(std::size_t ports, unsigned links_at_most,
                                                        std::size_t nodes_at_most,
                                                        unsigned least = 2);

}  // namespace rackway::plan
