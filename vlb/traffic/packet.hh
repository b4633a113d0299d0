// SPDX-License-Identifier: Apache-2.0
// A packet as the generator makes it and the meter gets it back: a value of 32 octets.
#pragma once

#include <cstdint>

#include "base/id.hh"
#include "vlb/traffic/virtual_time.hh"

namespace rackway::traffic {

struct Packet {
  Picoseconds born;        // when its last octet has come in at the ingress node
  std::uint32_t flow;      // numbered over the whole run
  std::uint32_t sequence;  // within the flow, from 0
  std::uint32_t flow_hash;
  std::uint16_t octets;  // of the Ethernet frame, check sequence included
  NodeId ingress, egress;
};
static_assert(sizeof(Packet) == 32);

}  // namespace rackway::traffic
