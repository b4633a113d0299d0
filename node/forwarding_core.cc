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

ForwardingCore::ForwardingCore(Shared& shared, std::uint16_t number, bool busy)
    : ForwardingCore(shared, number, busy, rte_get_tsc_hz()) {}

ForwardingCore::ForwardingCore(Shared& shared, std::uint16_t number, bool busy,
                               std::uint64_t ticks_per_second)
    : shared_(shared),
      own_(*shared.lcores[number]),
      number_(number),
      ticks_per_microsecond_(std::max<std::uint64_t>(1, ticks_per_second / 1'000'000)),
      governor_(busy, ticks_per_microsecond_),
      journey_(shared.places, own_.steering, own_.punt_queue, shared.slow_path_wake, *shared.pool,
               {ticks_per_second, static_cast<std::uint16_t>(shared.lcores.size())}, number,
               {number == 0 ? shared.watch.get() : nullptr, shared.hellos}) {
  if (number == 0 && !shared.watch) {
    carrier_watch_.emplace(shared.places, own_.steering.table(), ticks_per_second);
  }
  for (const double rate : shared.link_rates) {
    backlogs_.emplace_back(rate / static_cast<double>(shared.lcores.size()));
  }
}

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
      rest(reader, number_ == 0 && shared_.watch
                       ? std::min(pause, shared_.watch->until_next_hello(microseconds_))
                       : pause);
    } else {
      rte_pause();
    }
  }
  gate.detach();
}

unsigned ForwardingCore::step(std::uint64_t ticks) noexcept {
  ticks_ = ticks;
  microseconds_ = static_cast<vlb::Time>(ticks / ticks_per_microsecond_);
  if (!shared_.watch) watch_fabric();
  const fib::Fib& fib = *shared_.fib.active();
  const unsigned frames = poll_ports(fib) + poll_links(fib) + poll_controller(fib);
  // Nobody's silence is judged before what has come in has been heard.
  if (shared_.watch) watch_fabric();
  if (microseconds_ != backlogs_at_) tell_backlogs();
  return frames;
}

template <class Forward>
unsigned ForwardingCore::poll(Place& place, Forward&& forward) noexcept {
  if (!place.usable.load(std::memory_order_acquire)) return 0;
  unsigned frames = 0;
  const auto cores = static_cast<std::uint16_t>(shared_.lcores.size());
  for (std::uint16_t queue = number_; queue < place.receive_queues; queue += cores) {
    const auto received = rte_eth_rx_burst(place.device, queue, burst_.frames.data(), kBurst);
    if (received == 0) continue;
    burst_.begin(received);
    forward();
    frames += received;
  }
  return frames;
}

unsigned ForwardingCore::poll_ports(const fib::Fib& fib) noexcept {
  unsigned frames = 0;
  for (std::uint16_t i = 0; i < shared_.places.ports; ++i) {
    auto& port = shared_.places.port(PortId{i});
    frames +=
        poll(port, [&] { journey_.from_external_port(burst_, context(fib, port, PortId{i})); });
  }
  return frames;
}

unsigned ForwardingCore::poll_links(const fib::Fib& fib) noexcept {
  unsigned frames = 0;
  for (std::size_t i = 0; i < shared_.places.links(); ++i) {
    auto& link = shared_.places.link(i);
    frames += poll(link, [&] { journey_.from_fabric_link(burst_, context(fib, link, PortId{})); });
  }
  return frames;
}

unsigned ForwardingCore::poll_controller(const fib::Fib& fib) noexcept {
  const unsigned received = rte_ring_sc_dequeue_burst(
      own_.inject_queue, reinterpret_cast<void**>(burst_.frames.data()), kBurst, nullptr);
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
          .counters = in.counters[number_],
          .controller_present = shared_.controller_present.load(std::memory_order_relaxed),
          .epoch_mark = shared_.epoch_mark.load(std::memory_order_relaxed),
          .now = microseconds_,
          .ticks = ticks_};
}

// Steering follows the fabric at once, without the controller, and loads and delays as they move.
void ForwardingCore::watch_fabric() noexcept {
  if (number_ == 0) watch_for_all();
  const bool steers_anew = own_.next_steering.take(own_.steering);
  if (steers_anew && says_hello()) {
    shared_.watch->set_table(own_.steering.table(), microseconds_);
  }
  const bool ordered_anew = follow_orders();
  const auto* const newer = own_.fabric.take();
  if (newer != nullptr) seen_ = newer;
  if (seen_ != nullptr && (newer != nullptr || steers_anew || ordered_anew)) {
    own_.steering.see(*seen_, microseconds_);
    if (number_ == 0) tell_steering();
  }
}

// By what this core sent: the others' shares of the links are like it.
void ForwardingCore::tell_backlogs() noexcept {
  backlogs_at_ = microseconds_;
  for (std::size_t i = 0; i < backlogs_.size(); ++i) {
    const Counters& counters = shared_.places.link(i).counters[number_];
    const auto octets = counters.octets_on_cable() + counters.refused_bytes.get();
    own_.steering.set_backlog(i, backlogs_[i].at(octets, microseconds_));
  }
}

bool ForwardingCore::follow_orders() noexcept {
  const auto mode = shared_.steering_mode.load(std::memory_order_relaxed);
  if (mode == own_.steering.mode()) return false;
  own_.steering.set_mode(mode);
  return true;
}

void ForwardingCore::tell_steering() noexcept {
  shared_.moved_early.store(own_.steering.moved_early(), std::memory_order_relaxed);
  shared_.flowlet_gap_us.store(own_.steering.longest_flowlet_gap(), std::memory_order_relaxed);
}

void ForwardingCore::watch_for_all() noexcept {
  constexpr vlb::Time kTellEvery = 1'000, kTellIdleEvery = 20'000;
  const auto tell = [this](const vlb::FabricView& view) {
    for (auto& lcore : shared_.lcores) lcore->fabric.publish(view);
  };
  if (carrier_watch_) {
    if (const auto* view = carrier_watch_->look(ticks_); view != nullptr) tell(*view);
    return;
  }
  FabricWatch& watch = *shared_.watch;
  watch.set_draining(shared_.draining.load(std::memory_order_relaxed));
  watch.take_from_others(shared_.hellos, microseconds_);
  watch.advance(microseconds_);
  const vlb::Time pause = watch.idle() ? kTellIdleEvery : kTellEvery;
  if (watch.version() == told_version_ && microseconds_ - told_at_ < pause) return;
  told_version_ = watch.version();
  told_at_ = microseconds_;
  tell(watch.view());
}

void ForwardingCore::rest(fib::rcu::ReaderThread& reader, std::uint32_t microseconds) noexcept {
  reader.offline();
  own_.wake.about_to_sleep();
  bool notified = false;
  if (rte_ring_empty(own_.inject_queue) != 0) {
    pollfd wake{.fd = own_.wake.fd(), .events = POLLIN, .revents = 0};
    const timespec time{.tv_sec = 0, .tv_nsec = static_cast<long>(microseconds) * 1000};
    notified = ::ppoll(&wake, 1, &time, nullptr) > 0;
  }
  own_.wake.awake(notified);
  reader.online();
}

}  // namespace rackway::node
