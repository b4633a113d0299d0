// SPDX-License-Identifier: Apache-2.0
// Stage 4 on an external port, for frames that are not plain: IPv4 headers (RFC 1812 5.2.2
// and 5.3), martian addresses, multicast for the router itself, options. What is still undecided
// after it may be looked up; its destination and flow hash are set.
#pragma once

#include "node/burst.hh"

namespace rackway::node {

struct Ipv4Check {
  void run(Burst& burst, const Context& context) const noexcept;
};

}  // namespace rackway::node
