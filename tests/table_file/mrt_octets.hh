// SPDX-License-Identifier: Apache-2.0
// Octets of MRT records and of what is in them, made field by field.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ip_address.hh"
#include "base/wire.hh"
#include "control/table_file/mrt_reader.hh"

namespace rackway::table_file::testing {

inline IpAddress ip(std::string_view text) {
  return IpAddress::parse(text).value();
}
inline IpPrefix prefix(std::string_view text) {
  return IpPrefix::parse(text).value();
}
inline std::string octets_of(const IpAddress& address) {
  return {reinterpret_cast<const char*>(address.data()), address.size()};
}

inline std::string record(std::uint16_t type, std::uint16_t subtype, std::string_view body) {
  WireWriter out;
  out.number<std::uint32_t>(0x3d3c8bf0);
  out.number(type);
  out.number(subtype);
  out.number(static_cast<std::uint32_t>(body.size()));
  out.bytes(body);
  return out.take();
}

inline std::string attribute(std::uint8_t type, std::string_view value, bool extended = false) {
  WireWriter out;
  out.number<std::uint8_t>(extended ? 0x50 : 0x40);
  out.number(type);
  if (extended) {
    out.number(static_cast<std::uint16_t>(value.size()));
  } else {
    out.number(static_cast<std::uint8_t>(value.size()));
  }
  out.bytes(value);
  return out.take();
}
inline std::string origin(std::uint8_t value) {
  return attribute(1, std::string(1, static_cast<char>(value)));
}
inline std::string next_hop(std::string_view address) {
  return attribute(3, octets_of(ip(address)));
}
// One AS_SEQUENCE of so many.
inline std::string as_path(std::uint8_t length, std::size_t as_octets = 4) {
  return attribute(
      2, std::string{2, static_cast<char>(length)} + std::string(length * as_octets, '\1'));
}
inline std::string mp_reach_short(const std::vector<std::string_view>& hops) {
  std::string all;
  for (const auto hop : hops) all += octets_of(ip(hop));
  return attribute(14, std::string(1, static_cast<char>(all.size())) + all);
}
// With AFI, SAFI and a prefix, as in an update.
inline std::string mp_reach_whole(std::string_view hop) {
  const auto address = octets_of(ip(hop));
  return attribute(14, std::string{0, 2, 1, static_cast<char>(address.size())} + address +
                           std::string{0, 32, 0x20, 0x01, 0x0d, static_cast<char>(0xb8)});
}

inline std::string peer_index(const std::vector<MrtPeer>& peers) {
  WireWriter out;
  out.number<std::uint32_t>(0x0a0a0a0a);
  out.text("view");
  out.number(static_cast<std::uint16_t>(peers.size()));
  for (const auto& [address, as] : peers) {
    const bool as4 = as > 0xffff;
    out.number(static_cast<std::uint8_t>((address.is_v4() ? 0 : 1) | (as4 ? 2 : 0)));
    out.number<std::uint32_t>(7);
    out.bytes(octets_of(address));
    if (as4) out.number(as);
    if (!as4) out.number(static_cast<std::uint16_t>(as));
  }
  return record(13, 1, out.take());
}
inline std::string two_peers() {
  return peer_index({{ip("192.0.2.1"), 65000}, {ip("2001:db8::1"), 400000}});
}

inline std::string entry(std::uint16_t peer, std::string_view attributes, int path_id = -1) {
  WireWriter out;
  out.number(peer);
  out.number<std::uint32_t>(0x3d3c0000);
  if (path_id >= 0) out.number(static_cast<std::uint32_t>(path_id));
  out.number(static_cast<std::uint16_t>(attributes.size()));
  out.bytes(attributes);
  return out.take();
}
inline std::string nlri(std::string_view text) {
  const auto p = prefix(text);
  return std::string(1, static_cast<char>(p.length)) +
         octets_of(p.address).substr(0, (p.length + 7u) / 8);
}
inline std::string rib_body(std::string_view to, const std::vector<std::string>& entries,
                            std::string_view before = {}) {
  WireWriter out;
  out.number<std::uint32_t>(0);
  out.bytes(before);
  out.bytes(nlri(to));
  out.number(static_cast<std::uint16_t>(entries.size()));
  for (const auto& one : entries) out.bytes(one);
  return out.take();
}
inline std::string rib_ipv4(std::string_view to, const std::vector<std::string>& entries) {
  return record(13, 2, rib_body(to, entries));
}
inline std::string rib_ipv6(std::string_view to, const std::vector<std::string>& entries) {
  return record(13, 4, rib_body(to, entries));
}

inline std::string table_dump(std::string_view to, std::string_view peer, std::uint16_t as,
                              std::string_view attributes) {
  const auto p = prefix(to);
  WireWriter out;
  out.number<std::uint32_t>(1);  // view 0, sequence 1
  out.bytes(octets_of(p.address));
  out.number(p.length);
  out.number<std::uint8_t>(1);
  out.number<std::uint32_t>(0x3d3c0000);
  out.bytes(octets_of(ip(peer)));
  out.number(as);
  out.number(static_cast<std::uint16_t>(attributes.size()));
  out.bytes(attributes);
  return record(12, p.address.is_v4() ? 1 : 2, out.take());
}

// Everything that a reader finds, a line per path: "PREFIX via NEXT-HOP from PEER ...".
inline std::vector<std::string> read_all(MrtReader& reader) {
  std::vector<std::string> lines;
  for (MrtRib rib; reader.next(rib);) {
    for (const auto& path : rib.paths) {
      const auto& peer = reader.peers().at(path.peer);
      auto line = rib.prefix.to_string() + " via " + path.attributes.next_hop.to_string() +
                  " from " + peer.address.to_string() + " AS" + std::to_string(peer.as);
      if (path.path_id != 0) line += " path " + std::to_string(path.path_id);
      lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace rackway::table_file::testing
