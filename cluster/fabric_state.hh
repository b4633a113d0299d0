// SPDX-License-Identifier: Apache-2.0
// What nodes report of the fabric: in what state a link is at one end, and what has changed. What
// the states mean is in docs/hello_frame.md. The numbers are on the wire: append only, and equal to
// those of vlb/link_liveness.hh and vlb/liveness_event.hh, which node/ sees to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/id.hh"

namespace rackway::cluster {

enum class LinkState : std::uint8_t { never_heard, opening, up, one_way, down, flapping };
inline constexpr std::size_t kLinkStates = static_cast<std::size_t>(LinkState::flapping) + 1;

[[nodiscard]] std::string_view to_string(LinkState state);

enum class FabricEventKind : std::uint8_t {
  link_up,
  link_down,
  link_one_way,
  link_flapping,
  node_up,
  node_down,
  node_restarted,
};
inline constexpr std::size_t kFabricEventKinds =
    static_cast<std::size_t>(FabricEventKind::node_restarted) + 1;

[[nodiscard]] std::string_view to_string(FabricEventKind kind);

struct FabricEvent {
  std::uint64_t number{};  // counts all events of this run of the node, from 0
  FabricEventKind kind{};
  std::uint32_t link{};    // number in the document; of a link, or where a restart was seen
  NodeId node;             // at the link's far end, or the node itself
  std::uint32_t age_ms{};  // when it was sent
  bool operator==(const FabricEvent&) const = default;
};

inline constexpr std::size_t kMaxReportedEvents = 32;

}  // namespace rackway::cluster
