// SPDX-License-Identifier: Apache-2.0
#include "vlb/traffic/ip_flow.hh"

namespace rackway::traffic {
namespace {

constexpr std::size_t kIpv4Header = 20, kIpv6Header = 40, kPorts = 4;

std::uint16_t big_endian(std::span<const std::uint8_t> octets, std::size_t at) {
  return static_cast<std::uint16_t>(octets[at] << 8 | octets[at + 1]);
}

// FNV-1a, and a round to spread it (Fowler, Noll, Vo; the finaliser is MurmurHash3's).
std::uint64_t hash_of(std::span<const std::uint8_t> octets, std::uint64_t hash) {
  for (const auto octet : octets) hash = (hash ^ octet) * 0x100000001b3u;
  hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdu;
  hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53u;
  return hash ^ hash >> 33;
}

constexpr std::uint64_t kSeed = 0xcbf29ce484222325u;

bool has_ports(std::uint8_t protocol) {
  return protocol == 6 || protocol == 17 || protocol == 33 || protocol == 132 || protocol == 136;
}

// addresses: source and destination, of equal length. rest: behind the header.
IpFlow flow_of(std::span<const std::uint8_t> addresses, std::uint8_t protocol, bool is_whole,
               std::span<const std::uint8_t> rest) {
  const auto half = addresses.size() / 2;
  IpFlow flow{hash_of(addresses.first(half), kSeed), hash_of(addresses.last(half), kSeed), 0};
  flow.flow = hash_of(addresses, kSeed + protocol);
  if (is_whole && has_ports(protocol) && rest.size() >= kPorts) {
    flow.flow = hash_of(rest.first(kPorts), flow.flow);
  }
  return flow;
}

std::optional<IpFlow> ipv4_flow(std::span<const std::uint8_t> packet) {
  const std::size_t length = (packet[0] & 0xfu) * 4u;
  if (packet.size() < kIpv4Header || length < kIpv4Header) return std::nullopt;
  const bool is_whole = (big_endian(packet, 6) & 0x3fff) == 0;  // no more fragments, no offset
  const auto rest = packet.subspan(length < packet.size() ? length : packet.size());
  return flow_of(packet.subspan(12, 8), packet[9], is_whole, rest);
}

std::optional<IpFlow> ipv6_flow(std::span<const std::uint8_t> packet) {
  if (packet.size() < kIpv6Header) return std::nullopt;
  return flow_of(packet.subspan(8, 32), packet[6], true, packet.subspan(kIpv6Header));
}

}  // namespace

std::optional<IpFlow> ip_flow(std::span<const std::uint8_t> packet) {
  if (packet.empty()) return std::nullopt;
  const unsigned version = packet[0] >> 4;
  if (version == 4) return ipv4_flow(packet);
  if (version == 6) return ipv6_flow(packet);
  return std::nullopt;
}

std::optional<std::size_t> ip_in_ethernet(std::span<const std::uint8_t> frame) {
  constexpr std::uint16_t kIpv4 = 0x0800, kIpv6 = 0x86dd, kTag = 0x8100, kServiceTag = 0x88a8;
  std::size_t at = 12;
  for (int tags = 0; tags <= 2; ++tags, at += 4) {
    if (frame.size() < at + 2) return std::nullopt;
    const auto type = big_endian(frame, at);
    if (type == kIpv4 || type == kIpv6) return at + 2;
    if (type != kTag && type != kServiceTag) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace rackway::traffic
