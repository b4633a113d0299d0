// SPDX-License-Identifier: Apache-2.0
// The node's side of the control channel: introduces the node to the controller, prepares and
// commits epochs, reports counters and port states, and looks after the fabric devices. Runs on the
// main thread; never touches a packet. What it does with epochs is in tests/model/agent.pml.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "cluster/control_channel.hh"
#include "cluster/messages.hh"
#include "node/shared.hh"

namespace rackway::node {

class Agent {
 public:
  Agent(std::string name, const std::string& controller_endpoint);

  // Says hello until the controller answers with what this node is. Nothing when `stop` became true
  // meanwhile. Throws StartupError when the controller refuses the node.
  [[nodiscard]] std::optional<cluster::Welcome> join(const std::atomic<bool>& stop);

  // Random, not 0: of this run of the node.
  [[nodiscard]] std::uint64_t boot_id() const { return boot_id_; }

  // Serves the channel until shared.stop.
  void run(Shared& shared);

 private:
  using Clock = std::chrono::steady_clock;

  bool say_hello(const Shared* shared);
  void take_messages(Shared& shared);
  void on(Shared& shared, const cluster::Prepare& message);
  void on(Shared& shared, const cluster::PrepareSnapshot& message);
  void on(Shared& shared, const cluster::Commit& message);
  void on(Shared& shared, const cluster::SnapshotRequest& message);
  void on(Shared& shared, const cluster::HelloRequest& message);
  void on(Shared& shared, const cluster::Welcome& message);
  void on(Shared& shared, const cluster::Rejected& message);
  void on(Shared& shared, const cluster::LinksDown& message);
  void on(Shared& shared, const cluster::VlbSettings& message);
  template <class Other>
  void on(Shared&, const Other&) {}  // a heartbeat, or a message that only nodes send
  void answer_prepared(Epoch epoch, Result<fib::Digest> digest);
  bool send(const cluster::Message& message);
  void report(Shared& shared);
  void report_ports(Shared& shared, bool always);
  void watch_controller(Shared& shared);
  [[nodiscard]] cluster::Status status(Shared& shared) const;
  void add_fabric(cluster::Status& status, Shared& shared) const;

  std::string name_;
  std::string endpoint_;
  cluster::NodeEnd channel_;
  std::uint64_t boot_id_;
  Clock::time_point started_ = Clock::now();
  std::optional<cluster::Welcome> welcome_;
  Epoch epoch_;           // of the active FIB
  Epoch prepared_epoch_;  // meaningful while the FIB has something prepared
  Clock::time_point heard_{};
  cluster::PortStates reported_ports_;
  cluster::LinksDown links_down_;         // that the steering goes by
  std::vector<std::uint32_t> own_links_;  // their numbers
};

}  // namespace rackway::node
