// SPDX-License-Identifier: Apache-2.0
// Chooses the path of a packet through the fabric. A share of the flows goes over a relay, the rest
// straight to the egress node, each flow always the same way while the set of live links stays the
// same (direct VLB: RouteBricks, SOSP'09, section 3.2; Zhang-Shen and McKeown, HotNets 2004).
// When the direct link is down all flows take relays.
//
// Owned by one forwarding core. set_live() recomputes the tables; choose() and onward() only read.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/id.hh"
#include "topo/fabric_table.hh"

namespace rackway::vlb {

struct Path {
  NodeId target;       // who gets the frame now
  std::uint16_t link;  // over which local link
  bool relayed;        // the target is not the egress node
};

class Steering {
 public:
  // relay_percent: share of flows over a relay while the direct link is up, 0..100.
  Steering(topo::FabricTable table, NodeId self, std::uint8_t relay_percent);

  // live[i]: local link i is up. All links start down.
  void set_live(const std::vector<bool>& live);

  // At the ingress. Nothing when no live link leads there, directly or over a relay.
  [[nodiscard]] std::optional<Path> choose(NodeId egress, std::uint32_t flow_hash) const noexcept;
  // At a relay: the live link towards the egress node.
  [[nodiscard]] std::optional<Path> onward(NodeId egress) const noexcept;

  [[nodiscard]] const topo::FabricTable& table() const { return table_; }

 private:
  struct Choices {
    std::vector<Path> direct;  // target is the egress node
    std::vector<Path> relays;
  };
  [[nodiscard]] std::vector<Path> live_paths_to(NodeId target, bool relayed,
                                                const std::vector<bool>& live) const;

  topo::FabricTable table_;
  NodeId self_;
  std::uint32_t relay_threshold_;  // a flow takes a relay when its mixed hash is below this
  std::vector<Choices> choices_;   // by egress node
};

}  // namespace rackway::vlb
