// SPDX-License-Identifier: Apache-2.0
#include "node/stage/transmit.hh"

#include <rte_ethdev.h>

namespace rackway::node {
namespace {

Mask without_first(Mask mask, std::size_t count) noexcept {
  for (; count > 0; --count) mask &= mask - 1;
  return mask;
}

std::uint64_t count(Mask mask) noexcept {
  return static_cast<std::uint64_t>(std::popcount(mask));
}

// They were no packets after all.
void free_taken_in(const Burst& burst, Counters& in) noexcept {
  for_each(burst.taken_in, [&](std::size_t i) {
    in.received.take_back(1);
    in.received_bytes.take_back(burst.frames[i]->pkt_len);
    rte_pktmbuf_free(burst.frames[i]);
  });
}

}  // namespace

void Transmit::send(Burst& burst, const Departures::Group& group, bool relayed) noexcept {
  Place& place = *places_.outputs[group.output];
  Counters& counters = place.counters[core_];
  rte_mbuf** const frames = departures_.frames.data() + group.first;
  Mask slots = group.slots;
  std::uint64_t bytes = group.bytes;
  const bool usable = place.usable.load(std::memory_order_acquire);
  const std::uint16_t sent =
      usable ? rte_eth_tx_burst(place.device, core_, frames, group.size) : std::uint16_t{0};
  if (sent < group.size) [[unlikely]] {
    const Mask unsent = without_first(slots, sent);
    slots &= ~unsent;
    std::uint64_t refused = 0;
    for_each(unsent, [&](std::size_t i) {
      refused += burst.frames[i]->pkt_len;
      burst.drop(i, usable ? DropReason::tx_queue_full : DropReason::tx_port_down);
    });
    bytes -= refused;
    counters.refused_bytes.add(refused);
  }
  counters.transmitted.add(sent);
  counters.transmitted_bytes.add(bytes);
  if (burst.injected) counters.injected.add(sent);
  if (group.output < places_.ports) return;
  if (relayed) return counters.relayed.add(sent);
  counters.via_relay.add(count(slots & burst.via_relay));
  counters.direct.add(count(slots & ~burst.via_relay));
}

void Transmit::settle(Burst& burst, Counters& in) noexcept {
  // A stage forgot one: a fault of ours, still accounted for.
  for_each(burst.undecided, [&](std::size_t i) { burst.drop(i, DropReason{}); });
  in.sent.add(count(burst.transmitted));
  if (burst.punted != 0) {
    in.punted.add(count(burst.punted));
  }
  if (burst.taken_in != 0) [[unlikely]]
    free_taken_in(burst, in);
  if (burst.dropped == 0) return;
  std::array<rte_mbuf*, kBurst> dropped;
  unsigned drops = 0;
  for_each(burst.dropped, [&](std::size_t i) {
    in.dropped[static_cast<std::size_t>(burst.reason[i])].add(1);
    dropped[drops++] = burst.frames[i];
  });
  rte_pktmbuf_free_bulk(dropped.data(), drops);
}

void Transmit::run(Burst& burst, const Context& context, bool relayed) noexcept {
  sort_(burst, burst.transmitted, departures_);
  for (std::size_t i = 0; i < departures_.size; ++i) send(burst, departures_.groups[i], relayed);
  settle(burst, context.counters);
}

}  // namespace rackway::node
