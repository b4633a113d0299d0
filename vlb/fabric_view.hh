// SPDX-License-Identifier: Apache-2.0
// What a node knows of the fabric around it: of its own links what it measures, and of what lies
// beyond them what the nodes at their far ends say in their hello frames. A plain value: liveness
// makes it, steering reads it.
// Beyond a neighbour, a node counts as reachable only over links that lie on shortest paths to it
// (topo::FabricTable), each nearer than the last, so that what nodes say of each other can not go
// round in circles.
//
// A path straight to a node is one own link. A path over a relay is an own link and a link of the
// relay's: alive when both are and the relay takes traffic; as loaded as the more loaded of them.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.hh"

namespace rackway::vlb {

// How much of a link's rate is in use in one direction: 200 is all of it; more is wanted than there
// is above that.
using Load = std::uint8_t;
inline constexpr Load kFullLoad = 200;

// One direction of a link, as the node that sends on it sees it.
struct LinkView {
  bool alive{false};  // frames arrive in both directions
  Load load{0};       // of what leaves here
  std::uint16_t
      delay{};  // microseconds to the far end, queues included; the largest number if more
  bool operator==(const LinkView&) const = default;
};

// The node at the far end of an own link, by its own account.
struct PeerView {
  bool ready{false};         // it has a FIB: frames may leave the cluster there
  bool draining{false};      // it wants to relay nothing
  std::vector<LinkView> to;  // by NodeId: its own way there; alive is false where it has none
  bool operator==(const PeerView&) const = default;
};

struct FabricView {
  std::vector<LinkView> links;  // by local link of topo::FabricTable
  std::vector<PeerView> peers;  // the same: who is at its far end
  bool operator==(const FabricView&) const = default;
};

}  // namespace rackway::vlb
