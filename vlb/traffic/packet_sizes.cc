// SPDX-License-Identifier: Apache-2.0
#include "vlb/traffic/packet_sizes.hh"

#include "vlb/traffic/virtual_time.hh"

namespace rackway::traffic {

PacketSizes::PacketSizes(std::string name, std::vector<Part> parts)
    : name_(std::move(name)), parts_(std::move(parts)) {
  double sum = 0;
  for (const auto& part : parts_) sum += part.weight;
  for (auto& part : parts_) part.weight /= sum;
}

PacketSizes PacketSizes::fixed(std::uint16_t octets) {
  return {std::to_string(octets), {{octets, 1}}};
}

PacketSizes PacketSizes::imix() {
  return {"imix", {{64, 7}, {594, 4}, {1518, 1}}};
}

std::uint16_t PacketSizes::draw(Random& random) const {
  if (parts_.size() == 1) return parts_.front().octets;
  double at = random.unit();
  for (const auto& part : parts_) {
    if (at < part.weight) return part.octets;
    at -= part.weight;
  }
  return parts_.back().octets;
}

double PacketSizes::mean() const {
  double sum = 0;
  for (const auto& part : parts_) sum += part.octets * part.weight;
  return sum;
}

double PacketSizes::mean_on_cable() const {
  return mean() + kFrameOverhead;
}

}  // namespace rackway::traffic
