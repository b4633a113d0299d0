// SPDX-License-Identifier: Apache-2.0
// The controller: mirrors the cluster's ports into the kernel, the kernel's routes into one FIB,
// and the FIB onto all nodes. Owns the parts and carries what each says to the others; one thread,
// apart from the slow path's.
//
//   nodes --messages--> EpochCoordinator <--delta-- FibBuilder <--changes-- KernelMirror
//   nodes --port states--> Taps            static routes of the document --> kernel, RIB
//   zebra --FPM--> FpmFeed --routes--> the RIB in FibBuilder
//   operator --orders--> OperatorRoutes --routes--> the RIB in FibBuilder
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/api_channel.hh"
#include "cluster/control_channel.hh"
#include "cluster/key_gate.hh"
#include "cluster/messages.hh"
#include "control/audit.hh"
#include "control/epoch_coordinator.hh"
#include "control/event_log.hh"
#include "control/fabric_links.hh"
#include "control/fib_builder.hh"
#include "control/fpm/fpm_feed.hh"
#include "control/kernel/kernel_mirror.hh"
#include "control/kernel/static_routes.hh"
#include "control/operator_routes.hh"
#include "control/peer_conduct.hh"
#include "control/port_taps.hh"
#include "control/settling.hh"
#include "control/slow_path.hh"
#include "control/vlb_orders.hh"
#include "topo/cluster_document.hh"

namespace rackway::control {

// What a node last told of itself.
struct NodeReport {
  cluster::Status status;
  std::vector<cluster::PortState> ports;  // by PortId; empty before the node has joined
};

class Controller {
 public:
  // Opens everything. Throws StartupError.
  // gate: who is let in; null lets anybody in. state: folder for what outlives the controller; none
  // if empty.
  Controller(topo::ClusterDocument document, std::unique_ptr<cluster::KeyGate> gate,
             const std::filesystem::path& state = {});

  // Until stop.
  void run(const std::atomic<bool>& stop);

 private:
  using Clock = std::chrono::steady_clock;

  void take_messages(Clock::time_point now);
  void take_message(NodeId node, const std::string& bytes, Clock::time_point now);
  void blame(NodeId node, PeerFault fault, const std::string& what, Clock::time_point now);
  void welcome(NodeId node, const cluster::Hello& hello, Clock::time_point now);
  void note_start(NodeId node, const cluster::Hello& hello, Clock::time_point now);
  void dispatch(NodeId node, const cluster::Message& message, Clock::time_point now);
  void on_status(NodeId node, const cluster::Status& status, Clock::time_point now);
  [[nodiscard]] Audit make_audit();
  void on_ports(NodeId node, const cluster::PortStates& states);
  void watch_nodes(Clock::time_point now);
  [[nodiscard]] int patience_ms() const;
  void take_kernel_changes();
  void take_zebra_routes(Clock::time_point now);
  void take_over();
  void publish(Clock::time_point now);
  void settle_when_due(Clock::time_point now);
  void install_static_routes();
  void every_so_often(Clock::time_point now);
  bool send(NodeId node, const cluster::Message& message);
  [[nodiscard]] cluster::Welcome welcome_for(NodeId node) const;
  [[nodiscard]] std::string answer(const std::string& request);
  [[nodiscard]] std::string show(const std::string& request) const;
  void tell_vlb_settings();

  topo::ClusterDocument document_;
  Clock::time_point started_ = Clock::now();
  std::unique_ptr<cluster::KeyGate> gate_;
  PeerConduct conduct_;
  cluster::ApiServer api_;
  cluster::ControllerEnd channel_, packets_;  // packets_ is the slow path's as soon as there is one
  PortTaps taps_;
  KernelMirror mirror_;
  StaticRoutes static_routes_;
  FibBuilder builder_;
  OperatorRoutes operator_routes_;
  EpochCoordinator coordinator_;
  FabricLinks fabric_links_;
  std::unique_ptr<SlowPath> slow_path_;
  VlbOrders vlb_orders_;

  std::unordered_map<std::string, NodeId> node_ids_;
  std::vector<NodeReport> reports_;  // by node
  EventLog events_{document_};
  Audit audit_;
  std::unique_ptr<FpmFeed> fpm_;           // null: off
  std::vector<bool> carriers_known_down_;  // by node: its TAPs were told that it is down
  std::vector<std::string> waiting_static_routes_;

  bool kernel_waits_ = false;  // with more than was taken this turn
  bool took_over_ = false;     // what the nodes had at the start, if anything
  bool settled_ = false;
  Settling settling_;
  Clock::time_point next_round_{}, next_heartbeat_{};
  std::optional<Clock::time_point> first_unpublished_;
  Clock::duration gather_{};  // from then
};

}  // namespace rackway::control
