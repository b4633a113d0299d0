// SPDX-License-Identifier: Apache-2.0
// The stage of a fabric link: read the tag, nothing else of the packet. A frame whose target is
// this node goes on over the link towards its egress node, which becomes its target; one for this
// node leaves by the adjacency that the ingress node looked up. In a mesh no other frame may come
// here. In other graphs a frame whose target is elsewhere is passed on towards it, and a frame
// leaves at its egress node whatever its target. Whoever passes a frame on takes one off its hop
// budget.
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
  enum class Graph { mesh, any };

  template <Graph graph>
  void decide(Burst& burst, const Context& context) const noexcept;
  template <Graph graph>
  void pass_on(Burst& burst, Mask slots, NodeId self) const noexcept;
  template <Graph graph>
  void send_out(Burst& burst, Mask slots, const Context& context) const noexcept;
  void detour(Burst& burst, std::size_t i, NodeId target) const noexcept;
  void decide_with_care(Burst& burst, std::size_t i, const Context& context) const noexcept;

  const vlb::Steering& steering_;
  NeighborSend neighbor_send_;
  std::size_t ports_;
};

}  // namespace rackway::node
