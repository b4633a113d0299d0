// SPDX-License-Identifier: Apache-2.0
// Fabrics of regular shape, as lists of links: for the lab, the planner and tests. A cluster
// document names every link with its devices and may have any shape that is connected.
#pragma once

#include <vector>

#include "topo/fabric_graph.hh"

namespace rackway::topo {

struct FabricShape {
  std::size_t nodes{};
  std::size_t edge_nodes{};  // those with external ports come first; the others only relay
  std::vector<LinkEnds> links;
};

// Every node joined to every other; all have external ports.
[[nodiscard]] FabricShape full_mesh(std::size_t nodes);

// k-ary n-fly (Dally and Towles, "Principles and Practices of Interconnection Networks", chapter 4;
// RouteBricks, SOSP'09, section 3.3): k^n edge nodes; n stages of k^(n-1) relays. Edge node e is
// joined to relay e/k of the first stage and of the last. Relay i of stage s is joined to the k
// relays of the next stage whose number differs from i at most in digit s, counted from the highest
// of n-1 digits to base k. With one stage, where first and last are the same relay, one link joins
// them. Cables carry both directions, which doubles what a butterfly of one-way links can do.
// k >= 2, n >= 1, and no more than kMaxNodes nodes.
[[nodiscard]] FabricShape butterfly(std::size_t k, std::size_t n);

}  // namespace rackway::topo
