// SPDX-License-Identifier: Apache-2.0
// What the forwarding core tells the agent about the fabric, for people: a plain value.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "vlb/link_liveness.hh"
#include "vlb/liveness_event.hh"

namespace rackway::node {

struct FabricReport {
  struct Link {
    vlb::LinkState state{vlb::LinkState::never_heard};
    bool ready{false}, draining{false};  // the node at its far end
    vlb::Load load{};
    std::uint16_t delay{};  // microseconds
    std::uint64_t peer_boot_id{};
  };
  static constexpr std::size_t kEvents = 32;

  vlb::Time at{};                   // of the core's clock, when this was written
  std::vector<Link> links;          // by local index
  std::vector<std::uint8_t> nodes;  // by NodeId: 1 if a frame can get there
  std::uint64_t events_so_far{};    // since the node started
  // The last of them: event n, counted from 0, is at n % kEvents.
  std::array<vlb::LivenessEvent, kEvents> events{};
};

}  // namespace rackway::node
