// SPDX-License-Identifier: Apache-2.0
// Stage 5 on an external port: destination address -> next-hop group, both families, a burst at a
// time. The only lookup a packet ever gets; everything later follows from it.
#pragma once

#include "node/burst.hh"

namespace rackway::node {

struct Lookup {
  void run(Burst& burst, const Context& context) const noexcept;
};

}  // namespace rackway::node
