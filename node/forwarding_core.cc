// SPDX-License-Identifier: Apache-2.0
#include "node/forwarding_core.hh"

#include <poll.h>
#include <rte_cycles.h>
#include <rte_ethdev.h>
#include <rte_pause.h>
#include <sys/prctl.h>

#include <algorithm>
#include <ctime>

#include "node/datapath_gate.hh"

namespace rackway::node {
namespace {

constexpr std::uint64_t kLinkChecksPerSecond = 200;

}  // namespace

ForwardingCore::ForwardingCore(Shared& shared, bool busy)
    : ForwardingCore(shared, busy, rte_get_tsc_hz()) {}

ForwardingCore::ForwardingCore(Shared& shared, bool busy, std::uint64_t ticks_per_second)
    : shared_(shared),
      ticks_per_second_(ticks_per_second),
      ticks_per_microsecond_(std::max<std::uint64_t>(1, ticks_per_second / 1'000'000)),
      governor_(busy, ticks_per_microsecond_),
      journey_(shared.places, shared.steering, shared.punt_queue, shared.slow_path_wake,
               *shared.pool, ticks_per_second),
      live_links_(shared.places.links(), false) {}

void ForwardingCore::run() {
  ::prctl(PR_SET_TIMERSLACK, 1);  // or every nap is 50 us longer
  fib::rcu::ReaderThread reader;
  auto& gate = DatapathGate::instance();
  gate.attach();
  while (!shared_.stop.load(std::memory_order_relaxed)) {
    gate.checkpoint();
    const std::uint64_t now = rte_rdtsc();
    const unsigned frames = step(now);
    reader.quiescent();
    if (frames > 0) {
      governor_.worked(now);
    } else if (const auto pause = governor_.rest(now); pause > 0) {
      rest(reader, pause);
    } else {
      rte_pause();
    }
  }
  gate.detach();
}

unsigned ForwardingCore::step(std::uint64_t ticks) noexcept {
  watch_links(ticks);
  ticks_ = ticks;
  microseconds_ = static_cast<vlb::Time>(ticks / ticks_per_microsecond_);
  const fib::Fib& fib = *shared_.fib.active();
  return poll_ports(fib) + poll_links(fib) + poll_controller(fib);
}

unsigned ForwardingCore::receive(Place& place) noexcept {
  if (!place.usable.load(std::memory_order_acquire)) return 0;
  const auto received = rte_eth_rx_burst(place.device, 0, burst_.frames.data(), kBurst);
  burst_.begin(received);
  return received;
}

unsigned ForwardingCore::poll_ports(const fib::Fib& fib) noexcept {
  unsigned frames = 0;
  for (std::uint16_t i = 0; i < shared_.places.ports; ++i) {
    auto& port = shared_.places.port(PortId{i});
    if (const auto received = receive(port); received > 0) {
      journey_.from_external_port(burst_, context(fib, port, PortId{i}));
      frames += received;
    }
  }
  return frames;
}

unsigned ForwardingCore::poll_links(const fib::Fib& fib) noexcept {
  unsigned frames = 0;
  for (std::size_t i = 0; i < shared_.places.links(); ++i) {
    auto& link = shared_.places.link(i);
    if (const auto received = receive(link); received > 0) {
      journey_.from_fabric_link(burst_, context(fib, link, PortId{}));
      frames += received;
    }
  }
  return frames;
}

unsigned ForwardingCore::poll_controller(const fib::Fib& fib) noexcept {
  const unsigned received = rte_ring_sc_dequeue_burst(
      shared_.inject_queue, reinterpret_cast<void**>(burst_.frames.data()), kBurst, nullptr);
  if (received == 0) return 0;
  burst_.begin(static_cast<std::uint16_t>(received));
  journey_.from_controller(burst_, context(fib, shared_.places.controller, PortId{}));
  return received;
}

Context ForwardingCore::context(const fib::Fib& fib, Place& in, PortId port) const noexcept {
  return {.fib = fib,
          .self = shared_.self,
          .port = port,
          .in = in,
          .controller_present = shared_.controller_present.load(std::memory_order_relaxed),
          .epoch_mark = shared_.epoch_mark.load(std::memory_order_relaxed),
          .now = microseconds_,
          .ticks = ticks_};
}

// Steering follows the links at once, without the controller.
void ForwardingCore::watch_links(std::uint64_t now) noexcept {
  if (now < next_link_check_) return;
  next_link_check_ = now + ticks_per_second_ / kLinkChecksPerSecond;
  bool changed = shared_.next_steering.take(shared_.steering);
  for (std::size_t i = 0; i < live_links_.size(); ++i) {
    auto& link = shared_.places.link(i);
    rte_eth_link state{};
    const bool up = link.usable.load(std::memory_order_acquire) &&
                    rte_eth_link_get_nowait(link.device, &state) == 0 &&
                    state.link_status == RTE_ETH_LINK_UP;
    changed |= live_links_[i] != up;
    live_links_[i] = up;
  }
  if (!changed) return;
  shared_.steering.see(vlb::view_of_carriers(shared_.steering.table(), live_links_),
                       static_cast<vlb::Time>(now / ticks_per_microsecond_));
}

void ForwardingCore::rest(fib::rcu::ReaderThread& reader, std::uint32_t microseconds) noexcept {
  reader.offline();
  shared_.core_wake.about_to_sleep();
  bool notified = false;
  if (rte_ring_empty(shared_.inject_queue) != 0) {
    pollfd wake{.fd = shared_.core_wake.fd(), .events = POLLIN, .revents = 0};
    const timespec time{.tv_sec = 0, .tv_nsec = static_cast<long>(microseconds) * 1000};
    notified = ::ppoll(&wake, 1, &time, nullptr) > 0;
  }
  shared_.core_wake.awake(notified);
  reader.online();
}

}  // namespace rackway::node
