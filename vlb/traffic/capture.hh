// SPDX-License-Identifier: Apache-2.0
// A capture file (pcap or pcapng, by libpcap) as a recording. Which node a packet enters and leaves
// at no capture says: a host is behind the node that a hash of its address picks among those with
// external ports, so that both directions of a conversation meet the same two nodes. A flow is what
// has the same addresses, protocol and ports; of fragments, the same addresses and protocol.
// Lengths are those on the cable, also where less was captured; times are counted from the
// earliest packet.
#pragma once

#include <span>
#include <string>

#include "base/result.hh"
#include "vlb/traffic/recording.hh"

namespace rackway::traffic {

struct CaptureReading {
  std::size_t nodes{0};
  std::vector<NodeId> ends;  // with external ports, two at least
  double speed{1};           // so many times as fast as it was captured
};

// Ethernet with or without VLAN tags, or bare IP. An error for a file that can not be read to its
// end, is of another kind, or has more than kMostCaptured packets.
[[nodiscard]] Result<Recording> read_capture(const std::string& path,
                                             const CaptureReading& reading);

inline constexpr std::uint64_t kMostCaptured = 50'000'000;

}  // namespace rackway::traffic
