// SPDX-License-Identifier: Apache-2.0
// Which flows were moved to another path by a node's death: those that change it between two of
// their packets with a pause too short to have ended a flowlet. Flows from and to the dead node do
// not count. A flow counts once. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "vlb/traffic/packet.hh"

namespace rackway::bench {

class FlowMoves {
 public:
  struct Window {
    traffic::Picoseconds from, until;
  };
  // dead: the node that is, or will be. pause: the shortest that may end a flowlet.
  FlowMoves(NodeId dead, Window window, traffic::Picoseconds pause)
      : dead_(dead), window_(window), pause_(pause) {}

  // A packet goes into the fabric, over a cable, to be delivered to `target` first.
  void see(const traffic::Packet& packet, NodeId target, std::uint32_t cable,
           traffic::Picoseconds now);

  [[nodiscard]] std::uint64_t used_it() const { return used_it_; }
  [[nodiscard]] std::uint64_t did_not() const { return did_not_; }

 private:
  struct Way {
    traffic::Picoseconds last{0};  // 0: not seen yet
    std::uint32_t cable{0};
    NodeId target;
    bool counted{false};
  };

  NodeId dead_;
  Window window_;
  traffic::Picoseconds pause_;
  std::vector<Way> ways_;  // by flow
  std::uint64_t used_it_{0}, did_not_{0};
};

}  // namespace rackway::bench
