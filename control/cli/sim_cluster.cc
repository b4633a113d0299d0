// SPDX-License-Identifier: Apache-2.0
#include "control/cli/sim_cluster.hh"

namespace rackway::cli {
namespace {

topo::ClusterDocument document_of(const topo::FabricShape& shape) {
  topo::ClusterDocument document;
  document.nodes.resize(shape.nodes);
  for (std::size_t i = 0; i < shape.nodes; ++i) {
    document.nodes[i].name = "n" + std::to_string(i + 1);
    if (i < shape.edge_nodes) document.nodes[i].ports.push_back({.name = "p0", .device = ""});
  }
  document.links.reserve(shape.links.size());
  for (const auto& [a, b] : shape.links) {
    document.links.push_back({.a = a, .b = b, .device_a = "", .device_b = ""});
  }
  return document;
}

}  // namespace

topo::ClusterDocument sim_cluster(const SimArguments& arguments) {
  return arguments.shape ? document_of(*arguments.shape)
                         : topo::read_cluster_document(arguments.document);
}

}  // namespace rackway::cli
