// SPDX-License-Identifier: Apache-2.0
// The TAPs of all external ports of the cluster, named NODE-PORT, and the network namespace they
// are in. Until keep(), what was made here goes with this object, so that a start that fails later
// leaves nothing behind; afterwards it stays for the next controller.
#pragma once

#include <memory>
#include <vector>

#include "base/id.hh"
#include "control/kernel/tap.hh"
#include "topo/cluster_document.hh"

namespace rackway::control {

class PortTaps {
 public:
  // Throws StartupError.
  explicit PortTaps(const topo::ClusterDocument& document);
  ~PortTaps();
  PortTaps(const PortTaps&) = delete;
  PortTaps& operator=(const PortTaps&) = delete;

  void keep();

  // Of one node, by PortId.
  [[nodiscard]] std::vector<std::unique_ptr<Tap>>& of(NodeId node) { return taps_[node.value]; }

 private:
  void open_all(const topo::ClusterDocument& document);
  void take_back() noexcept;

  std::string network_namespace_;
  bool made_namespace_ = false;  // and not kept
  std::vector<std::vector<std::unique_ptr<Tap>>> taps_;
};

}  // namespace rackway::control
