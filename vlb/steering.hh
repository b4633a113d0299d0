// SPDX-License-Identifier: Apache-2.0
// Chooses the path of a packet through the fabric. A share of the flows goes over a relay, the rest
// straight to the egress node (direct VLB: RouteBricks, SOSP'09, section 3.2; Zhang-Shen and
// McKeown, HotNets 2004). When the direct link is down all flows take relays. A flow stays on its
// path while no gap in it is longer than the flowlet gap; it moves earlier only off a dead path.
//
// For each egress node there are 256 places, dealt out to the live paths in their shares; a flow
// without a path takes the one at its place. set_live() deals anew; choose() and onward() need
// one load each for that. Owned by one forwarding core.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/id.hh"
#include "topo/fabric_table.hh"
#include "vlb/flowlet_table.hh"
#include "vlb/onward.hh"

namespace rackway::vlb {

struct alignas(8) Path {        // copied as one word
  NodeId target;                // who gets the frame now
  std::uint16_t link{kNoLink};  // over which local link; kNoLink: no live path leads there
  std::uint32_t relayed{0};     // 1: the target is not the egress node
};
static_assert(sizeof(Path) == 8);

class Steering {
 public:
  // relay_percent: share of flows over a relay while the direct link is up, 0..100.
  Steering(topo::FabricTable table, NodeId self, std::uint8_t relay_percent);

  // live[i]: local link i is up. All links start down.
  void set_live(const std::vector<bool>& live);
  // 0 lets every packet start a flowlet.
  void set_flowlet_gap(Time microseconds) { gap_ = microseconds; }

  // At the ingress, for a burst: paths[i] for a packet to egress[i] of the flow that flow_hash[i]
  // stands for. Sizes are equal, at most kMaxBurst. Any NodeId may be asked for.
  void choose(std::span<const NodeId> egress, std::span<const std::uint32_t> flow_hash, Time now,
              std::span<Path> paths) noexcept;
  // At a relay: the live link towards a node, or kNoLink.
  [[nodiscard]] std::uint16_t onward(NodeId target) const noexcept {
    return onward_.links()[target.value % kMaxNodes];
  }
  // The same for every node id of a fabric tag, for loops over frames.
  [[nodiscard]] const std::uint16_t* onward_links() const noexcept { return onward_.links(); }
  // Where there is none: to a neighbour that can pass on a frame which entered at that node.
  [[nodiscard]] Onward::Detour detour(NodeId target, NodeId ingress) const noexcept {
    return onward_.detour(target, ingress);
  }

  [[nodiscard]] const topo::FabricTable& table() const { return table_; }
  // Flowlets that left a path because it died, before their gap.
  [[nodiscard]] std::uint64_t moved_early() const { return moved_early_; }

  static constexpr std::size_t kMaxBurst = 64;

 private:
  static constexpr std::size_t kPlaces = 256;
  using PathIndex = std::uint16_t;  // in paths_; 0 is no path

  void deal(std::span<PathIndex> places, std::span<const PathIndex> direct,
            std::span<const PathIndex> relays) const;

  topo::FabricTable table_;
  NodeId self_;
  std::uint8_t relay_percent_;
  Time gap_ = 50'000;
  std::vector<Path> paths_{Path{}};
  std::vector<std::vector<PathIndex>> direct_, relays_;  // by row: all that there are
  std::vector<std::uint8_t> alive_{0};                   // by PathIndex
  std::vector<PathIndex> places_;                        // kPlaces a row
  Onward onward_;
  FlowletTable flowlets_;
  std::uint64_t moved_early_ = 0;
};

}  // namespace rackway::vlb
