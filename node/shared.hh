// SPDX-License-Identifier: Apache-2.0
// What the threads of a node share: the forwarding cores, the agent, the slow path. Made before any
// of them starts. Each core has an Lcore of its own; what all cores read, none of them writes.
#pragma once

#include <rte_mempool.h>
#include <rte_ring.h>

#include <atomic>
#include <memory>
#include <vector>

#include "base/id.hh"
#include "fib/left_right.hh"
#include "node/fabric_watch.hh"
#include "node/latest_value.hh"
#include "node/place.hh"
#include "node/steering_handover.hh"
#include "node/wake_up.hh"
#include "vlb/fabric_view.hh"
#include "vlb/steering.hh"

namespace rackway::node {

// One forwarding core's own, and its ends of queues, which have one producer and one consumer.
struct Lcore {
  explicit Lcore(const vlb::Steering& table) : steering(table) {}

  vlb::Steering steering;
  SteeringHandover next_steering;       // agent -> this core
  LatestValue<vlb::FabricView> fabric;  // first core -> this core
  rte_ring* punt_queue{};               // this core -> slow path
  rte_ring* inject_queue{};             // slow path -> this core
  WakeUp wake;                          // for inject_queue
};

struct Shared {
  // Every core steers by a copy of that table.
  Shared(NodeId id, const vlb::Steering& table, std::size_t cores = 1) : self(id), places(cores) {
    for (std::size_t i = 0; i < cores; ++i) lcores.push_back(std::make_unique<Lcore>(table));
    steering_mode.store(table.mode(), std::memory_order_relaxed);
  }

  // The core that an external port's injected frames leave by, so that they keep their order.
  [[nodiscard]] Lcore& injector_of(PortId port) const {
    return *lcores[port.value % lcores.size()];
  }

  NodeId self;
  std::vector<std::unique_ptr<Lcore>> lcores;
  Places places;
  std::vector<double> link_rates;  // bits/s by local link; 0 or none: unknown
  fib::LeftRight fib;              // the agent writes
  rte_mempool* pool{};             // of the frames that the cores make
  // The first core's; null: nobody says hello, and a link is alive while it has a carrier.
  std::unique_ptr<FabricWatch> watch;
  rte_ring* hellos{};  // other cores -> first core; if there is a watch
  WakeUp slow_path_wake;
  std::atomic<bool> controller_present{false};  // agent -> cores, relaxed: a hint
  std::atomic<std::uint8_t> epoch_mark{0};      // agent -> cores, relaxed: for diagnosis only
  // What the controller orders, agent -> cores; relaxed. Status tells of the first core.
  std::atomic<topo::SteeringMode> steering_mode{topo::SteeringMode::adaptive};
  std::atomic<bool> draining{false};  // for hellos
  // First core -> agent, relaxed.
  std::atomic<std::uint32_t> flowlet_gap_us{0};
  std::atomic<std::uint64_t> moved_early{0};
  std::atomic<bool> stop{false};  // signal -> everybody, relaxed
};

}  // namespace rackway::node
