// SPDX-License-Identifier: Apache-2.0
// The node's side of the packet channel, on a thread of its own, so that a large epoch does not
// hold up a routing protocol's keepalive: punted frames to the controller, injected ones to the
// cores.
#pragma once

#include <rte_mempool.h>

#include <optional>
#include <string>

#include "cluster/key.hh"
#include "node/shared.hh"

namespace rackway::node {

struct PacketChannel {
  std::string node, endpoint;
  std::optional<cluster::NodeKeys> keys;
};

// Serves the channel until shared.stop. Throws StartupError before it begins to.
void run_slow_path(Shared& shared, const PacketChannel& channel, rte_mempool* pool);

}  // namespace rackway::node
