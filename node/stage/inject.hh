// SPDX-License-Identifier: Apache-2.0
// The stage of frames from the controller: out of the port they name, as they are.
#pragma once

#include "node/burst.hh"

namespace rackway::node {

struct Inject {
  // frame->port is the PortId.
  static void run(Burst& burst, const Places& places) noexcept {
    for_each(burst.undecided, [&](std::size_t i) {
      const std::uint16_t port = burst.frames[i]->port;
      if (port >= places.ports) {
        burst.drop(i, DropReason::inject_malformed);
      } else {
        burst.transmit(i, port);
      }
    });
  }
};

}  // namespace rackway::node
