// SPDX-License-Identifier: Apache-2.0
// The cables of a fabric and what happens to them beside frames: faults, what the nodes notice of
// them and when, what they measure and tell each other. Steering gets it as a FabricView. Whoever
// moves the frames (the simulation, or real nodes in one process) asks for next() and calls
// advance(). One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "vlb/simulator/event_queue.hh"
#include "vlb/simulator/scenario.hh"
#include "vlb/simulator/watch.hh"

namespace rackway::simulator {

// A direction of a link: number 2 * link from a to b, and one more from b to a.
struct Cable {
  Line line;
  NodeId from, to;
  std::uint32_t back_link;  // local link of the far end over which it sends back
  bool link_works{true};    // without regard to the nodes at its ends
  bool works{true};
  Picoseconds changed{0};  // when that became so
};

class Fabric {
 public:
  // steering: by node; each is given a view at once. lose: what waits in front of the cable and is
  // under way on it is lost. revived: a node works again.
  Fabric(const Scenario& scenario, std::vector<vlb::Steering*> steering,
         std::function<void(std::uint32_t cable)> lose, std::function<void(NodeId)> revived);

  // When something happens next, and everything that happens until then.
  [[nodiscard]] Picoseconds next() const { return events_.next(); }
  void advance(Picoseconds now);
  [[nodiscard]] Picoseconds now() const { return now_; }

  [[nodiscard]] Cable& cable(std::uint32_t number) { return cables_[number]; }
  [[nodiscard]] std::vector<Cable>& cables() { return cables_; }
  // The cable that leaves the node by its local link.
  [[nodiscard]] std::uint32_t leaving(NodeId node, std::uint16_t link) const {
    return nodes_[node.value].cables[link];
  }
  [[nodiscard]] std::span<const std::uint32_t> leaving(NodeId node) const {
    return nodes_[node.value].cables;
  }
  [[nodiscard]] bool works(NodeId node) const { return nodes_[node.value].works; }
  [[nodiscard]] bool has_faults(NodeId node) const { return nodes_[node.value].has_faults; }
  [[nodiscard]] const Watch& watch(NodeId node) const { return nodes_[node.value].watch; }

 private:
  enum class Kind : std::uint32_t { fault, judgement, hello, look };
  struct Node {
    Watch watch;
    std::vector<std::uint32_t> cables;  // by local link: the one that leaves
    Picoseconds looked{0};
    bool works{true};
    bool has_faults{false};
  };

  void lay_cables(std::span<vlb::Steering* const> steering);
  void schedule(Picoseconds at, Kind kind, std::uint32_t number);
  void take(Kind kind, std::uint32_t number);
  void change(const Fault& fault);
  void change_node(std::uint32_t number, bool works);
  void set_works(std::uint32_t cable, bool link_works);
  [[nodiscard]] Picoseconds notice_after(bool works) const;
  [[nodiscard]] bool is_noticed(const Cable& cable) const;
  void judge(std::uint32_t link);
  void say_hello(std::uint32_t from);
  void look(std::uint32_t at);
  [[nodiscard]] bool is_looked_at_again() const;
  void show(const Node& node) { node.watch.show(said_, now_, view_); }

  const Scenario& scenario_;
  std::function<void(std::uint32_t)> lose_;
  std::function<void(NodeId)> revived_;
  Picoseconds now_{0};
  EventQueue events_;
  std::vector<Node> nodes_;
  std::vector<Cable> cables_;
  std::vector<std::vector<vlb::LinkView>> said_;  // by node, in its last hello frames
  vlb::FabricView view_;                          // of the node whose turn it is
};

}  // namespace rackway::simulator
