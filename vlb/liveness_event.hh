// SPDX-License-Identifier: Apache-2.0
// Something that changed in the fabric as one node sees it, for people.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/id.hh"
#include "vlb/flowlet_table.hh"

namespace rackway::vlb {

enum class LivenessEventKind : std::uint8_t {
  link_up,
  link_down,
  link_one_way,
  link_flapping,
  node_up,
  node_down,
  node_restarted,
};
inline constexpr std::size_t kLivenessEventKinds =
    static_cast<std::size_t>(LivenessEventKind::node_restarted) + 1;

struct LivenessEvent {
  LivenessEventKind kind{};
  std::uint16_t link{};  // local index; of a link, or where the restart was seen
  NodeId node;           // at the link's far end, or the node itself
  Time at{};
  bool operator==(const LivenessEvent&) const = default;
};

}  // namespace rackway::vlb
