// SPDX-License-Identifier: Apache-2.0
// Answers the operator's questions (docs/api.md) from the controller's present state. JSON stays in
// api.cc. Reads only.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "control/controller.hh"

namespace rackway::control {

struct ApiView {
  const topo::ClusterDocument& document;
  const EpochCoordinator& coordinator;
  const FibBuilder& builder;
  const std::vector<NodeReport>& reports;
  const EventLog& events;
  const VlbOrders& vlb_orders;
  bool settled;
  std::chrono::steady_clock::duration uptime;
  const std::vector<std::string>& waiting_static_routes;
  KernelMirror::Counters kernel{};
  const FpmFeed* fpm{};            // null: it is off
  const cluster::KeyGate* gate{};  // null: no keys
  const PeerConduct* conduct{};    // null: nobody has done anything wrong
  const Audit* audit{};            // null: there is none
};

// Always a JSON object, also for a request that is none.
[[nodiscard]] std::string answer_api(const ApiView& view, const std::string& request);

}  // namespace rackway::control
