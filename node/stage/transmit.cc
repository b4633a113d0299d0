// SPDX-License-Identifier: Apache-2.0
#include "node/stage/transmit.hh"

#include <rte_ethdev.h>

namespace rackway::node {
namespace {

void count_sent(Counters& counters, const Slot& slot, std::uint32_t bytes, bool injected) noexcept {
  counters.transmitted.add(1);
  counters.transmitted_bytes.add(bytes);
  if (injected) counters.injected.add(1);
  switch (slot.passage) {
    case Passage::none: break;
    case Passage::direct: counters.direct.add(1); break;
    case Passage::via_relay: counters.via_relay.add(1); break;
    case Passage::relayed: counters.relayed.add(1); break;
  }
}

}  // namespace

void Transmit::flush(Burst& burst, std::size_t output) noexcept {
  auto& queue = queues_[output];
  auto& place = *places_.outputs[output];
  std::array<rte_mbuf*, kBurst> frames;
  std::array<std::uint32_t, kBurst> bytes;  // a frame that was sent is no longer ours to look at
  for (std::uint16_t i = 0; i < queue.size; ++i) {
    frames[i] = burst.slots[queue.slots[i]].frame;
    bytes[i] = frames[i]->pkt_len;
  }
  const bool usable = place.usable.load(std::memory_order_acquire);
  const std::uint16_t sent =
      usable ? rte_eth_tx_burst(place.device, 0, frames.data(), queue.size) : 0;
  for (std::uint16_t i = 0; i < queue.size; ++i) {
    auto& slot = burst.slots[queue.slots[i]];
    if (i < sent) {
      count_sent(place.counters, slot, bytes[i], burst.injected);
    } else {
      slot.drop(usable ? DropReason::tx_queue_full : DropReason::tx_port_down);
    }
  }
  queue.size = 0;
}

void Transmit::settle(Burst& burst, Place& in) noexcept {
  std::array<rte_mbuf*, kBurst> dropped;
  std::uint16_t drops = 0, sent = 0, punted = 0;
  for (auto& slot : burst.all()) {
    switch (slot.fate) {
      case Fate::transmit: ++sent; break;
      case Fate::punt: ++punted; break;
      case Fate::undecided:  // a stage forgot one: a fault of ours, still accounted for
      case Fate::drop:
        in.counters.dropped[static_cast<std::size_t>(slot.reason)].add(1);
        dropped[drops++] = slot.frame;
        break;
    }
  }
  in.counters.sent.add(sent);
  in.counters.punted.add(punted);
  rte_pktmbuf_free_bulk(dropped.data(), drops);
}

void Transmit::run(Burst& burst, const Context& context) noexcept {
  for (std::uint16_t i = 0; i < burst.size; ++i) {
    if (burst.slots[i].fate != Fate::transmit) continue;
    auto& queue = queues_[burst.slots[i].output];
    queue.slots[queue.size++] = i;
  }
  for (std::size_t output = 0; output < queues_.size(); ++output) {
    if (queues_[output].size > 0) flush(burst, output);
  }
  settle(burst, context.in);
}

}  // namespace rackway::node
