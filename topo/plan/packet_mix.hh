// SPDX-License-Identifier: Apache-2.0
// Sizes of packets and how often each occurs. A size is that of the Ethernet frame with its check
// sequence; on the wire 20 octets are added to each (preamble and gap, IEEE 802.3).
#pragma once

#include <string>

#include "base/result.hh"

namespace rackway::plan {

struct PacketMix {
  std::string text;       // as it was given
  double mean_octets{0};  // of the frames

  // Packets a second that fill a Gb/s.
  [[nodiscard]] double packets_per_gbps() const { return 1e9 / 8 / (mean_octets + 20); }
};

// "imix" is 64:7,594:4,1518:1; "64" all of one size; else SIZE:WEIGHT,... of 64 to 9216 octets.
[[nodiscard]] Result<PacketMix> parse_packet_mix(const std::string& text);

}  // namespace rackway::plan
