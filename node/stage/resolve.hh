// SPDX-License-Identifier: Apache-2.0
// Stage 6 on an external port: what the route says. Routes to the router itself and exceptions (TTL
// spent, too big for the next hop, neighbour not resolved, ICMP to send) are punted to the kernel;
// blackholes drop; the rest gets its TTL decremented, the only time in the whole cluster, and goes
// to one member of its next-hop group: out of a port of this node, or into the fabric.
#pragma once

#include "node/burst.hh"
#include "vlb/steering.hh"

namespace rackway::node {

struct Resolve {
  const vlb::Steering& steering;
  Places& places;

  void run(Burst& burst, const Context& context) const noexcept;
};

}  // namespace rackway::node
