// SPDX-License-Identifier: Apache-2.0
#include "node/stage/punt.hh"

#include <rte_cycles.h>

#include "node/stage/flow_hash.hh"

namespace rackway::node {
namespace {

struct Rate {
  std::uint64_t per_second;
  std::uint64_t burst;
};
// By PuntClass. What the kernel and its daemons take without dropping, with room for a burst.
constexpr std::array<Rate, cluster::kPuntClasses> kRates{{
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

Punt::Punt(rte_ring* queue, WakeUp& consumer)
    : queue_(queue), consumer_(consumer), unresolved_(rte_get_tsc_hz()) {
  for (std::size_t i = 0; i < kRates.size(); ++i) {
    // The meter counts octets; each frame is charged as one, so its rates are frames.
    rte_meter_srtcm_params rate{.cir = kRates[i].per_second, .cbs = kRates[i].burst, .ebs = 0};
    rte_meter_srtcm_profile_config(&policers_[i].profile, &rate);
    rte_meter_srtcm_config(&policers_[i].bucket, &policers_[i].profile);
  }
}

bool Punt::within_rate(PuntClass punt_class, std::uint64_t now) noexcept {
  auto& policer = policers_[static_cast<std::size_t>(punt_class)];
  return rte_meter_srtcm_color_blind_check(&policer.bucket, &policer.profile, now, 1) ==
         RTE_COLOR_GREEN;
}

bool Punt::passes(const Burst& burst, std::size_t i, std::uint64_t now) noexcept {
  const bool unresolved = (burst.unresolved & bit(i)) != 0;
  if (unresolved && !unresolved_.take(destination_hash(burst, i), now)) return false;
  return within_rate(burst.punt_class[i], now);
}

void Punt::run(Burst& burst, const Context& context) noexcept {
  if (burst.punted == 0) return;
  const std::uint64_t now = rte_rdtsc();
  for_each(burst.punted, [&](std::size_t i) {
    if (!passes(burst, i, now)) return burst.drop(i, burst.reason[i]);
    rte_mbuf* frame = burst.frames[i];
    frame->port = context.port.value;
    frame->hash.usr = static_cast<std::uint32_t>(burst.punt_class[i]);
    if (rte_ring_sp_enqueue(queue_, frame) != 0) burst.drop(i, DropReason::punt_queue_full);
  });
  if (burst.punted != 0) consumer_.notify();
}

}  // namespace rackway::node
