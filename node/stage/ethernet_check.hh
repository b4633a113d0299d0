// SPDX-License-Identifier: Apache-2.0
// Stage 2 on an external port, for frames that are not plain: is it for us, and what does it carry?
// Accepts the port's own
// MAC and group addresses (RFC 1812 5.3.4 wants to know which), IPv4, IPv6 and ARP. A frame that
// looks like one of the fabric never gets in here.
#pragma once

#include "node/burst.hh"

namespace rackway::node {

struct EthernetCheck {
  // ARP frames are left undecided with protocol other, for the ARP stage.
  void run(Burst& burst, const Context& context) const noexcept;
};

}  // namespace rackway::node
