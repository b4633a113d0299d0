// SPDX-License-Identifier: Apache-2.0
// A forwarding core: one thread that polls its queue of every place, takes each burst through its
// journey, and rests when there is nothing. It reads the FIB under RCU; a packet stays with it from
// receive to transmit. The first core also says hello on the fabric links and listens
// to others there, for all. Everything else of the node
// serves the cores.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "fib/rcu.hh"
#include "node/carrier_watch.hh"
#include "node/idle_governor.hh"
#include "node/journey.hh"
#include "node/shared.hh"

namespace rackway::node {

class ForwardingCore {
 public:
  // number: of shared.lcores.
  ForwardingCore(Shared& shared, std::uint16_t number, bool busy);  // its clock is the TSC
  ForwardingCore(Shared& shared, std::uint16_t number, bool busy, std::uint64_t ticks_per_second);

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
  // Calls forward() for the burst of each of this core's queues there that has one.
  template <class Forward>
  unsigned poll(Place& place, Forward&& forward) noexcept;
  [[nodiscard]] Context context(const fib::Fib& fib, Place& in, PortId port) const noexcept;
  [[nodiscard]] bool says_hello() const noexcept { return number_ == 0 && shared_.watch; }
  void watch_fabric() noexcept;
  void tell_backlogs() noexcept;
  void watch_for_all() noexcept;
  // True if the mode of steering is another.
  [[nodiscard]] bool follow_orders() noexcept;
  void tell_steering() noexcept;
  void rest(fib::rcu::ReaderThread& reader, std::uint32_t microseconds) noexcept;

  Shared& shared_;
  Lcore& own_;
  std::uint16_t number_;
  std::uint64_t ticks_per_microsecond_;
  std::uint64_t ticks_ = 0;     // when this round of polls began
  vlb::Time microseconds_ = 0;  // the same
  IdleGovernor governor_;
  Journey journey_;
  Burst burst_;
  std::optional<CarrierWatch> carrier_watch_;  // the first core's, if there are no hellos
  const vlb::FabricView* seen_{};  // what the steering goes by; valid until the next take()
  std::vector<vlb::LinkBacklog> backlogs_;  // of this core's share of the links; none: unknown
  vlb::Time backlogs_at_ = 0;
  std::uint64_t told_version_ = 0;  // the first core: of the view that all cores have been told
  vlb::Time told_at_ = 0;
};

}  // namespace rackway::node
