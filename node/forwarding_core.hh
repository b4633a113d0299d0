// SPDX-License-Identifier: Apache-2.0
// The forwarding core: one thread that polls every place, takes each burst through its journey, and
// rests when there is nothing. It reads the FIB under RCU and keeps its own view of which fabric
// links are up. Everything else of the node serves it.
#pragma once

#include <rte_ring.h>

#include <atomic>

#include "fib/left_right.hh"
#include "fib/rcu.hh"
#include "node/idle_governor.hh"
#include "node/journey.hh"
#include "node/place.hh"
#include "node/steering_handover.hh"
#include "node/wake_up.hh"
#include "vlb/steering.hh"

namespace rackway::node {

// What the core shares with the agent and the slow path. Made before the core starts.
struct Shared {
  Shared(NodeId id, vlb::Steering table) : self(id), steering(std::move(table)) {}

  NodeId self;
  vlb::Steering steering;          // the core's own
  SteeringHandover next_steering;  // agent -> core
  Places places;
  fib::LeftRight fib;        // the agent writes
  rte_ring* punt_queue{};    // core -> slow path
  rte_ring* inject_queue{};  // slow path -> core
  rte_mempool* pool{};       // of the frames that the core makes
  WakeUp slow_path_wake, core_wake;
  std::atomic<bool> controller_present{false};  // agent -> core, relaxed: a hint
  std::atomic<std::uint8_t> epoch_mark{0};      // agent -> core, relaxed: for diagnosis only
  std::atomic<bool> stop{false};                // signal -> everybody, relaxed
};

class ForwardingCore {
 public:
  ForwardingCore(Shared& shared, bool busy);  // its clock is the TSC
  ForwardingCore(Shared& shared, bool busy, std::uint64_t ticks_per_second);

  // Until shared.stop. On the thread that is to be the core.
  void run();

  // One round of polls at that time, which is all that the core knows of time; how many frames came
  // in. What run() does over and over; for those who have a clock of their own. The caller sees to
  // it that no FIB is committed meanwhile, or is an rcu::ReaderThread.
  unsigned step(std::uint64_t ticks) noexcept;

 private:
  unsigned poll_ports(const fib::Fib& fib) noexcept;
  unsigned poll_links(const fib::Fib& fib) noexcept;
  unsigned poll_controller(const fib::Fib& fib) noexcept;
  unsigned receive(Place& place) noexcept;
  [[nodiscard]] Context context(const fib::Fib& fib, Place& in, PortId port) const noexcept;
  void watch_links(std::uint64_t now) noexcept;
  void rest(fib::rcu::ReaderThread& reader, std::uint32_t microseconds) noexcept;

  Shared& shared_;
  std::uint64_t ticks_per_second_, ticks_per_microsecond_;
  std::uint64_t ticks_ = 0;     // when this round of polls began
  vlb::Time microseconds_ = 0;  // the same
  IdleGovernor governor_;
  Journey journey_;
  Burst burst_;
  std::vector<bool> live_links_;
  std::uint64_t next_link_check_ = 0;
};

}  // namespace rackway::node
