// SPDX-License-Identifier: Apache-2.0
#include "vlb/traffic/meter.hh"

#include <algorithm>
#include <cmath>

namespace rackway::traffic {

void Meter::sent(const Packet& packet) {
  sent_.add(packet.octets);
  if (packet.flow >= known_.size()) known_.resize(packet.flow + packet.flow / 2 + 64);
  if (known_[packet.flow]) return;
  known_[packet.flow] = true;
  order_.expect(packet.flow, packet.sequence);
}

void Meter::arrived(const Packet& packet, Picoseconds now) {
  arrived_.add(packet.octets);
  latency_.add(now - packet.born);
  const auto extent = order_.arrived(packet.flow, packet.sequence);
  if (extent == 0) return;
  ++reordered_;
  ++extents_[std::min(extent, kExtents - 1)];
}

double Meter::reordered_share() const {
  if (arrived_.packets == 0) return 0;
  return static_cast<double>(reordered_) / static_cast<double>(arrived_.packets);
}

double Meter::goodput() const {
  if (sent_.octets == 0) return 1;
  return static_cast<double>(arrived_.octets) / static_cast<double>(sent_.octets);
}

std::uint32_t Meter::extent(double share) const {
  if (reordered_ == 0) return 0;
  const auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(reordered_)));
  std::uint64_t seen = 0;
  for (std::uint32_t i = 0; i < kExtents; ++i) {
    seen += extents_[i];
    if (seen >= std::max<std::uint64_t>(rank, 1)) return i;
  }
  return kExtents - 1;
}

}  // namespace rackway::traffic
