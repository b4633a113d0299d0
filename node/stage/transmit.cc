// SPDX-License-Identifier: Apache-2.0
#include "node/stage/transmit.hh"

#include <rte_ethdev.h>

#include "node/slot_mask.hh"

namespace rackway::node {
namespace {

Mask without_first(Mask mask, std::size_t count) noexcept {
  for (; count > 0; --count) mask &= mask - 1;
  return mask;
}

std::uint64_t count(Mask mask) noexcept {
  return static_cast<std::uint64_t>(std::popcount(mask));
}

}  // namespace

void Transmit::send(Burst& burst, Mask slots, std::uint16_t output, bool relayed) noexcept {
  Place& place = *places_.outputs[output];
  Counters& counters = place.counters[core_];
  std::array<rte_mbuf*, kBurst> frames;
  std::uint16_t size = 0;
  std::uint64_t bytes = 0;  // a frame that was sent is no longer ours to look at
  for_each(slots, [&](std::size_t i) {
    frames[size++] = burst.frames[i];
    bytes += burst.frames[i]->pkt_len;
  });
  const bool usable = place.usable.load(std::memory_order_acquire);
  const std::uint16_t sent =
      usable ? rte_eth_tx_burst(place.device, core_, frames.data(), size) : std::uint16_t{0};
  if (sent < size) [[unlikely]] {
    const Mask unsent = without_first(slots, sent);
    const std::uint64_t wanted = bytes;
    slots &= ~unsent;
    for_each(unsent, [&](std::size_t i) {
      bytes -= burst.frames[i]->pkt_len;
      burst.drop(i, usable ? DropReason::tx_queue_full : DropReason::tx_port_down);
    });
    counters.refused_bytes.add(wanted - bytes);
  }
  counters.transmitted.add(sent);
  counters.transmitted_bytes.add(bytes);
  if (burst.injected) counters.injected.add(sent);
  if (output < places_.ports) return;
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
  for (Mask left = burst.transmitted; left != 0;) {
    const std::uint16_t output = burst.output[static_cast<std::size_t>(std::countr_zero(left))];
    const Mask slots = equal(burst.output, output) & left;
    left &= ~slots;
    send(burst, slots, output, relayed);
  }
  settle(burst, context.counters);
}

}  // namespace rackway::node
