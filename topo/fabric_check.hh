// SPDX-License-Identifier: Apache-2.0
// Whether frames get through a whole fabric: every node can be reached from every other, the tables
// of all nodes take a frame nearer to its target at each step (so that none goes round in circles),
// and the hop budget that the tables give lasts for two phases. What does not hold is said with the
// names of nodes.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "topo/fabric_table.hh"

namespace rackway::topo {

struct FabricFault {
  NodeId node;  // where to look first
  std::string what, what_to_do;
};

// Makes the table of every node and checks it. Takes about a second for the largest cluster.
[[nodiscard]] std::optional<FabricFault> fabric_fault(std::span<const std::string> node_names,
                                                      std::span<const LinkEnds> links);

// The same for tables from anywhere: table_of(node) is asked once for each.
[[nodiscard]] std::optional<FabricFault> fabric_fault(
    std::span<const std::string> node_names, std::span<const LinkEnds> links,
    const std::function<FabricTable(NodeId)>& table_of);

}  // namespace rackway::topo
