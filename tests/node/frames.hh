// SPDX-License-Identifier: Apache-2.0
// Frames in few words: each builder makes a sound one, and every field can be set to something
// else, lengths and checksums included. Checksums are computed by a plain sum of words (RFC 1071)
// that shares nothing with the code under test. No state, no DPDK.
#pragma once

#include <cctype>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip_address.hh"
#include "base/mac_address.hh"

namespace rackway::node::testing {

using Bytes = std::vector<std::uint8_t>;

inline Bytes join(std::initializer_list<std::span<const std::uint8_t>> parts) {
  Bytes whole;
  for (const auto part : parts) whole.insert(whole.end(), part.begin(), part.end());
  return whole;
}

// "d2 00 2f": pairs of hex digits, with blanks wherever they help.
inline Bytes hex(std::string_view text) {
  Bytes bytes;
  std::string digits;
  for (const char c : text) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) continue;
    digits += c;
    if (digits.size() < 2) continue;
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(digits, nullptr, 16)));
    digits.clear();
  }
  return bytes;
}

inline std::string to_hex(std::span<const std::uint8_t> bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0) text += i % 16 == 0 ? "\n" : " ";
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

inline void put16(Bytes& bytes, std::size_t at, std::size_t value) {
  bytes.at(at) = static_cast<std::uint8_t>(value >> 8);
  bytes.at(at + 1) = static_cast<std::uint8_t>(value);
}
inline std::uint16_t get16(std::span<const std::uint8_t> bytes, std::size_t at) {
  return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

inline MacAddress mac(std::string_view text) {
  return MacAddress::parse(text).value();
}
inline IpAddress ip(std::string_view text) {
  return IpAddress::parse(text).value();
}
inline Bytes octets_of(std::string_view address) {
  const auto parsed = ip(address);
  return {parsed.data(), parsed.data() + parsed.size()};
}

// The Internet checksum; an odd octet at the end counts as the high half of a word.
inline std::uint16_t internet_checksum(std::span<const std::uint8_t> bytes) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    sum += static_cast<std::uint64_t>(bytes[i]) << (i % 2 == 0 ? 8 : 0);
  }
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >> 16);
  return static_cast<std::uint16_t>(~sum);
}

// Who the test is and who the router is on port 0; see packet_harness.hh.
inline const MacAddress kHostMac = mac("02:aa:00:00:00:01");
inline const MacAddress kPort0Mac = mac("02:52:57:00:00:00");
inline const MacAddress kPort1Mac = mac("02:52:57:00:00:01");
inline const MacAddress kBroadcastMac = mac("ff:ff:ff:ff:ff:ff");

constexpr std::size_t kMacs = 12;
constexpr std::size_t kEthernet = 14;

struct Ethernet {
  MacAddress destination = kPort0Mac;
  MacAddress source = kHostMac;
  std::uint16_t type{};
};

inline Bytes ethernet(const Ethernet& header, std::span<const std::uint8_t> payload) {
  Bytes type(2);
  put16(type, 0, header.type);
  return join({header.destination.bytes, header.source.bytes, type, payload});
}

inline Bytes padded(Bytes frame, std::size_t size, std::uint8_t with = 0) {
  if (frame.size() < size) frame.resize(size, with);
  return frame;
}

inline Bytes counting(std::size_t size, std::uint8_t from = 0) {
  Bytes bytes(size);
  for (auto& byte : bytes) byte = from++;
  return bytes;
}

// A UDP header and payload; TCP, SCTP and others begin with the same four octets.
inline Bytes ports(std::uint16_t source, std::uint16_t destination, std::size_t payload = 18) {
  Bytes bytes = counting(8 + payload);
  put16(bytes, 0, source);
  put16(bytes, 2, destination);
  put16(bytes, 4, bytes.size());
  put16(bytes, 6, 0);
  return bytes;
}

constexpr std::uint16_t kVlanType = 0x8100, kServiceType = 0x88a8;

// The frame with a tag: priority and VLAN.
inline Bytes tagged(Bytes frame, std::uint16_t tag, std::uint16_t type = kVlanType) {
  Bytes octets(4);
  put16(octets, 0, type);
  put16(octets, 2, tag);
  frame.insert(frame.begin() + std::min<std::ptrdiff_t>(kMacs, std::ssize(frame)), octets.begin(),
               octets.end());
  return frame;
}
// And without the one that it has, if any.
inline Bytes without_tag(Bytes frame) {
  if (frame.size() >= kEthernet + 4 && get16(frame, kMacs) == kVlanType) {
    frame.erase(frame.begin() + kMacs, frame.begin() + kMacs + 4);
  }
  return frame;
}

constexpr std::uint16_t kIpv4Type = 0x0800, kArpType = 0x0806, kIpv6Type = 0x86dd;
constexpr std::uint8_t kTcp = 6, kUdp = 17;

struct Ipv4 {
  std::string source = "192.0.2.7";
  std::string destination = "27.0.0.1";  // has a route to port 1 in sample_fib.hh
  std::uint8_t protocol = kUdp;
  std::uint8_t ttl = 64;
  Bytes payload = ports(1000, 2000);
  std::uint8_t tos = 0;
  std::uint16_t id = 0x1234;
  std::uint16_t fragment = 0;  // flags and offset as they are in the header
  Bytes options{};             // a multiple of four octets
  std::uint8_t version = 4;
  std::optional<std::uint8_t> ihl{};
  std::optional<std::uint16_t> total_length{};
  std::optional<std::uint16_t> checksum{};
};

inline Bytes packet(const Ipv4& v) {
  Bytes header(20);
  const std::size_t words = v.ihl.value_or(static_cast<std::uint8_t>(5 + v.options.size() / 4));
  header[0] = static_cast<std::uint8_t>(v.version << 4 | (words & 15));
  header[1] = v.tos;
  put16(header, 2, v.total_length.value_or(20 + v.options.size() + v.payload.size()));
  put16(header, 4, v.id);
  put16(header, 6, v.fragment);
  header[8] = v.ttl;
  header[9] = v.protocol;
  const auto source = octets_of(v.source), destination = octets_of(v.destination);
  std::copy(source.begin(), source.end(), header.begin() + 12);
  std::copy(destination.begin(), destination.end(), header.begin() + 16);
  Bytes whole = join({header, v.options, v.payload});
  const std::size_t summed = std::min(whole.size(), words * 4);
  put16(whole, 10, v.checksum.value_or(internet_checksum(std::span(whole).first(summed))));
  return whole;
}

struct Ipv6 {
  std::string source = "2001:db8:77::7";
  std::string destination = "2001:db8:27::1";  // has a route to port 1 in sample_fib.hh
  std::uint8_t next_header = kUdp;
  std::uint8_t hop_limit = 64;
  Bytes payload = ports(1000, 2000);
  std::uint8_t version = 6;
  std::uint32_t class_and_label = 0x0a12345;
  std::optional<std::uint16_t> payload_length{};
};

inline Bytes packet(const Ipv6& v) {
  Bytes header(8);
  put16(header, 0, static_cast<std::size_t>(v.version) << 12 | v.class_and_label >> 16);
  put16(header, 2, v.class_and_label & 0xffff);
  put16(header, 4, v.payload_length.value_or(v.payload.size()));
  header[6] = v.next_header;
  header[7] = v.hop_limit;
  return join({header, octets_of(v.source), octets_of(v.destination), v.payload});
}

inline Bytes frame(const Ipv4& v, Ethernet header = {}) {
  header.type = kIpv4Type;
  return ethernet(header, packet(v));
}
inline Bytes frame(const Ipv6& v, Ethernet header = {}) {
  header.type = kIpv6Type;
  return ethernet(header, packet(v));
}

// What the packet looks like behind the router: MACs, TTL and checksum, nothing else.
inline Bytes forwarded(Bytes sent, const MacAddress& destination, const MacAddress& source) {
  std::copy(destination.bytes.begin(), destination.bytes.end(), sent.begin());
  std::copy(source.bytes.begin(), source.bytes.end(), sent.begin() + 6);
  if (get16(sent, kMacs) == kIpv6Type) {
    --sent.at(kEthernet + 7);
    return sent;
  }
  --sent.at(kEthernet + 8);
  put16(sent, kEthernet + 10, 0);
  put16(sent, kEthernet + 10, internet_checksum(std::span(sent).subspan(kEthernet, 20)));
  return sent;
}

// A frame of any content, with IPv4 and ICMPv6 checksums that fit it as far as it has any.
inline Bytes with_good_checksums(Bytes bytes) {
  const auto packet = std::span(bytes).subspan(std::min(bytes.size(), kEthernet));
  if (packet.size() >= 20 && get16(bytes, kMacs) == kIpv4Type) {
    const std::size_t header = std::max<std::size_t>(20, (packet[0] & 15u) * 4);
    put16(bytes, kEthernet + 10, 0);
    put16(bytes, kEthernet + 10, internet_checksum(packet.first(std::min(header, packet.size()))));
  }
  if (packet.size() >= 44 && get16(bytes, kMacs) == kIpv6Type && packet[6] == 58) {
    const auto message =
        packet.subspan(40, std::min<std::size_t>(get16(packet, 4), packet.size() - 40));
    Bytes pseudo{0, 0, 0, 0, 0, 0, 0, 58};
    put16(pseudo, 2, message.size());
    put16(bytes, kEthernet + 42, 0);
    put16(bytes, kEthernet + 42, internet_checksum(join({packet.subspan(8, 32), pseudo, message})));
  }
  return bytes;
}

struct ArpPacket {
  std::uint16_t hardware = 1;
  std::uint16_t protocol = kIpv4Type;
  std::uint8_t hardware_length = 6;
  std::uint8_t protocol_length = 4;
  std::uint16_t operation = 1;  // request 1, reply 2
  MacAddress sender_mac = kHostMac;
  std::string sender = "10.0.0.2";
  MacAddress target_mac{};
  std::string target = "10.0.0.1";
};

inline Bytes frame(const ArpPacket& v, Ethernet header = {.destination = kBroadcastMac}) {
  header.type = kArpType;
  Bytes fixed(8);
  put16(fixed, 0, v.hardware);
  put16(fixed, 2, v.protocol);
  fixed[4] = v.hardware_length;
  fixed[5] = v.protocol_length;
  put16(fixed, 6, v.operation);
  return ethernet(header, join({fixed, v.sender_mac.bytes, octets_of(v.sender), v.target_mac.bytes,
                                octets_of(v.target)}));
}

// An ICMPv6 message; the checksum is over its pseudo header (RFC 8200 8.1).
struct Icmpv6 {
  std::string source = "2001:db8::2";
  std::string destination = "ff02::1:ff00:1";
  std::uint8_t type{};
  std::uint8_t code = 0;
  Bytes body{};  // behind the checksum
  std::uint8_t hop_limit = 255;
  std::optional<std::uint16_t> checksum{};
  std::optional<std::uint16_t> payload_length{};
};

inline std::uint16_t icmpv6_checksum(std::string_view source, std::string_view destination,
                                     std::span<const std::uint8_t> message) {
  Bytes tail{0, 0, 0, 0, 0, 0, 0, 58};
  put16(tail, 2, message.size());
  return internet_checksum(join({octets_of(source), octets_of(destination), tail, message}));
}

inline Bytes frame(const Icmpv6& v, const Ethernet& header = {}) {
  Bytes message = join({Bytes{v.type, v.code, 0, 0}, v.body});
  // The checksum is over as much as the payload length says is there.
  const std::size_t size =
      std::min<std::size_t>(message.size(), v.payload_length.value_or(message.size()));
  const auto sum = icmpv6_checksum(v.source, v.destination,
                                   std::span(message).first(std::max<std::size_t>(size, 4)));
  put16(message, 2, v.checksum.value_or(sum));
  return frame(Ipv6{.source = v.source,
                    .destination = v.destination,
                    .next_header = 58,
                    .hop_limit = v.hop_limit,
                    .payload = message,
                    .class_and_label = 0,
                    .payload_length = v.payload_length},
               header);
}

// An option of neighbour discovery: type, length in units of eight octets, a MAC address.
inline Bytes link_layer_option(std::uint8_t type, const MacAddress& address) {
  return join({Bytes{type, 1}, address.bytes});
}

}  // namespace rackway::node::testing
