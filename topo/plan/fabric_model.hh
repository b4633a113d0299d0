// SPDX-License-Identifier: Apache-2.0
// A fabric as the planner reckons with it: how fast each node's external ports are together, which
// links there are and how fast, what has failed. Rates are Gb/s and hold for each direction of a
// link. Plain values.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.hh"

namespace rackway::plan {

struct ModelLink {
  NodeId a, b;
  double gbps;
};

// How a fabric maps onto itself, for those who look at one of many equal cases.
enum class Symmetry : std::uint8_t {
  none,
  mesh,       // full mesh: any two nodes may change places
  butterfly,  // wrapped butterfly (butterfly_shape.hh): the values of a digit may change places
};

struct FabricModel {
  std::vector<double> rates;  // by node: what its external ports take in, and give out; 0: a relay
  std::vector<ModelLink> links;
  // A phase of the journey, to the relay or to the egress node, crosses exactly one link, as in a
  // full mesh; otherwise it goes over all shortest ways in equal shares at each node.
  bool one_hop{true};
  Symmetry symmetry{Symmetry::none};
  std::vector<unsigned> radices;  // of the butterfly

  [[nodiscard]] std::size_t nodes() const { return rates.size(); }
};

// What does not work. Nodes and links by number; those of a dead node are dead with it.
struct Failures {
  std::vector<NodeId> nodes;
  std::vector<std::uint32_t> links;
};

// One direction of a link: 2 * link from a to b, 2 * link + 1 from b to a.
using Direction = std::uint32_t;

[[nodiscard]] inline Direction direction(std::size_t link, bool from_a_to_b) {
  return static_cast<Direction>(2 * link + (from_a_to_b ? 0 : 1));
}

// n nodes of the same rate, each joined to each by a link of the given rate.
[[nodiscard]] FabricModel full_mesh(std::size_t nodes, double node_gbps, double link_gbps);
// Which nodes and links work.
[[nodiscard]] std::vector<bool> living_nodes(const FabricModel& model, const Failures& failures);
[[nodiscard]] std::vector<bool> living_links(const FabricModel& model, const Failures& failures);

}  // namespace rackway::plan
