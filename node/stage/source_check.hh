// SPDX-License-Identifier: Apache-2.0
// Unicast reverse path forwarding (RFC 3704 2.2, 2.4), on external ports that ask for it: drops
// packets whose source can not be where they came from.
//   strict: the source's best route leads out of the interface that the packet came in by, over
//           any of its next hops, or the source is in a subnet of that interface
//   loose:  there is a route to the source that forwards
// Link-local sources pass: every link has them, and nothing forwards them.
#pragma once

#include "node/burst.hh"

namespace rackway::node {

struct SourceCheck {
  void run(Burst& burst, const Context& context) const noexcept;
};

}  // namespace rackway::node
