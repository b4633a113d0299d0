// SPDX-License-Identifier: Apache-2.0
// The controller's side of the packet channel: frames that nodes punt are written to the TAP of the
// port they came in by, frames that the kernel sends on a TAP go to that port's node. Has a thread
// of its own, so that neither a flood of packets nor a large epoch holds the other up. A node can
// only speak for its own ports: the channel tells who sent a frame, by its key where there are
// keys.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "cluster/control_channel.hh"
#include "control/peer_conduct.hh"

namespace rackway::control {

class SlowPath {
 public:
  struct Node {
    std::string name;
    std::vector<int> taps;  // file descriptors by PortId; must outlive this object
  };

  // Starts the thread. nodes: by NodeId. conduct: outlives this object.
  SlowPath(cluster::ControllerEnd channel, std::vector<Node> nodes, PeerConduct& conduct);
  ~SlowPath();

  struct Counters {
    std::atomic<std::uint64_t> punted{0}, injected{0};
    std::atomic<std::uint64_t> punt_refused{0};  // by the kernel: link down, queue full
    std::atomic<std::uint64_t> inject_lost{0};   // node not connected or far behind
    std::atomic<std::uint64_t> malformed{0};     // batches from unknown nodes or not well-formed,
                                                 // frames of ports that the node has not
  };
  [[nodiscard]] const Counters& counters() const { return counters_; }

 private:
  void run();
  void take_punted();
  void take_batch(NodeId node, const std::string& batch);
  void send_injected(const Node& node);

  cluster::ControllerEnd channel_;
  std::vector<Node> nodes_;
  PeerConduct& conduct_;
  Counters counters_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace rackway::control
