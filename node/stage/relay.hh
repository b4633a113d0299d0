// SPDX-License-Identifier: Apache-2.0
// The stage of a fabric link: read the tag, nothing else of the packet. A frame for another egress
// node goes on over the link towards it, one hop of its budget less; a frame for this node leaves
// by the adjacency that the ingress node looked up.
#pragma once

#include "node/burst.hh"
#include "node/stage/neighbor_send.hh"
#include "vlb/steering.hh"

namespace rackway::node {

class Relay {
 public:
  Relay(const vlb::Steering& steering, const Places& places)
      : steering_(steering), neighbor_send_(places), ports_(places.ports) {}

  void run(Burst& burst, const Context& context) const noexcept;

 private:
  void pass_on(Burst& burst, Mask slots, NodeId self) const noexcept;
  void send_out(Burst& burst, Mask slots, const Context& context) const noexcept;
  void decide_with_care(Burst& burst, std::size_t i, const Context& context) const noexcept;

  const vlb::Steering& steering_;
  NeighborSend neighbor_send_;
  std::size_t ports_;
};

}  // namespace rackway::node
