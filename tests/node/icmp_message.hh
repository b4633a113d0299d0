// SPDX-License-Identifier: Apache-2.0
// Reads an ICMP error back from its frame, field by field, and says what is wrong with it. Shares
// nothing with what builds them. No gtest in here: the fuzzer uses it too.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>

#include "tests/node/frames.hh"

namespace rackway::node::testing {

struct IcmpMessage {
  std::uint8_t traffic_class{};
  std::uint16_t id{};        // IPv4
  std::uint16_t fragment{};  // IPv4: flags and offset
  std::uint8_t ttl{};
  IpAddress source, destination;
  std::uint8_t type{}, code{};
  std::uint32_t word{};  // behind the checksum
  Bytes quote;
};

inline void sound(bool holds, const char* what) {
  if (!holds) throw std::logic_error(std::string("ICMP message: ") + what);
}

inline void read_icmp(IcmpMessage& m, std::span<const std::uint8_t> icmp) {
  m.type = icmp[0];
  m.code = icmp[1];
  m.word = static_cast<std::uint32_t>(get16(icmp, 4)) << 16 | get16(icmp, 6);
  m.quote.assign(icmp.begin() + 8, icmp.end());
}

inline IcmpMessage read_icmpv4(std::span<const std::uint8_t> packet) {
  sound(packet.size() >= 28 && packet.size() <= 576, "size");
  sound(packet[0] == 0x45, "version and header length");
  sound(get16(packet, 2) == packet.size(), "total length");
  sound(internet_checksum(packet.first(20)) == 0, "IPv4 checksum");
  sound(packet[9] == 1, "protocol");
  sound(internet_checksum(packet.subspan(20)) == 0, "ICMP checksum");
  IcmpMessage m{.traffic_class = packet[1],
                .id = get16(packet, 4),
                .fragment = get16(packet, 6),
                .ttl = packet[8],
                .source = *IpAddress::from_bytes(packet.data() + 12, 4),
                .destination = *IpAddress::from_bytes(packet.data() + 16, 4)};
  read_icmp(m, packet.subspan(20));
  return m;
}

inline IcmpMessage read_icmpv6(std::span<const std::uint8_t> packet) {
  sound(packet.size() >= 48 && packet.size() <= 1280, "size");
  sound(packet[0] >> 4 == 6, "version");
  sound((get16(packet, 0) & 0x000f) == 0 && get16(packet, 2) == 0, "flow label");
  sound(get16(packet, 4) == packet.size() - 40, "payload length");
  sound(packet[6] == 58, "next header");
  Bytes pseudo{0, 0, 0, 0, 0, 0, 0, 58};
  put16(pseudo, 2, packet.size() - 40);
  sound(internet_checksum(join({packet.subspan(8, 32), pseudo, packet.subspan(40)})) == 0,
        "ICMPv6 checksum");
  IcmpMessage m{.traffic_class = static_cast<std::uint8_t>(get16(packet, 0) >> 4),
                .ttl = packet[7],
                .source = *IpAddress::from_bytes(packet.data() + 8, 16),
                .destination = *IpAddress::from_bytes(packet.data() + 24, 16)};
  read_icmp(m, packet.subspan(40));
  return m;
}

inline IcmpMessage read_icmp_error(std::span<const std::uint8_t> frame) {
  sound(frame.size() >= kEthernet, "no Ethernet header");
  for (std::size_t i = 0; i < kMacs; ++i) sound(frame[i] == 0, "MAC addresses are the caller's");
  const auto type = get16(frame, kMacs);
  sound(type == kIpv4Type || type == kIpv6Type, "EtherType");
  const auto packet = frame.subspan(kEthernet);
  return type == kIpv4Type ? read_icmpv4(packet) : read_icmpv6(packet);
}

}  // namespace rackway::node::testing
