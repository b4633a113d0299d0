// SPDX-License-Identifier: Apache-2.0
#include "vlb/traffic/recording.hh"

namespace rackway::traffic {

TrafficMatrix matrix_of(const Recording& recording) {
  const auto nodes = recording.packets.size();
  TrafficMatrix matrix(nodes);
  if (recording.length <= 0) return matrix;
  const double seconds = static_cast<double>(recording.length) / static_cast<double>(kSecond);
  std::vector<double> octets(nodes);
  for (std::size_t ingress = 0; ingress < nodes; ++ingress) {
    octets.assign(nodes, 0);
    for (const auto& packet : recording.packets[ingress]) {
      octets[packet.egress.value] += packet.octets + kFrameOverhead;
    }
    for (std::size_t egress = 0; egress < nodes; ++egress) {
      if (octets[egress] <= 0) continue;
      matrix.add(NodeId{static_cast<std::uint16_t>(ingress)},
                 NodeId{static_cast<std::uint16_t>(egress)}, octets[egress] * 8 / seconds);
    }
  }
  return matrix;
}

}  // namespace rackway::traffic
