// SPDX-License-Identifier: Apache-2.0
// The stage of a fabric link: read the tag, nothing else of the packet. A frame for another egress
// node goes on over the link towards it, one hop of its budget less; a frame for this node leaves
// by the adjacency that the ingress node looked up.
#pragma once

#include "node/burst.hh"
#include "vlb/steering.hh"

namespace rackway::node {

struct Relay {
  const vlb::Steering& steering;
  Places& places;

  void run(Burst& burst, const Context& context) const noexcept;
};

}  // namespace rackway::node
