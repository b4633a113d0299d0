// SPDX-License-Identifier: Apache-2.0
// Packets that are not made but were seen once, by ingress node in order of time. A plain value.
#pragma once

#include <cstdint>
#include <vector>

#include "vlb/traffic/packet.hh"
#include "vlb/traffic/traffic_matrix.hh"

namespace rackway::traffic {

struct Recording {
  std::vector<std::vector<Packet>> packets;  // by ingress node
  Picoseconds length{0};                     // after the last one
  std::uint64_t octets{0};                   // of all, without overhead on the cable
  // What the capture had beside them.
  std::uint64_t within_a_node{0};  // both ends are behind the same one
  std::uint64_t unusable{0};       // no whole IP header in what was captured

  [[nodiscard]] std::uint64_t size() const {
    std::uint64_t sum = 0;
    for (const auto& each : packets) sum += each.size();
    return sum;
  }
};

// Who sends how much to whom on average over the length. Its packets' mean size is octets / size().
[[nodiscard]] TrafficMatrix matrix_of(const Recording& recording);

}  // namespace rackway::traffic
