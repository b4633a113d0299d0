// SPDX-License-Identifier: Apache-2.0
#include "vlb/traffic/flow_order.hh"

#include <algorithm>

namespace rackway::traffic {

std::uint32_t FlowOrder::arrived(std::uint32_t number, std::uint32_t sequence) {
  Flow& flow = at(number);
  std::uint32_t reordered_by = 0;
  if (sequence >= flow.next_expected) {
    if (sequence > flow.next_expected) open_gap(flow, sequence);
    flow.next_expected = sequence + 1;
  } else {
    reordered_by = extent(flow, sequence);
  }
  ++flow.received;
  return reordered_by;
}

void FlowOrder::open_gap(Flow& flow, std::uint32_t end) {
  if (flow.gaps == kNone) {
    flow.gaps = static_cast<std::uint32_t>(gaps_.size());
    gaps_.emplace_back();
  }
  Gaps& gaps = gaps_[flow.gaps];
  gaps.gap[gaps.opened++ % kGaps] = {flow.next_expected, end, flow.received};
}

std::uint32_t FlowOrder::extent(const Flow& flow, std::uint32_t sequence) const {
  const Gaps& gaps = gaps_[flow.gaps];
  const std::uint32_t remembered = std::min(gaps.opened, kGaps);
  std::uint32_t oldest = flow.received;
  for (std::uint32_t i = 0; i < remembered; ++i) {
    const Gap& gap = gaps.gap[i];
    if (gap.first <= sequence && sequence < gap.end) return flow.received - gap.at;
    oldest = std::min(oldest, gap.at);
  }
  return std::max(1u, flow.received - oldest);
}

}  // namespace rackway::traffic
