// SPDX-License-Identifier: Apache-2.0
#include "vlb/fabric_tag.hh"

namespace rackway::vlb {

FabricTag read_tag(const std::uint8_t* frame) noexcept {
  return {.kind = static_cast<FabricKind>(frame[0]),
          .target = target_of(frame),
          .egress = egress_of(frame),
          .hop_budget = hop_budget_of(frame),
          .time_stamp = static_cast<std::uint16_t>(load_be<std::uint16_t>(frame + 4) & 0x0fff),
          .epoch_mark = static_cast<std::uint8_t>(frame[6] >> 2),
          .ingress = ingress_of(frame),
          .adjacency = adjacency_of(frame)};
}

}  // namespace rackway::vlb
