// SPDX-License-Identifier: Apache-2.0
// What holds of every frame that leaves the node, whatever came in: it is addressed to one
// neighbour or tagged for the fabric. One that was received differs from what it was only where a
// router may write; one of the node's own is an ICMP error about a packet of the burst, or a
// fragment of one. No state; the tests and the fuzzer share it.
#pragma once

#include <algorithm>

#include "tests/node/icmp_message.hh"
#include "tests/node/naive_reassembly.hh"
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

inline const char* fault_in_addresses(const Outcome& outcome) {
  const auto& bytes = outcome.bytes;
  if (bytes.size() < kEthernet || (bytes[0] & 1) != 0) return "not to one neighbour";
  if (outcome.output >= kPorts) return bytes[0] == 0xd2 ? nullptr : "not tagged";
  const auto& own = outcome.output == kPort0 ? kPort0Mac : kPort1Mac;
  if (bytes.size() < kEthernet + 20) return "no packet in it";
  return std::equal(own.bytes.begin(), own.bytes.end(), bytes.begin() + 6) ? nullptr : "source MAC";
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
  if (const char* fault = fault_in_addresses(outcome)) return fault;
  if (is_port(entrance)) return fault_in_forwarded(received, bytes);
  return same_behind(received, bytes, kMacs) ? nullptr : "packet changed in the fabric";
}

// The packet in a frame whose header a check has let through, without padding.
inline Bytes packet_in(const Bytes& frame) {
  const bool four = get16(frame, kMacs) == kIpv4Type;
  const std::size_t size = four ? get16(frame, kEthernet + 2) : 40u + get16(frame, kEthernet + 4);
  const auto end = std::min(frame.size(), kEthernet + size);
  return {frame.begin() + kEthernet, frame.begin() + static_cast<std::ptrdiff_t>(end)};
}

inline bool carries(const Bytes& frame, std::uint16_t type) {
  const std::size_t header = type == kIpv4Type ? 20 : 40;
  return frame.size() >= kEthernet + header && get16(frame, kMacs) == type;
}

// A part of the received packet, one hop further.
inline bool is_fragment_of(const Bytes& received, const Bytes& frame) {
  if (!carries(received, kIpv4Type) || !carries(frame, kIpv4Type)) return false;
  const auto part = read_fragment(frame);
  const auto whole = packet_in(received);
  if (whole.size() < 20 || whole[0] != 0x45 || part.header.size() != 20) return false;
  const auto same = [&](std::size_t from, std::size_t to) {
    return std::equal(whole.begin() + static_cast<std::ptrdiff_t>(from),
                      whole.begin() + static_cast<std::ptrdiff_t>(to),
                      part.header.begin() + static_cast<std::ptrdiff_t>(from));
  };
  const std::size_t start = (get16(whole, 6) & 0x1fffu) * 8;
  if (!same(0, 2) || !same(4, 6) || !same(9, 10) || !same(12, 20)) return false;
  if (part.dont_fragment || part.header[8] != whole[8] - 1 || part.offset < start) return false;
  const std::size_t at = 20 + part.offset - start;
  return at + part.payload.size() <= whole.size() && part.payload.size() + 20 < whole.size() &&
         std::equal(part.payload.begin(), part.payload.end(),
                    whole.begin() + static_cast<std::ptrdiff_t>(at));
}

inline bool is_error(const IcmpMessage& message) {
  return message.source.is_v4() ? message.type == 3 || message.type == 11
                                : message.type >= 1 && message.type <= 3;
}

inline bool is_about(const IcmpMessage& message, const Bytes& received) {
  const bool four = message.source.is_v4();
  if (!carries(received, four ? kIpv4Type : kIpv6Type)) return false;
  const auto packet = packet_in(received);
  if (packet.size() < (four ? 20 : 40)) return false;
  const auto asker = IpAddress::from_bytes(packet.data() + (four ? 12 : 8), four ? 4 : 16);
  return asker == message.destination && message.quote.size() <= packet.size() &&
         std::equal(message.quote.begin(), message.quote.end(), packet.begin());
}

// Of a frame of the node's own, with the frames of the burst that it was made in.
inline const char* fault_in_generated(std::span<const Bytes> received, const Outcome& outcome) {
  if (const char* fault = fault_in_addresses(outcome)) return fault;
  const auto bytes = outcome.output < kPorts ? without_tag(outcome.bytes) : outcome.bytes;
  const auto of_one = [&](auto&& is_so) {
    return std::any_of(received.begin(), received.end(),
                       [&](const Bytes& frame) { return is_so(without_tag(frame)); });
  };
  if (of_one([&](const Bytes& frame) { return is_fragment_of(frame, bytes); })) return nullptr;
  if (!carries(bytes, kIpv4Type) && !carries(bytes, kIpv6Type)) return "generated, and no packet";
  const auto packet = std::span(bytes).subspan(kEthernet);
  const auto message = carries(bytes, kIpv4Type) ? read_icmpv4(packet) : read_icmpv6(packet);
  if (!is_error(message)) return "generated, and no error";
  if (message.ttl != 64 || message.traffic_class != 0xc0) return "TTL or TOS of an error";
  const auto own = sample_addresses();
  if (std::none_of(own.begin(), own.end(), [&](const fib::PortAddress& address) {
        return address.node == kSelf && address.address == message.source;
      })) {
    return "an error from somebody else";
  }
  return of_one([&](const Bytes& frame) { return is_about(message, frame); })
             ? nullptr
             : "an error about a packet that did not come in";
}

// Of all that the node made because of one frame.
inline const char* fault_in_generated(const Bytes& received, const Outcome& outcome,
                                      const std::vector<Outcome>& generated) {
  for (const auto& own : generated) {
    if (const char* fault = fault_in_generated(std::span(&received, 1), own)) return fault;
  }
  if (outcome != dropped(DropReason::fragmented)) {
    return generated.size() <= 1 ? nullptr : "several errors about one packet";
  }
  std::vector<Bytes> frames;
  for (const auto& own : generated) {
    frames.push_back(own.output < kPorts ? without_tag(own.bytes) : own.bytes);
  }
  if (frames.empty()) return nullptr;  // their next hop has no port
  return reassembled(frames) == packet_in(forwarded(without_tag(received), {}, {}))
             ? nullptr
             : "fragments are not the whole";
}

}  // namespace rackway::node::testing
