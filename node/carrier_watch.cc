// SPDX-License-Identifier: Apache-2.0
#include "node/carrier_watch.hh"

#include "node/devices.hh"
#include "vlb/steering.hh"

namespace rackway::node {
namespace {

constexpr std::uint64_t kLooksPerSecond = 200;

}  // namespace

CarrierWatch::CarrierWatch(const Places& places, const topo::FabricTable& table,
                           std::uint64_t ticks_per_second)
    : places_(places),
      table_(table),
      interval_(ticks_per_second / kLooksPerSecond),
      carriers_(places.links()) {}

const vlb::FabricView* CarrierWatch::look(std::uint64_t ticks) {
  if (ticks < next_look_) return nullptr;
  next_look_ = ticks + interval_;
  bool changed = false;
  for (std::size_t i = 0; i < carriers_.size(); ++i) {
    const bool up = link_up(places_.link(i));
    changed |= carriers_[i] != up;
    carriers_[i] = up;
  }
  if (!changed) return nullptr;
  view_ = vlb::view_of_carriers(table_, carriers_);
  return &view_;
}

}  // namespace rackway::node
