// SPDX-License-Identifier: Apache-2.0
// What a FIB is made of: routes point at next-hop groups, groups at adjacencies, adjacencies at a
// port of an egress node. Every node of the cluster holds the same records; each takes from them
// what it needs. Plain values, no invariants of their own; Fib checks them when it applies a delta.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/id.hh"
#include "base/ip_address.hh"
#include "base/mac_address.hh"

namespace rackway::fib {

// Names an adjacency in the whole cluster: its index counts within its egress node.
struct AdjacencyKey {
  NodeId node;
  AdjacencyId index;
  auto operator<=>(const AdjacencyKey&) const = default;
};

// How the egress node sends to one neighbour.
struct Adjacency {
  AdjacencyKey key;
  PortId port;             // external port of key.node
  VlanId vlan;             // the tag that frames leave with
  MacAddress destination;  // the neighbour's
  std::uint16_t mtu{};     // octets of an IP packet (without Ethernet header and tag)
  IpAddress next_hop;      // the neighbour's address, for people and for reconciliation
  auto operator<=>(const Adjacency&) const = default;
};

enum class GroupKind : std::uint8_t {
  forward = 0,      // to one of the members
  local = 1,        // an address of the router: punt
  glean = 2,        // the neighbour is not resolved yet: punt, the kernel resolves it
  blackhole = 3,    // drop in silence
  unreachable = 4,  // drop, ICMP unreachable
  prohibit = 5,     // drop, ICMP administratively prohibited
  broadcast = 6,    // directed broadcast: drop (RFC 2644)
};
inline constexpr std::uint8_t kGroupKinds = 7;

struct GroupMember {
  AdjacencyKey adjacency;
  std::uint16_t weight{1};  // 1..65535
  auto operator<=>(const GroupMember&) const = default;
};

inline constexpr std::size_t kMaxGroupMembers = 512;
inline constexpr std::uint32_t kMaxGroups = 1u << 20;

// More than three times what the Internet has; what lookups read has room for them however they
// lie.
inline constexpr std::size_t kMaxIpv4Routes = std::size_t{1} << 22;
inline constexpr std::size_t kMaxIpv6Routes = std::size_t{1} << 20;

struct Group {
  GroupId id;
  GroupKind kind{};
  std::vector<GroupMember> members;  // 1..512 if forward, else none
  bool operator==(const Group&) const = default;
};

struct Route {
  IpPrefix prefix;
  GroupId group;
  auto operator<=>(const Route&) const = default;
};

// An address of the router on one of its interfaces, a port or a VLAN of it, with its subnet's
// length.
struct PortAddress {
  NodeId node;
  PortId port;
  VlanId vlan;
  IpAddress address;
  std::uint8_t length{};
  auto operator<=>(const PortAddress&) const = default;
};

// A change of a FIB: what is new or different, and what goes. Each key appears at most once in the
// whole delta. A snapshot is a delta over the empty FIB.
struct Delta {
  std::vector<Adjacency> adjacencies;
  std::vector<Group> groups;
  std::vector<Route> routes;
  std::vector<PortAddress> addresses;
  std::vector<AdjacencyKey> removed_adjacencies;
  std::vector<GroupId> removed_groups;
  std::vector<IpPrefix> removed_routes;
  std::vector<PortAddress> removed_addresses;

  bool operator==(const Delta&) const = default;
  [[nodiscard]] bool empty() const {
    return adjacencies.empty() && groups.empty() && routes.empty() && addresses.empty() &&
           removed_adjacencies.empty() && removed_groups.empty() && removed_routes.empty() &&
           removed_addresses.empty();
  }
};

// Order-independent fingerprint of every record of a FIB: equal content, equal digest. The sum
// (mod 2^64, both halves apart) of the 128-bit hashes of the records.
struct Digest {
  std::uint64_t high{};
  std::uint64_t low{};
  auto operator<=>(const Digest&) const = default;
};

}  // namespace rackway::fib

template <>
struct std::hash<rackway::fib::AdjacencyKey> {
  std::size_t operator()(const rackway::fib::AdjacencyKey& key) const noexcept {
    return (static_cast<std::size_t>(key.node.value) << 32) | key.index.value;
  }
};
