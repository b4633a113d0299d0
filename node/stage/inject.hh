// SPDX-License-Identifier: Apache-2.0
// The stage of frames from the controller: out of the port they name, as they are.
#pragma once

#include "node/burst.hh"

namespace rackway::node {

struct Inject {
  // frame->port is the PortId.
  static void run(Burst& burst, const Places& places) noexcept {
    for (auto& slot : burst.all()) {
      if (slot.frame->port >= places.ports) {
        slot.drop(DropReason::inject_malformed);
      } else {
        slot.transmit(slot.frame->port);
      }
    }
  }
};

}  // namespace rackway::node
