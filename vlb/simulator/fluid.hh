// SPDX-License-Identifier: Apache-2.0
// A cluster in equilibrium, with rates in the place of packets: what each pair of nodes sends is
// divided among the paths that steering has, in the shares that it would give them, and where a
// link is asked for more than its rate all that comes there loses the same part, as in a queue that
// drops at its tail. No queues, no times, no flows. Of a scenario it looks at nodes, links, matrix,
// sizes and at what its faults leave dead in the end. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "topo/steering_mode.hh"
#include "vlb/simulator/fluid_dealer.hh"
#include "vlb/simulator/fluid_routes.hh"
#include "vlb/simulator/scenario.hh"

namespace rackway::simulator {

struct FluidLine {
  NodeId from, to;  // equal: a node's external ports
  double load;      // share of its rate that is carried
  double asked;     // share of its rate that comes there
};

// Rates are bits/s on the cable.
struct FluidReport {
  double offered{0}, delivered{0};
  double entered{0};   // of what is offered, found a path into the fabric; nothing that stays
  double straight{0};  // of this, straight to the egress node
  double lost_on_links{0}, lost_at_ports{0}, lost_without_path{0};
  std::vector<FluidLine> links, ports;
  std::uint32_t steps{0};  // of dealing, each a millisecond
  bool is_settled{true};   // nothing moved any more

  [[nodiscard]] double goodput() const { return offered > 0 ? delivered / offered : 1; }
  [[nodiscard]] double straight_share() const { return entered > 0 ? straight / entered : 1; }
  [[nodiscard]] double mean_link_load() const;
  [[nodiscard]] double largest_link_load() const;
};

class Fluid {
 public:
  // Nodes steer as Scenario's would with these rates of nodes and links. It must outlive this.
  Fluid(const Scenario& scenario, topo::SteeringMode mode);

  // Once. progress, if any, is told what share of the most that there may be to do is done.
  [[nodiscard]] FluidReport run(const std::function<void(double)>& progress = {});

 private:
  struct Pair {
    double rate;
    float steady;  // 1: packets come as regularly as on a full line, 0: at random
    NodeId ingress, egress;
    std::uint32_t first, relays, end;          // of ways_; straight ones before relays,
    std::uint32_t more_first{0}, more_end{0};  // and relays found only when they were needed
  };
  struct Way {
    NodeId target;
    std::uint16_t link;
    float share;
  };
  struct Measured {
    double mean, scatter;
  };

  [[nodiscard]] const std::vector<float>& weights(NodeId ingress);  // vlb::relay_weights()
  [[nodiscard]] const vlb::PathList& paths(NodeId ingress);
  [[nodiscard]] double way_weight(NodeId ingress, NodeId target);
  [[nodiscard]] double straight_at_least(const Pair& pair);  // in mode valiant that much
  [[nodiscard]] double weight_of_relays(const Pair& pair);   // in mode valiant that much
  void lay_pairs();
  void add_straight(Pair& pair);
  void add_relays(Pair& pair);
  void share_out(Pair& pair);
  void want_relays(Pair& pair);
  [[nodiscard]] double share_straight(const Pair& pair);

  [[nodiscard]] vlb::Path path_of(const Way& way, const Pair& pair) const {
    return {way.target, way.link, way.target == pair.egress ? 0u : 1u};
  }
  void spread();
  double lose();  // the most that a link's part changed
  void settle(const std::function<void(double)>& progress);

  // Adaptive steering: fluid_adaptation.cc.
  void adapt(const std::function<void(double)>& progress);
  [[nodiscard]] double deal(Pair& pair);  // how much of the traffic moved, bits/s
  [[nodiscard]] float load_of(std::uint32_t cable) const;
  [[nodiscard]] float load_of(const Way& way, const Pair& pair) const;
  [[nodiscard]] float load_beyond(NodeId peer, NodeId target) const;
  [[nodiscard]] std::vector<Measured> straight_loads(const Pair& pair) const;
  [[nodiscard]] static std::vector<float> at_scatter(const std::vector<Measured>& loads,
                                                     double point);
  [[nodiscard]] FluidRow row_of(const Pair& pair);  // without the loads of straight paths
  [[nodiscard]] std::vector<double> mean_step(const FluidRow& row,
                                              const std::vector<Measured>& loads);

  [[nodiscard]] FluidReport report() const;

  const Scenario& scenario_;
  topo::SteeringMode mode_;
  FluidRoutes routes_;
  std::vector<double> node_rates_;
  double offered_{0}, without_path_{0};
  std::vector<Pair> pairs_;
  std::vector<Way> ways_;
  std::vector<std::vector<float>> weights_at_;  // by ingress node; empty: not known yet
  std::optional<vlb::PathList> paths_;
  NodeId paths_of_;
  std::vector<double> asked_;     // by cable, bits/s
  std::vector<float> random_;     // by cable: the part of it that comes at random, bits/s
  std::vector<float> kept_;       // by cable: what is not lost there
  std::vector<double> arriving_;  // by egress node, bits/s
  std::vector<double> within_;    // by node, bits/s: what leaves where it enters
  double astray_{0};              // lost at nodes without a way on, bits/s
  std::uint32_t steps_{0};
  bool is_settled_{true};
  std::vector<double> wanted_;  // by path of the pair at hand
  FluidDealer dealer_;
  std::vector<float> straight_, relays_, relay_loads_, relay_weights_;  // of the pair at hand
};

}  // namespace rackway::simulator
