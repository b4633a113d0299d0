// SPDX-License-Identifier: Apache-2.0
// The node's DPDK devices: made from the device strings of the cluster document, configured with
// queues for every forwarding core, started; fabric links are brought back after their peer went
// away. Called by the agent's thread, but for link_up(), which is anyone's; whatever stops a device
// holds the forwarding cores outside first.
#pragma once

#include <rte_mempool.h>

#include "cluster/messages.hh"
#include "node/place.hh"
#include "topo/fabric_table.hh"

namespace rackway::node {

// All places of this node, for places.cores. Throws StartupError that names the port or link and
// its device string.
void make_places(Places& places, const cluster::Welcome& welcome, const topo::FabricTable& table,
                 rte_mempool* pool);

// Starts anew those fabric devices that look for their peer and have not found it, so that they
// find one that came back. now_ms: of a monotonic clock. Cheap when all links are up.
void revive_links(Places& places, std::uint64_t now_ms);

[[nodiscard]] bool link_up(const Place& place);

void close_devices(Places& places);

}  // namespace rackway::node
