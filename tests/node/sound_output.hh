// SPDX-License-Identifier: Apache-2.0
// What holds of every frame that leaves the node, whatever came in: it is addressed to one
// neighbour or tagged for the fabric, and differs from what was received only where a router may
// write. No state; the tests and the fuzzer share it.
#pragma once

#include <algorithm>

#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {

inline bool is_port(Entrance entrance) {
  return entrance == Entrance::port0 || entrance == Entrance::port1;
}

inline bool same_behind(const Bytes& a, const Bytes& b, std::size_t offset) {
  return a.size() == b.size() && a.size() >= offset &&
         std::equal(a.begin() + static_cast<std::ptrdiff_t>(offset), a.end(),
                    b.begin() + static_cast<std::ptrdiff_t>(offset));
}

// Of a frame that came in by an external port and goes on.
inline const char* fault_in_forwarded(const Bytes& received, const Bytes& sent) {
  switch (get16(sent, kMacs)) {
    case kArpType:
      return sent.size() == received.size() ? nullptr : "an ARP answer of another length";
    case kIpv4Type:
      if (internet_checksum(std::span(sent).subspan(kEthernet, 20)) != 0) return "IPv4 checksum";
      return same_behind(forwarded(received, {}, {}), sent, kMacs) ? nullptr
                                                                   : "IPv4 packet changed";
    case kIpv6Type:
      // Forwarded, or a solicitation turned into its answer.
      if (sent[kEthernet + 6] == 58 && sent[kEthernet + 40] == 136) return nullptr;
      return same_behind(forwarded(received, {}, {}), sent, kMacs) ? nullptr
                                                                   : "IPv6 packet changed";
    default: return "neither IP nor ARP";
  }
}

// Null if all is well.
inline const char* fault_in(Entrance entrance, const Bytes& as_received, const Outcome& outcome) {
  if (outcome.fate == Fate::punt)
    return outcome.bytes == as_received ? nullptr : "punted frame changed";
  if (outcome.fate != Fate::transmit) return nullptr;
  if (entrance == Entrance::controller) {
    return outcome.bytes == as_received ? nullptr : "injected frame changed";
  }
  const bool to_port = outcome.output < kPorts;
  const auto received = is_port(entrance) ? without_tag(as_received) : as_received;
  const auto bytes = to_port ? without_tag(outcome.bytes) : outcome.bytes;
  if (bytes.size() < kEthernet || (bytes[0] & 1) != 0) return "not to one neighbour";
  if (to_port) {
    const auto& own = outcome.output == kPort0 ? kPort0Mac : kPort1Mac;
    if (bytes.size() < kEthernet + 20) return "no packet in it";
    if (!std::equal(own.bytes.begin(), own.bytes.end(), bytes.begin() + 6)) return "source MAC";
  } else if (bytes[0] != 0xd2) {
    return "not tagged";
  }
  if (is_port(entrance)) return fault_in_forwarded(received, bytes);
  return same_behind(received, bytes, kMacs) ? nullptr : "packet changed in the fabric";
}

}  // namespace rackway::node::testing
