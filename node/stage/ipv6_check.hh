// SPDX-License-Identifier: Apache-2.0
// Stage 5 on an external port, for frames that are not plain: IPv6 headers (RFC 8200 section 3),
// addresses that must not be forwarded (RFC 4291 2.5), multicast for the router itself, and
// neighbour discovery, which it hands to its own function. What is still undecided after it may be
// looked up; its destination and flow hash are set.
#pragma once

#include "node/burst.hh"

namespace rackway::node {

struct Ipv6Check {
  void run(Burst& burst, const Context& context) const noexcept;
};

}  // namespace rackway::node
