// SPDX-License-Identifier: Apache-2.0
// Runs a scenario packet by packet in virtual time: every node steers and relays with the product's
// own vlb::Steering, cables and cores are models. The same scenario gives the same report. A packet
// costs one event when it is born and one for each cable. One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "vlb/simulator/event_queue.hh"
#include "vlb/simulator/frame_queue.hh"
#include "vlb/simulator/report.hh"
#include "vlb/simulator/scenario.hh"
#include "vlb/simulator/watch.hh"
#include "vlb/traffic/generator.hh"

namespace rackway::simulator {

class Simulation {
 public:
  // The scenario must outlive it.
  explicit Simulation(const Scenario& scenario);

  // Once.
  [[nodiscard]] Report run();

 private:
  enum class Kind : std::uint32_t { fault, judgement, hello, look, measuring, frame, birth };

  struct Node {
    Node(vlb::Steering made, std::size_t nodes, const NodeModel& model, unsigned waiting,
         const LineModel& port)
        : steering(std::move(made)),
          watch(steering, nodes),
          cores(model.cores, waiting),
          ports(port) {}
    Node(const Node&) = delete;

    vlb::Steering steering;
    Watch watch;
    Cores cores;
    Line ports;
    std::vector<std::uint32_t> cables;  // by local link: the number of the direction that leaves
    Picoseconds looked{0};
    bool works{true};
    bool has_faults{false};
    traffic::Packet next;  // to be born there
  };
  // A direction of a link: 2 * link from a to b, and one more from b to a.
  struct Cable {
    Line line;
    FrameQueue frames;
    NodeId from, to;
    std::uint32_t back_link;  // local link of the far end over which it sends back
    bool works{true};
    Picoseconds changed{0};
  };
  struct Way {  // of a flow's last packet
    NodeId target;
    std::uint16_t link{vlb::kNoLink};
  };

  void build();
  void schedule(Picoseconds at, Kind kind, std::uint32_t number);
  void take(const Event& event);

  void born(NodeId at);
  void enter(const traffic::Packet& packet);
  void arrive(std::uint32_t cable);
  void relay(Node& node, Frame frame);
  void leave(Node& node, const Frame& frame);
  void put(Node& node, std::uint16_t link, const Frame& frame, Picoseconds at);
  void note_way(const Node& node, const traffic::Packet& packet, const vlb::Path& path);
  void drop(const Frame& frame, DropCause cause);

  void change(const Fault& fault);
  void set_works(std::uint32_t cable, bool link_works);
  [[nodiscard]] Picoseconds notice_after(bool works) const;
  void judge(std::uint32_t link);
  void say_hello(NodeId from);
  void look(NodeId at);
  void begin_measuring();
  void finish();

  [[nodiscard]] bool is_measured(Picoseconds birth) const { return birth >= scenario_.warm_up; }
  [[nodiscard]] bool is_bystander(const Frame& frame) const;

  const Scenario& scenario_;
  Picoseconds end_;  // nothing is born any more
  Picoseconds now_{0};
  traffic::Generator generator_;
  EventQueue events_;
  FramePool pool_;
  std::vector<std::unique_ptr<Node>> nodes_;
  std::vector<Cable> cables_;
  std::vector<bool> link_directions_work_;  // by cable: without regard to the nodes
  std::vector<Way> ways_;                   // by flow
  std::vector<vlb::LinkView> said_;
  Report report_;
};

}  // namespace rackway::simulator
