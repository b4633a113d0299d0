// SPDX-License-Identifier: Apache-2.0
#include "node/fabric_watch.hh"

#include "node/devices.hh"

namespace rackway::node {
namespace {

constexpr std::uint64_t kLooksPerSecond = 200;

}  // namespace

FabricWatch::FabricWatch(const Places& places, std::uint64_t ticks_per_second)
    : places_(places), interval_(ticks_per_second / kLooksPerSecond) {
  view_.links.resize(places.links());
}

const vlb::FabricView* FabricWatch::look(std::uint64_t ticks) noexcept {
  if (ticks < next_look_) return nullptr;
  next_look_ = ticks + interval_;
  bool changed = false;
  for (std::size_t i = 0; i < view_.links.size(); ++i) {
    const bool up = link_up(places_.link(i));
    changed |= view_.links[i].alive != up;
    view_.links[i].alive = up;
  }
  return changed ? &view_ : nullptr;
}

}  // namespace rackway::node
