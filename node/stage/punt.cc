// SPDX-License-Identifier: Apache-2.0
#include "node/stage/punt.hh"

#include "node/stage/flow_hash.hh"
#include "node/stage/tag.hh"

namespace rackway::node {
namespace {

// By PuntClass. What the kernel and its daemons take without dropping, with room for a burst.
constexpr std::array<TokenRate, cluster::kPuntClasses> kRates{{
    {20'000, 4'000},  // routing
    {2'000, 500},     // neighbor
    {2'000, 500},     // icmp
    {2'000, 500},     // exception
    {1'000, 250},     // other
}};

std::uint32_t destination_hash(const Burst& burst, std::size_t i) noexcept {
  if ((burst.ipv4 & bit(i)) != 0) return burst.ipv4_destination[i].value;
  return fold_ipv6(burst.ipv6_destination[i].bytes.data());
}

}  // namespace

Punt::Punt(rte_ring* queue, WakeUp& consumer, Pace pace)
    : queue_(queue), consumer_(consumer), unresolved_(pace) {
  for (const auto& rate : kRates) policers_.push_back({Tokens(rate, pace), {}});
}

bool Punt::passes(const Burst& burst, std::size_t i, std::uint64_t now) noexcept {
  const bool unresolved = (burst.unresolved & bit(i)) != 0;
  if (unresolved && !unresolved_.take(destination_hash(burst, i), now)) return false;
  auto& policer = policers_[static_cast<std::size_t>(burst.punt_class[i])];
  return policer.bucket.take(policer.tokens, now);
}

void Punt::run(Burst& burst, const Context& context) noexcept {
  if (burst.punted == 0) return;
  for_each(burst.punted, [&](std::size_t i) {
    if (!passes(burst, i, context.ticks)) return burst.drop(i, burst.reason[i]);
    if ((burst.tagged & bit(i)) != 0 && !put_tag_on(burst, i, burst.tag[i])) {
      return burst.drop(i, DropReason::no_headroom);
    }
    rte_mbuf* frame = burst.frames[i];
    frame->port = context.port.value;
    frame->hash.usr = static_cast<std::uint32_t>(burst.punt_class[i]);
    if (rte_ring_sp_enqueue(queue_, frame) != 0) burst.drop(i, DropReason::punt_queue_full);
  });
  if (burst.punted != 0) consumer_.notify();
}

}  // namespace rackway::node
