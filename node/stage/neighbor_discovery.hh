// SPDX-License-Identifier: Apache-2.0
// Neighbour discovery at an external port (RFC 4861): solicitations for the router's own addresses
// are answered by the node (7.2.4), what the kernel must see is punted, all of it is validated
// first (6.1, 7.1, 8.1).
#pragma once

#include <rte_ip.h>

#include "node/burst.hh"

namespace rackway::node {

// For a frame with a whole IPv6 header whose next header is ICMPv6: types 133 to 137.
[[nodiscard]] bool is_neighbor_discovery(const rte_mbuf& frame) noexcept;
// Decides the slot's fate.
void discover_neighbor(const Slot& slot, rte_ipv6_hdr& ip, const Context& context) noexcept;

}  // namespace rackway::node
