// SPDX-License-Identifier: Apache-2.0
// What the operator wants of steering: one mode for all nodes, and which of them drain. The mode is
// the document's until the operator says another. That a node drains survives a restart of the
// controller, whom the node tells in its hello, and one of the node, whom the controller tells.
#pragma once

#include <vector>

#include "base/id.hh"
#include "cluster/messages.hh"
#include "topo/steering_mode.hh"

namespace rackway::control {

class VlbOrders {
 public:
  VlbOrders(topo::SteeringMode mode, std::size_t nodes)
      : mode_(mode), drains_(nodes, false), known_(nodes, false) {}

  void set_mode(topo::SteeringMode mode) { mode_ = mode; }
  void set_draining(NodeId node, bool drains) {
    drains_[node.value] = drains;
    known_[node.value] = true;
  }
  // A node says hello. What it says of itself counts only while nobody has said anything else.
  void hear(NodeId node, bool drains) {
    if (!known_[node.value] && drains) set_draining(node, true);
  }

  [[nodiscard]] topo::SteeringMode mode() const { return mode_; }
  [[nodiscard]] bool drains(NodeId node) const { return drains_[node.value]; }
  [[nodiscard]] cluster::VlbSettings settings_for(NodeId node) const {
    return {mode_, drains(node)};
  }

 private:
  topo::SteeringMode mode_;
  std::vector<bool> drains_, known_;  // by node
};

}  // namespace rackway::control
