// SPDX-License-Identifier: Apache-2.0
// What must hold between the parts of a cluster document, each of which is in order by itself.
// Private to topo, for the parser. Each throws a StartupError that names the later one of two
// places that do not go together, by the pointer that it has in the document.
#pragma once

#include <string>

#include "topo/cluster_document.hh"

namespace rackway::topo {

// Nodes have names of their own, and so have the ports of a node and all interfaces NODE-PORT: the
// port b-c of node a and the port c of node a-b would both be a-b-c.
void check_names(const ClusterDocument& document, const std::string& file);
// At most one link joins the same two nodes.
void check_links(const ClusterDocument& document, const std::string& file);
// No device string is used twice in one node, be it for ports or for ends of fabric links.
void check_devices(const ClusterDocument& document, const std::string& file);
// Frames get from every node to every other one, see fabric_check.hh.
void check_fabric(const ClusterDocument& document, const std::string& file);
// A prefix has one static route.
void check_routes(const ClusterDocument& document, const std::string& file);

}  // namespace rackway::topo
