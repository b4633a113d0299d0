// SPDX-License-Identifier: Apache-2.0
// Chooses the path of a packet through the fabric, in one of the modes of topo::SteeringMode:
// docs/vlb.md has the scheme and its sources. A flow stays on its path while no gap in it is longer
// than the flowlet gap; it moves earlier only off a dead path. After a gap its next flowlet takes a
// path anew, so that a flow too large for one path is spread over many.
//
// For each egress node there are 256 places, dealt out to the paths in their shares. A flowlet
// takes the path at one of them; see() and set_mode() deal anew; choose() and onward() need one
// load each for that. Owned by one forwarding core.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/id.hh"
#include "topo/fabric_table.hh"
#include "topo/steering_mode.hh"
#include "vlb/adaptive_dealer.hh"
#include "vlb/fabric_view.hh"
#include "vlb/flowlet_gap.hh"
#include "vlb/flowlet_table.hh"
#include "vlb/onward.hh"
#include "vlb/path_list.hh"
#include "vlb/steer_burst.hh"

namespace rackway::vlb {

struct SteeringSetup {
  topo::SteeringMode mode{topo::SteeringMode::adaptive};
  std::vector<double> node_rates;  // of external ports by NodeId, any unit; equal if none or all 0
  double own_rate{0};              // bits/s of this node's external ports; 0: unknown
  std::vector<double> link_rates;  // bits/s by local link; 0 or none: enough
  GapBounds gap;
};

class Steering {
 public:
  Steering(topo::FabricTable table, NodeId self, const SteeringSetup& setup = {});

  // The fabric has changed, or some of a millisecond has passed. Until the first time all links are
  // down. now: monotonic.
  void see(const FabricView& view, Time now);
  void set_mode(topo::SteeringMode mode);
  void set_gap_bounds(GapBounds bounds);

  // How far behind a local link is now. In mode adaptive a flowlet takes the better of two places.
  void set_backlog(std::size_t link, Backlog backlog) noexcept { backlog_[link] = backlog; }

  // At the ingress, for a burst: paths[i] for a packet to egress[i] of the flow that flow_hash[i]
  // stands for. Sizes are equal, at most kMaxBurst. Any NodeId may be asked for.
  void choose(std::span<const NodeId> egress, std::span<const std::uint32_t> flow_hash, Time now,
              std::span<Path> paths) noexcept;
  // What was steered, or a sample of it that stands for all: mode direct-vlb needs to know how much
  // goes where. Any NodeId.
  void tally(NodeId egress, std::uint32_t octets) noexcept {
    octets_to_[egress.value < table_.nodes() ? egress.value : table_.nodes()] += octets;
  }
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

  // A live path leads to that node; any NodeId.
  [[nodiscard]] bool reaches(NodeId egress) const noexcept {
    return egress.value < table_.nodes() && places_[egress.value * kPlaces] != 0;
  }
  // The same of every other node of the table.
  [[nodiscard]] bool reaches_all() const noexcept { return reaches_all_; }

  [[nodiscard]] const topo::FabricTable& table() const { return table_; }
  [[nodiscard]] topo::SteeringMode mode() const { return mode_; }
  // Flowlets that left a path because it died, before their gap.
  [[nodiscard]] std::uint64_t moved_early() const { return moved_early_; }
  // Towards a node of the table.
  [[nodiscard]] Time flowlet_gap(NodeId egress) const { return rows_[egress.value].gap.gap(); }
  [[nodiscard]] Time longest_flowlet_gap() const;
  // The paths that have places, and how many of kPlaces.
  struct Share {
    Path path;
    std::uint32_t places;
  };
  [[nodiscard]] std::vector<Share> shares(NodeId egress) const;

  static constexpr std::size_t kMaxBurst = vlb::kMaxBurst;

 private:
  struct Row {
    FlowletGap gap;
    Time seen_at{0};
    double octets_a_microsecond{0};
  };

  void make_weights(const SteeringSetup& setup);
  [[nodiscard]] bool reachability_changed(const FabricView& view);
  void refresh(NodeId egress, const FabricView& view, Time now);
  void deal(NodeId egress, bool changed, Time elapsed);
  void deal_direct(NodeId egress);
  void deal_relays(NodeId egress);
  void deal_over_relays(NodeId egress, double straight);
  // Of flowlets as they are before their next packet.
  void count_moved_early(std::span<const NodeId> egress, std::span<const std::uint32_t> flow_hash,
                         Time now) noexcept;
  [[nodiscard]] double quota(NodeId egress) const;
  [[nodiscard]] Places places_of(NodeId egress) {
    return Places(places_.data() + egress.value * kPlaces, kPlaces);
  }

  topo::FabricTable table_;
  NodeId self_;
  topo::SteeringMode mode_;
  GapBounds bounds_;
  PathList paths_;
  std::vector<double> node_weights_;  // by NodeId, see relay_weights()
  std::vector<double> weights_;       // by PathIndex: of relays
  double octets_a_microsecond_ = 0;   // that enter here at most; 0 if unknown
  std::vector<PathState> states_;     // by PathIndex
  bool some_dead_ = true;
  std::vector<Row> rows_;     // by egress node
  std::size_t next_row_ = 0;  // to be looked at
  std::vector<std::uint8_t> reachability_;
  std::vector<double> shares_wanted_;
  AdaptiveDealer adaptive_;

  // For choose(): see SteeringColumns.
  SteerBurst steer_ = choose_steer_burst();
  std::vector<Time> patience_;
  std::vector<PathIndex> places_, relays_;
  std::vector<std::uint64_t> octets_to_;  // by row, since seen_at
  bool reaches_all_ = false;
  std::vector<Backlog> backlog_;
  Onward onward_;
  FlowletTable flowlets_;
  std::uint64_t moved_early_ = 0;
};

// As a node sees it that hears nothing of its neighbours but their carriers: whoever has one is
// taken for able to reach everybody.
[[nodiscard]] FabricView view_of_carriers(const topo::FabricTable& table,
                                          const std::vector<bool>& carriers);

}  // namespace rackway::vlb
