// SPDX-License-Identifier: Apache-2.0
// A cluster of real nodes in one process under virtual time: the product's code moves real frames
// with real tags; cables, faults and what liveness tells are the simulator's models of them, the
// traffic is the generator's and the meter gets it back. The clock goes forward by a fixed step, in
// which every node polls its places once. The same scenario gives the same report, but for cycles.
// DPDK runs. One at a time in a process, one thread.
#pragma once

#include <rte_mempool.h>

#include <deque>
#include <memory>
#include <vector>

#include "fib/left_right.hh"
#include "tests/bench/cluster/flow_moves.hh"
#include "tests/bench/cluster/place_rings.hh"
#include "tests/bench/cluster/real_node.hh"
#include "tests/bench/cluster/role_cycles.hh"
#include "vlb/simulator/fabric.hh"
#include "vlb/simulator/report.hh"
#include "vlb/simulator/scenario.hh"
#include "vlb/traffic/generator.hh"

namespace rackway::bench {

struct ClusterReport {
  simulator::Report fabric;  // as the simulator's; core_use and path changes are not known
  RoleCycles cycles;
};

class ClusterInOneProcess {
 public:
  // The scenario's nodes have one core each and its costs are not looked at: what the real code
  // costs is measured but takes no virtual time. step: of the clock. everything_local: the FIB
  // sends all packets out by the node where they came in (a router of one node).
  ClusterInOneProcess(const simulator::Scenario& scenario, traffic::Picoseconds step,
                      rte_mempool& pool, bool everything_local = false);
  ~ClusterInOneProcess();

  // Tells of all that enters the fabric; before run().
  void tell(FlowMoves& moves) { moves_.push_back(&moves); }
  // Once. Throws if a frame is delivered where it does not belong.
  [[nodiscard]] ClusterReport run();

 private:
  struct UnderWay {
    rte_mbuf* frame;
    traffic::Picoseconds at;
  };
  struct End {  // of a node, towards the outside
    simulator::Line ports;
    traffic::Packet next;
    bool sends{false};
  };

  [[nodiscard]] std::vector<vlb::Steering*> build_nodes();
  void step_node(NodeId at);
  void bring_births(NodeId at);
  void bring_arrivals(NodeId at);
  void carry_away(NodeId at);
  void put_on_cable(std::uint32_t cable, rte_mbuf* frame);
  void deliver(NodeId at, rte_mbuf* frame);
  void next_birth(NodeId at);
  void lose(std::uint32_t cable);
  void revive(NodeId at);
  void drop(rte_mbuf* frame, simulator::DropCause cause);
  void begin_measuring();
  void finish();
  void count_straight(int sign);
  void count_no_path(int sign);
  [[nodiscard]] bool is_bystander(const traffic::Packet& packet) const;
  [[nodiscard]] bool is_measured(const traffic::Packet& packet) const {
    return packet.born >= scenario_.warm_up;
  }

  const simulator::Scenario& scenario_;
  traffic::Picoseconds step_, end_, now_{0};
  rte_mempool& pool_;
  bool everything_local_;
  traffic::Generator generator_;
  fib::LeftRight fib_;
  std::vector<std::unique_ptr<RealNode>> nodes_;
  std::vector<End> ends_;
  simulator::Fabric fabric_;
  PlaceRings rings_;
  std::vector<std::deque<UnderWay>> under_way_;  // by cable
  std::size_t on_cables_{0};
  std::vector<unsigned> relayed_;  // by link of the node whose turn it is
  std::vector<FlowMoves*> moves_;
  ClusterReport report_;
};

}  // namespace rackway::bench
