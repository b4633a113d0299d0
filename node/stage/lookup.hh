// SPDX-License-Identifier: Apache-2.0
// Stage 6 on an external port: destination address -> next-hop id, both families, a burst at a
// time. The only lookup a packet ever gets; everything later follows from it.
#pragma once

#include "node/burst.hh"

namespace rackway::node {

struct Lookup {
  // Of decided slots next_hop becomes a valid id too, of no meaning.
  void run(Burst& burst, const Context& context) const noexcept;
};

}  // namespace rackway::node
