// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/fabric_model.hh"

namespace rackway::plan {

FabricModel full_mesh(std::size_t nodes, double node_gbps, double link_gbps) {
  FabricModel model;
  model.rates.assign(nodes, node_gbps);
  model.symmetry = Symmetry::mesh;
  for (std::size_t a = 0; a < nodes; ++a) {
    for (std::size_t b = a + 1; b < nodes; ++b) {
      model.links.push_back(
          {NodeId{static_cast<NodeId::rep>(a)}, NodeId{static_cast<NodeId::rep>(b)}, link_gbps});
    }
  }
  return model;
}

std::vector<bool> living_nodes(const FabricModel& model, const Failures& failures) {
  std::vector<bool> living(model.nodes(), true);
  for (const auto node : failures.nodes) living[node.value] = false;
  return living;
}

std::vector<bool> living_links(const FabricModel& model, const Failures& failures) {
  const auto nodes = living_nodes(model, failures);
  std::vector<bool> living(model.links.size());
  for (std::size_t i = 0; i < living.size(); ++i) {
    living[i] = nodes[model.links[i].a.value] && nodes[model.links[i].b.value];
  }
  for (const auto link : failures.links) living[link] = false;
  return living;
}

}  // namespace rackway::plan
