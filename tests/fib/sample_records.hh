// SPDX-License-Identifier: Apache-2.0
// Records in few words, and a small FIB that has one of everything.
#pragma once

#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "fib/fib.hh"

namespace rackway::fib::testing {

inline AdjacencyKey key(unsigned node, unsigned index) {
  return {{static_cast<std::uint16_t>(node)}, {index}};
}

inline Adjacency adjacency(unsigned node, unsigned index, std::uint16_t mtu = 1500) {
  const MacAddress mac{
      {2, 0, 0, 0, static_cast<std::uint8_t>(node), static_cast<std::uint8_t>(index)}};
  return {key(node, index),
          {static_cast<std::uint16_t>(index % 4)},
          {static_cast<std::uint16_t>(index % 3)},
          mac,
          mtu,
          Ipv4Address{0x0a000000 + node * 256 + index}};
}

inline Group forward(unsigned id, std::vector<std::pair<AdjacencyKey, unsigned>> members) {
  Group group{{id}, GroupKind::forward, {}};
  for (const auto& [member, weight] : members) {
    group.members.push_back({member, static_cast<std::uint16_t>(weight)});
  }
  return group;
}

inline Group plain(unsigned id, GroupKind kind) {
  return {{id}, kind, {}};
}

inline IpAddress ip(std::string_view text) {
  return IpAddress::parse(text).value();
}
inline IpPrefix prefix(std::string_view text) {
  return IpPrefix::parse(text).value();
}
inline Route route(std::string_view text, unsigned group) {
  return {prefix(text), {group}};
}

inline PortAddress port_address(unsigned node, unsigned port, std::string_view text,
                                std::uint8_t length, unsigned vlan = 0) {
  return {{static_cast<std::uint16_t>(node)},
          {static_cast<std::uint16_t>(port)},
          {static_cast<std::uint16_t>(vlan)},
          ip(text),
          length};
}

// Sorted by key, hence equal to its own snapshot.
inline Delta sample() {
  Delta delta;
  delta.adjacencies = {adjacency(1, 0), adjacency(1, 1), adjacency(2, 0, 9000)};
  delta.groups = {forward(0, {{key(1, 0), 1}}), forward(1, {{key(1, 1), 1}, {key(2, 0), 3}}),
                  plain(2, GroupKind::blackhole)};
  delta.routes = {route("0.0.0.0/0", 2), route("10.0.0.0/8", 0), route("10.1.0.0/20", 1),
                  route("2001:db8::/32", 1)};
  delta.addresses = {port_address(1, 0, "10.0.0.254", 24), port_address(1, 1, "fe80::1", 64, 100)};
  return delta;
}

inline Fib fib_of(const Delta& delta) {
  Fib fib;
  const auto applied = fib.apply(delta);
  if (!applied) throw std::runtime_error(applied.error().message);
  return fib;
}

// The group that a lookup ends in; none where no route covers the address.
inline std::optional<GroupId> group_at(const Fib& fib, const auto& address) {
  return fib.group_of(fib.lookup(address));
}

// What the forwarding core reads of a group.
inline GroupEntry entry(const Fib& fib, unsigned group) {
  return fib.group(fib.next_hop_of({group}));
}

// Everything that goes if nothing is to remain.
inline Delta removal_of(const Delta& all) {
  Delta delta;
  for (const auto& record : all.adjacencies) delta.removed_adjacencies.push_back(record.key);
  for (const auto& record : all.groups) delta.removed_groups.push_back(record.id);
  for (const auto& record : all.routes) delta.removed_routes.push_back(record.prefix);
  delta.removed_addresses = all.addresses;
  return delta;
}

}  // namespace rackway::fib::testing
