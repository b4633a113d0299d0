// SPDX-License-Identifier: Apache-2.0
// How long frames are: one size, or a mix of sizes with their shares. Octets of the Ethernet frame
// with its check sequence, without preamble and gap.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vlb/traffic/random.hh"

namespace rackway::traffic {

class PacketSizes {
 public:
  struct Part {
    std::uint16_t octets;
    double weight;
  };

  // At least one part, of weight > 0.
  PacketSizes(std::string name, std::vector<Part> parts);

  static PacketSizes fixed(std::uint16_t octets);
  // The "simple IMIX" that test equipment sends: 7 of 64, 4 of 594, 1 of 1518 (cf. RFC 6985).
  static PacketSizes imix();

  [[nodiscard]] std::uint16_t draw(Random& random) const;
  [[nodiscard]] double mean() const;           // octets
  [[nodiscard]] double mean_on_cable() const;  // with preamble and gap
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string name_;
  std::vector<Part> parts_;  // weights add up to 1
};

}  // namespace rackway::traffic
