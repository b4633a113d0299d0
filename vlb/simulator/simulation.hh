// SPDX-License-Identifier: Apache-2.0
// Runs a scenario packet by packet in virtual time: every node steers and relays with the product's
// own vlb::Steering, cables and cores are models. The same scenario gives the same report. A packet
// costs one event when it is born and one for each cable. One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "vlb/simulator/births.hh"
#include "vlb/simulator/event_queue.hh"
#include "vlb/simulator/fabric.hh"
#include "vlb/simulator/frame_queue.hh"
#include "vlb/simulator/report.hh"
#include "vlb/simulator/scenario.hh"

namespace rackway::simulator {

class Simulation {
 public:
  // The scenario must outlive it.
  explicit Simulation(const Scenario& scenario);

  // Once. progress, if any, is told what share of the virtual time is over, a hundred times.
  [[nodiscard]] Report run(const std::function<void(double)>& progress = {});

 private:
  enum class Kind : std::uint32_t { measuring, frame, birth };
  static constexpr std::uint16_t kToldAtOnce = 64;  // backlogs for each packet that is born

  struct Node {
    Node(vlb::Steering made, const NodeModel& model, unsigned waiting, const LineModel& port)
        : steering(std::move(made)), cores(model.cores, waiting), ports(port) {}
    Node(const Node&) = delete;

    vlb::Steering steering;
    Cores cores;
    Line ports;
    traffic::Packet next;        // to be born there
    std::uint16_t next_told{0};  // link whose backlog is told next
  };
  struct Way {  // of a flow's last packet
    NodeId target;
    std::uint16_t link{vlb::kNoLink};
  };

  [[nodiscard]] std::vector<vlb::Steering*> build_nodes();
  void schedule(Picoseconds at, Kind kind, std::uint32_t number);
  void schedule_birth(NodeId at);
  void take(const Event& event);

  void born(NodeId at);
  void enter(const traffic::Packet& packet);
  void tell_backlogs(NodeId at);
  void tell_backlog(NodeId at, std::uint16_t link);
  void arrive(std::uint32_t cable);
  void relay(NodeId at, Frame frame);
  void leave(NodeId at, const Frame& frame);
  void put(NodeId from, std::uint16_t link, const Frame& frame, Picoseconds at);
  void note_way(const traffic::Packet& packet, const vlb::Path& path);
  void drop(const Frame& frame, DropCause cause);
  void lose(std::uint32_t cable);
  void revive(NodeId node);

  void begin_measuring();
  void finish();

  [[nodiscard]] Node& node(NodeId id) { return *nodes_[id.value]; }
  [[nodiscard]] bool is_measured(Picoseconds birth) const { return birth >= scenario_.warm_up; }
  [[nodiscard]] bool is_bystander(const Frame& frame) const;

  const Scenario& scenario_;
  Picoseconds end_;  // nothing is born any more
  Picoseconds now_{0};
  Births births_;
  EventQueue events_;
  FramePool pool_;
  std::vector<std::unique_ptr<Node>> nodes_;
  Fabric fabric_;
  std::vector<FrameQueue> under_way_;  // by cable
  std::vector<Way> ways_;              // by flow
  Report report_;
};

}  // namespace rackway::simulator
