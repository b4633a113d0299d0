// SPDX-License-Identifier: Apache-2.0
// What the first forwarding core finds out about the fabric for all cores of the node: which of the
// own links are up, by the link state of their devices. Owned by that core.
#pragma once

#include <cstdint>

#include "node/place.hh"
#include "vlb/fabric_view.hh"

namespace rackway::node {

class FabricWatch {
 public:
  // ticks_per_second: of the clock of look(). All links start down.
  FabricWatch(const Places& places, std::uint64_t ticks_per_second);

  // The view if it has changed since the last time, else null. Looks 200 times a second, however
  // often it is called.
  [[nodiscard]] const vlb::FabricView* look(std::uint64_t ticks) noexcept;

 private:
  const Places& places_;
  std::uint64_t interval_;
  std::uint64_t next_look_{0};
  vlb::FabricView view_;
};

}  // namespace rackway::node
