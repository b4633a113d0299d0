// SPDX-License-Identifier: Apache-2.0
// Stage 7 on an external port: what the route says. Packets to the router itself and those whose
// neighbour is not resolved are punted to the kernel; blackholes drop; what can not go on (TTL
// spent, too big for the next hop, no way) is dropped and marked to be answered, or to go on in
// fragments; the rest gets its TTL decremented, the only time in the whole cluster, and goes to one
// member of its next-hop group: out of a port of this node, or into the fabric.
//
// A member behind a node that can not be reached is passed over at once, without the controller:
// its flows, and only these, go to the live members of their group (prefix-independent: no route
// has to change). Without a live member the packet is dropped, and its sender told.
//
// First the plain packets that fit their next hop, which is one comparison; then, one by one, what
// is left; then all that goes into the fabric, in one go.
#pragma once

#include "node/burst.hh"
#include "node/stage/neighbor_send.hh"
#include "vlb/steering.hh"

namespace rackway::node {

class Resolve {
 public:
  Resolve(vlb::Steering& steering, const Places& places)
      : steering_(steering), neighbor_send_(places), ports_(places.ports) {}

  void run(Burst& burst, const Context& context) noexcept;

 private:
  using Buckets = std::array<fib::Bucket, kBurst>;

  // Of packets whose bucket leads to a node that can not be reached: another bucket of their group,
  // or none.
  void avoid_dead_nodes(Burst& burst, Buckets& buckets, const Context& context) const noexcept;
  [[nodiscard]] bool reaches(const fib::Bucket& bucket, NodeId self) const noexcept {
    return bucket.node == self || steering_.reaches(bucket.node);
  }

  void send_plain(Burst& burst, Mask to_neighbors, const Buckets& buckets,
                  std::span<const fib::LocalAdjacency> adjacencies) const noexcept;
  // Returns the slots that go into the fabric.
  [[nodiscard]] Mask resolve_with_care(Burst& burst, const Context& context,
                                       const Buckets& buckets) const noexcept;

  // What goes into the fabric: plain packets, whose TTL is still as it came, and others. Disjoint.
  struct ToFabric {
    Mask ipv4{}, ipv6{}, with_care{};
    [[nodiscard]] Mask all() const noexcept { return ipv4 | ipv6 | with_care; }
  };
  struct Tagging;
  void choose_paths(const Burst& burst, const ToFabric& to_fabric, const Buckets& buckets,
                    vlb::Time now, std::array<vlb::Path, kBurst>& paths) noexcept;
  void send_to_fabric(Burst& burst, const ToFabric& to_fabric, const Buckets& buckets,
                      const Context& context) noexcept;

  vlb::Steering& steering_;
  NeighborSend neighbor_send_;
  std::size_t ports_;
};

}  // namespace rackway::node
