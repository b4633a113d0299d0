// SPDX-License-Identifier: Apache-2.0
// The last two things done to a frame: on its way out of the cluster it gets the MAC addresses of
// its adjacency (the egress node), on its way into the fabric the fabric tag (the ingress node).
#pragma once

#include "node/burst.hh"
#include "vlb/steering.hh"

namespace rackway::node {

// Out of this node by one of its adjacencies: fate transmit, or a counted drop when the index names
// none, or the packet does not fit its MTU.
void send_to_neighbor(Slot& slot, AdjacencyId index, const Context& context,
                      Places& places) noexcept;

// Into the fabric towards the bucket's egress node, or a counted drop when no live path leads
// there.
void send_to_fabric(Slot& slot, const fib::Bucket& bucket, const Context& context,
                    const vlb::Steering& steering, const Places& places) noexcept;

// Octets of the IP packet in the frame, padding not counted; the header has been checked.
[[nodiscard]] std::uint32_t packet_bytes(const Slot& slot) noexcept;

}  // namespace rackway::node
