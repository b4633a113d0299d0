// SPDX-License-Identifier: Apache-2.0
// Stage 3 on an external port: ARP (RFC 826, RFC 5227). Requests for the router's own addresses are
// answered here, so that neighbours keep us while the controller is away; replies and announcements
// are punted, the kernel's neighbour table learns from them; everything else is dropped.
#pragma once

#include "node/burst.hh"

namespace rackway::node {

struct Arp {
  void run(Burst& burst, const Context& context) const noexcept;
};

}  // namespace rackway::node
