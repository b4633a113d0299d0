// SPDX-License-Identifier: Apache-2.0
#include "node/stage/transmit.hh"

#include <rte_ethdev.h>

namespace rackway::node {
namespace {

std::uint64_t bytes_of(std::span<rte_mbuf* const> frames) noexcept {
  std::uint64_t bytes = 0;
  for (const rte_mbuf* frame : frames) bytes += frame->pkt_len;
  return bytes;
}

}  // namespace

// Which way the frames go that leave by a fabric link.
void Transmit::count_passage(const Burst& burst, Counters& counters, const Queue& queue,
                             std::size_t sent, bool relayed) const noexcept {
  if (relayed) return counters.relayed.add(sent);
  std::uint64_t via_relay = 0;
  for (std::size_t i = 0; i < sent; ++i) via_relay += burst.via_relay >> queue.slots[i] & 1;
  counters.via_relay.add(via_relay);
  counters.direct.add(sent - via_relay);
}

void Transmit::flush(Burst& burst, std::size_t output, bool relayed) noexcept {
  Queue& queue = queues_[output];
  Place& place = *places_.outputs[output];
  Counters& counters = place.counters;
  // A frame that was sent is no longer ours to look at.
  std::uint64_t bytes = bytes_of({queue.frames.data(), queue.size});
  const bool usable = place.usable.load(std::memory_order_acquire);
  const std::uint16_t sent =
      usable ? rte_eth_tx_burst(place.device, 0, queue.frames.data(), queue.size) : 0;
  if (sent < queue.size) [[unlikely]] {
    bytes -= bytes_of({queue.frames.data() + sent, static_cast<std::size_t>(queue.size - sent)});
    const auto why = usable ? DropReason::tx_queue_full : DropReason::tx_port_down;
    for (std::size_t i = sent; i < queue.size; ++i) burst.drop(queue.slots[i], why);
  }
  counters.transmitted.add(sent);
  counters.transmitted_bytes.add(bytes);
  if (burst.injected) counters.injected.add(sent);
  if (output >= places_.ports) count_passage(burst, counters, queue, sent, relayed);
  queue.size = 0;
}

void Transmit::settle(Burst& burst, Place& in) noexcept {
  // A stage forgot one: a fault of ours, still accounted for.
  for_each(burst.undecided, [&](std::size_t i) { burst.drop(i, DropReason{}); });
  in.counters.sent.add(static_cast<std::uint64_t>(std::popcount(burst.transmitted)));
  if (burst.punted != 0) {
    in.counters.punted.add(static_cast<std::uint64_t>(std::popcount(burst.punted)));
  }
  if (burst.dropped == 0) return;
  std::array<rte_mbuf*, kBurst> dropped;
  unsigned drops = 0;
  for_each(burst.dropped, [&](std::size_t i) {
    in.counters.dropped[static_cast<std::size_t>(burst.reason[i])].add(1);
    dropped[drops++] = burst.frames[i];
  });
  rte_pktmbuf_free_bulk(dropped.data(), drops);
}

void Transmit::run(Burst& burst, const Context& context, bool relayed) noexcept {
  for_each(burst.transmitted, [&](std::size_t i) {
    Queue& queue = queues_[burst.output[i]];
    queue.frames[queue.size] = burst.frames[i];
    queue.slots[queue.size++] = static_cast<std::uint8_t>(i);
  });
  for (std::size_t output = 0; output < queues_.size(); ++output) {
    if (queues_[output].size > 0) flush(burst, output, relayed);
  }
  settle(burst, context.in);
}

}  // namespace rackway::node
