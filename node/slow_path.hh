// SPDX-License-Identifier: Apache-2.0
// The node's side of the packet channel, on a thread of its own, so that a large epoch does not
// hold up a routing protocol's keepalive: punted frames to the controller, injected ones to the
// cores.
#pragma once

#include <rte_mempool.h>

#include <string>

#include "node/shared.hh"

namespace rackway::node {

// Serves the channel until shared.stop. Throws StartupError before it begins to.
void run_slow_path(Shared& shared, const std::string& name, const std::string& endpoint,
                   rte_mempool* pool);

}  // namespace rackway::node
