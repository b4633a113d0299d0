// SPDX-License-Identifier: Apache-2.0
#include "node/fabric_watch.hh"

#include <rte_ethdev.h>

#include <algorithm>
#include <cstring>

namespace rackway::node {
namespace {

constexpr vlb::Time kAdvanceEvery = 100;
constexpr vlb::Time kCarriersEvery = 5'000;
constexpr vlb::Time kLoadsEvery = 1'000;
constexpr vlb::Time kReportEvery = 50'000;

FabricReport empty_report(const topo::FabricTable& table) {
  FabricReport report;
  report.links.resize(table.local_links().size());
  report.nodes.resize(table.nodes());
  return report;
}

bool has_carrier(const Place& link) noexcept {
  rte_eth_link state{};
  return link.usable.load(std::memory_order_acquire) &&
         rte_eth_link_get_nowait(link.device, &state) == 0 && state.link_status == RTE_ETH_LINK_UP;
}

}  // namespace

FabricWatch::FabricWatch(Places& places, const topo::FabricTable& table, NodeId self,
                         std::uint64_t boot_id, vlb::HelloTiming timing,
                         std::span<const double> link_rates, rte_mempool& pool)
    : places_(places),
      liveness_(table, self, boot_id, timing),
      pool_(pool),
      draft_(empty_report(table)),
      first_report_(draft_) {
  for (std::size_t i = 0; i < places.links(); ++i) {
    loads_.emplace_back(i < link_rates.size() ? link_rates[i] : 0);
  }
}

std::optional<cluster::DropReason> FabricWatch::take(std::size_t link,
                                                     std::span<const std::uint8_t> frame,
                                                     vlb::Time now) noexcept {
  const auto heard = vlb::read_hello(frame);
  if (!heard) return cluster::DropReason::fabric_malformed;
  switch (liveness_.hear(link, *heard, now)) {
    case vlb::HelloVerdict::not_for_us: return cluster::DropReason::fabric_wrong_target;
    case vlb::HelloVerdict::other_document: return cluster::DropReason::fabric_malformed;
    case vlb::HelloVerdict::believed:
    case vlb::HelloVerdict::stale: break;
  }
  places_.link(link).counters[0].hellos_received.add(1);
  return std::nullopt;
}

// Those that are not believed are counted here, as if they had come to this core.
void FabricWatch::take_from_others(rte_ring* queue, vlb::Time now) noexcept {
  void* frame = nullptr;
  while (rte_ring_sc_dequeue(queue, &frame) == 0) {
    auto* const hello = static_cast<rte_mbuf*>(frame);
    for (std::size_t i = 0; i < places_.links(); ++i) {
      Place& link = places_.link(i);
      if (link.device != hello->port) continue;
      const auto* octets = rte_pktmbuf_mtod(hello, const std::uint8_t*);
      const auto fault = take(i, {octets, hello->data_len}, now);
      if (!fault) break;
      link.counters[0].received.add(1);
      link.counters[0].received_bytes.add(hello->pkt_len);
      link.counters[0].dropped[static_cast<std::size_t>(*fault)].add(1);
    }
    rte_pktmbuf_free(hello);
  }
}

const FabricReport& FabricWatch::report() noexcept {
  if (const auto* report = reports_.take(); report != nullptr) latest_report_ = report;
  return *latest_report_;
}

void FabricWatch::advance(vlb::Time now) noexcept {
  if (advanced_ && now - advanced_at_ < kAdvanceEvery) return;
  const bool first = !advanced_;
  advanced_ = true;
  advanced_at_ = now;
  liveness_.set_ready(ready_.load(std::memory_order_relaxed));
  if (first || now - looked_at_ >= kCarriersEvery) look_at_carriers(now);
  if (now - measured_at_ >= kLoadsEvery) measure_loads(now);
  liveness_.advance(now);
  send_hellos(now);
  note_events();
  if (published_version_ != liveness_.version() || now - published_at_ >= kReportEvery) {
    publish(now);
  }
}

void FabricWatch::look_at_carriers(vlb::Time now) noexcept {
  looked_at_ = now;
  for (std::size_t i = 0; i < places_.links(); ++i) {
    liveness_.set_carrier(i, has_carrier(places_.link(i)), now);
  }
}

void FabricWatch::measure_loads(vlb::Time now) noexcept {
  measured_at_ = now;
  for (std::size_t i = 0; i < loads_.size(); ++i) {
    std::uint64_t sent = 0, refused = 0;
    for (std::size_t core = 0; core < places_.cores; ++core) {
      const Counters& counters = places_.link(i).counters[core];
      sent += counters.octets_on_cable();
      refused += counters.refused_bytes.get();
    }
    liveness_.set_load(i, loads_[i].at(sent, refused, now));
  }
}

bool FabricWatch::idle() const noexcept {
  const auto& links = liveness_.view().links;
  return std::ranges::all_of(links, [](const vlb::LinkView& link) { return link.load == 0; });
}

// One that the device has no room for is tried again in the next round.
void FabricWatch::send_hellos(vlb::Time now) noexcept {
  for (std::size_t i = 0; i < places_.links(); ++i) {
    if (!liveness_.hello_due(i, now) || !send_hello(i, now)) continue;
    liveness_.sent(i, now);
    places_.link(i).counters[0].hellos_sent.add(1);
  }
}

bool FabricWatch::send_hello(std::size_t link, vlb::Time now) noexcept {
  const Place& place = places_.link(link);
  if (!place.usable.load(std::memory_order_acquire)) return false;
  rte_mbuf* frame = rte_pktmbuf_alloc(&pool_);
  if (frame == nullptr) return false;
  std::array<std::uint8_t, vlb::kMaxHelloBytes> octets;
  const auto size = static_cast<std::uint16_t>(liveness_.write(link, now, octets));
  char* const room = rte_pktmbuf_append(frame, size);
  if (room != nullptr) std::memcpy(room, octets.data(), size);
  if (room != nullptr && rte_eth_tx_burst(place.device, 0, &frame, 1) == 1) return true;
  rte_pktmbuf_free(frame);
  return false;
}

void FabricWatch::note_events() noexcept {
  while (const auto event = liveness_.take_event()) {
    events_[events_so_far_++ % FabricReport::kEvents] = *event;
  }
}

void FabricWatch::publish(vlb::Time now) noexcept {
  FabricReport& report = draft_;
  report.at = now;
  const vlb::FabricView& view = liveness_.view();
  for (std::size_t i = 0; i < report.links.size(); ++i) {
    const auto& link = liveness_.link(i);
    report.links[i] = {.state = link.state(),
                       .ready = view.peers[i].ready,
                       .draining = view.peers[i].draining,
                       .load = view.links[i].load,
                       .delay = view.links[i].delay,
                       .peer_boot_id = link.peer_boot_id()};
  }
  for (std::uint16_t node = 0; node < report.nodes.size(); ++node) {
    report.nodes[node] = liveness_.reachable(NodeId{node}) ? 1 : 0;
  }
  report.events_so_far = events_so_far_;
  report.events = events_;
  reports_.publish(report);
  published_at_ = now;
  published_version_ = liveness_.version();
}

}  // namespace rackway::node
