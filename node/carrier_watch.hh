// SPDX-License-Identifier: Apache-2.0
// What the first forwarding core finds out about the fabric for all cores of a node that says no
// hellos: which of its own links have a carrier. Whoever is at the far end of one is taken for able
// to reach everybody. Owned by that core.
#pragma once

#include <cstdint>
#include <vector>

#include "node/place.hh"
#include "topo/fabric_table.hh"
#include "vlb/fabric_view.hh"

namespace rackway::node {

class CarrierWatch {
 public:
  // ticks_per_second: of the clock of look(). All links start down.
  CarrierWatch(const Places& places, const topo::FabricTable& table,
               std::uint64_t ticks_per_second);

  // The view if it has changed since the last time, else null. Looks 200 times a second, however
  // often it is called.
  [[nodiscard]] const vlb::FabricView* look(std::uint64_t ticks);

 private:
  const Places& places_;
  topo::FabricTable table_;
  std::uint64_t interval_;
  std::uint64_t next_look_{0};
  std::vector<bool> carriers_;
  vlb::FabricView view_;
};

}  // namespace rackway::node
