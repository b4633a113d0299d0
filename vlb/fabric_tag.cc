// SPDX-License-Identifier: Apache-2.0
#include "vlb/fabric_tag.hh"

namespace rackway::vlb {

void write_tag(std::uint8_t* frame, const FabricTag& tag) noexcept {
  const auto target = static_cast<std::uint32_t>(tag.target.value & 0xfff);
  const auto egress = static_cast<std::uint32_t>(tag.egress.value & 0xfff);
  const auto hops = static_cast<std::uint16_t>((tag.hop_budget & 0xf) << 12);
  store_be<std::uint32_t>(frame,
                          static_cast<std::uint32_t>(tag.kind) << 24 | target << 12 | egress);
  store_be<std::uint16_t>(frame + 4, static_cast<std::uint16_t>(hops | (tag.time_stamp & 0xfff)));
  frame[6] = static_cast<std::uint8_t>(tag.epoch_mark << 2 | 0x02);
  store_be<std::uint16_t>(frame + 7, static_cast<std::uint16_t>(tag.ingress.value << 4));
  frame[9] = static_cast<std::uint8_t>(tag.adjacency.value >> 16);
  store_be<std::uint16_t>(frame + 10, static_cast<std::uint16_t>(tag.adjacency.value));
}

FabricTag read_tag(const std::uint8_t* frame) noexcept {
  return {.kind = static_cast<FabricKind>(frame[0]),
          .target = target_of(frame),
          .egress = egress_of(frame),
          .hop_budget = hop_budget_of(frame),
          .time_stamp = static_cast<std::uint16_t>(load_be<std::uint16_t>(frame + 4) & 0x0fff),
          .epoch_mark = static_cast<std::uint8_t>(frame[6] >> 2),
          .ingress = NodeId{static_cast<std::uint16_t>(load_be<std::uint16_t>(frame + 7) >> 4)},
          .adjacency = adjacency_of(frame)};
}

}  // namespace rackway::vlb
