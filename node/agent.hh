// SPDX-License-Identifier: Apache-2.0
// The node's side of the control channel: introduces the node to the controller, prepares and
// commits epochs, reports counters and port states, and looks after the fabric devices. Runs on the
// main thread; never touches a packet. What it does with epochs is in tests/model/agent.pml. A node
// that no controller answers may start by what it had kept (node/state_file.hh): it forwards, and
// takes part in epochs when a controller has welcomed it.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cluster/audit_run.hh"
#include "cluster/control_channel.hh"
#include "cluster/messages.hh"
#include "node/shared.hh"
#include "node/state_file.hh"
#include "node/state_keeper.hh"

namespace rackway::node {

class Agent {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr Clock::duration kForever = std::chrono::hours(24 * 365);

  Agent(std::string name, const std::string& controller_endpoint,
        const std::optional<cluster::NodeKeys>& keys);

  // Says hello until the controller answers with what this node is. Nothing when `stop` became true
  // meanwhile, or nobody answered for so long. Throws StartupError when the controller refuses the
  // node.
  [[nodiscard]] std::optional<cluster::Welcome> join(const std::atomic<bool>& stop,
                                                     Clock::duration patience = kForever);

  // What this node is by its state file; nothing when there is none that is sound.
  [[nodiscard]] std::optional<cluster::Welcome> resume(const std::filesystem::path& state);
  // The FIB and the orders of that file, if resume() found one. Before any core runs.
  void bring_back(Shared& shared);

  // From now on hellos say that the state is kept.
  void keeps_state() { keeps_state_ = true; }

  // Random, not 0: of this run of the node.
  [[nodiscard]] std::uint64_t boot_id() const { return boot_id_; }

  // Serves the channel until shared.stop. keeper: null when nothing is kept.
  void run(Shared& shared, StateKeeper* keeper);

 private:
  bool say_hello(const Shared* shared);
  void take_up(Shared& shared, Epoch epoch);
  void keep_orders();
  void take_messages(Shared& shared);
  [[nodiscard]] bool passed_over(const cluster::Message& message) const;
  void on(Shared& shared, const cluster::Prepare& message);
  void on(Shared& shared, const cluster::PrepareSnapshot& message);
  void on(Shared& shared, const cluster::Commit& message);
  void on(Shared& shared, const cluster::SnapshotRequest& message);
  void on(Shared& shared, const cluster::AuditRequest& message);
  void on(Shared& shared, const cluster::HelloRequest& message);
  void on(Shared& shared, const cluster::Welcome& message);
  void on(Shared& shared, const cluster::Rejected& message);
  void on(Shared& shared, const cluster::LinksDown& message);
  void on(Shared& shared, const cluster::VlbSettings& message);
  template <class Other>
  void on(Shared&, const Other&) {}  // a heartbeat, or a message that only nodes send
  void end_audit();
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
  bool greeted_ = false;  // by a controller, in this run
  StateKeeper* keeper_ = nullptr;
  bool keeps_state_ = false;      // or is going to
  std::optional<State> resumed_;  // until bring_back()
  bool is_resumed_ = false;
  std::string refusal_;                     // why there is nothing to resume
  Epoch epoch_;                             // of the active FIB
  Epoch prepared_epoch_;                    // meaningful while the FIB has something prepared
  std::optional<cluster::AuditRun> audit_;  // of the active FIB
  Clock::time_point heard_{};
  cluster::PortStates reported_ports_;
  cluster::VlbSettings settings_;
  cluster::LinksDown links_down_;         // that the steering goes by
  std::vector<std::uint32_t> own_links_;  // their numbers
};

}  // namespace rackway::node
