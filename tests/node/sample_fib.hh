// SPDX-License-Identifier: Apache-2.0
// The cluster and the FIB that the packet harness forwards by: one of everything, made by apply()
// like any other. Node 1 of a full mesh of four is the node under test.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "fib/fib.hh"
#include "tests/node/frames.hh"
#include "topo/fabric_table.hh"

namespace rackway::node::testing {

constexpr NodeId kSelf{1};
constexpr std::size_t kNodes = 4;
constexpr std::uint8_t kEpochMark = 0x2b;

// Outputs of the harness, by what is behind them.
constexpr std::size_t kPort0 = 0, kPort1 = 1, kToNode0 = 2, kToNode2 = 3, kToNode3 = 4;

inline std::vector<topo::LinkEnds> mesh() {
  std::vector<topo::LinkEnds> links;
  for (std::uint16_t a = 0; a < kNodes; ++a) {
    for (std::uint16_t b = a + 1; b < kNodes; ++b) links.push_back({NodeId{a}, NodeId{b}});
  }
  return links;
}

// Neighbours of this node: on port 0 the host the frames come from, on port 1 two others.
inline const MacAddress kNeighborB = mac("02:bb:00:00:00:02");
inline const MacAddress kNeighborC = mac("02:cc:00:00:00:03");
constexpr std::uint16_t kSmallMtu = 1280;

constexpr std::uint32_t kRemoteIndex = 0x012345;   // on node 3
constexpr std::uint32_t kPortOutOfRangeIndex = 3;  // names port 9 of this node
constexpr std::uint32_t kNotValidIndex = 4;        // a hole: 5 is there
constexpr std::uint32_t kUnknownIndex = 6;         // behind the last one

inline fib::Adjacency adjacency(std::uint16_t node, std::uint32_t index, std::uint16_t port,
                                const MacAddress& destination, std::uint16_t mtu,
                                std::string_view next_hop) {
  return {.key = {NodeId{node}, AdjacencyId{index}},
          .port = PortId{port},
          .destination = destination,
          .mtu = mtu,
          .next_hop = ip(next_hop)};
}

inline std::vector<fib::Adjacency> sample_adjacencies() {
  return {adjacency(1, 0, 0, kHostMac, 1500, "10.0.0.2"),
          adjacency(1, 1, 1, kNeighborB, 1500, "10.0.1.2"),
          adjacency(1, 2, 1, kNeighborC, kSmallMtu, "10.0.1.3"),
          adjacency(1, kPortOutOfRangeIndex, 9, kNeighborC, 1500, "10.9.0.2"),
          adjacency(1, 5, 1, kNeighborB, 9000, "10.0.1.4"),
          adjacency(2, 0, 0, kNeighborB, 1500, "10.2.0.2"),
          adjacency(2, 1, 1, kNeighborB, kSmallMtu, "10.2.1.2"),
          adjacency(3, kRemoteIndex, 1, kNeighborC, 1500, "10.3.0.2")};
}

enum SampleGroup : std::uint32_t {
  kLocal,
  kGlean,
  kBlackhole,
  kUnreachable,
  kProhibit,
  kBroadcast,
  kViaHost,        // port 0
  kViaB,           // port 1
  kViaC,           // port 1, small MTU
  kViaJumbo,       // port 1, MTU 9000
  kViaNode2,       // fabric
  kViaNode2Small,  // fabric, small MTU
  kViaNode3,       // fabric, wide adjacency index
  kViaFour,        // host, B, node 2, node 3
  kViaPortOutOfRange,
};

inline std::vector<fib::Group> sample_groups() {
  std::vector<fib::Group> groups;
  const auto plain = [&](SampleGroup id, fib::GroupKind kind) {
    groups.push_back({GroupId{id}, kind, {}});
  };
  const auto forward = [&](SampleGroup id, std::vector<fib::AdjacencyKey> members) {
    fib::Group group{GroupId{id}, fib::GroupKind::forward, {}};
    for (const auto& member : members) group.members.push_back({member, 1});
    groups.push_back(group);
  };
  const auto key = [](std::uint16_t node, std::uint32_t index) {
    return fib::AdjacencyKey{NodeId{node}, AdjacencyId{index}};
  };
  plain(kLocal, fib::GroupKind::local);
  plain(kGlean, fib::GroupKind::glean);
  plain(kBlackhole, fib::GroupKind::blackhole);
  plain(kUnreachable, fib::GroupKind::unreachable);
  plain(kProhibit, fib::GroupKind::prohibit);
  plain(kBroadcast, fib::GroupKind::broadcast);
  forward(kViaHost, {key(1, 0)});
  forward(kViaB, {key(1, 1)});
  forward(kViaC, {key(1, 2)});
  forward(kViaJumbo, {key(1, 5)});
  forward(kViaNode2, {key(2, 0)});
  forward(kViaNode2Small, {key(2, 1)});
  forward(kViaNode3, {key(3, kRemoteIndex)});
  forward(kViaFour, {key(1, 0), key(1, 1), key(2, 0), key(3, kRemoteIndex)});
  forward(kViaPortOutOfRange, {key(1, kPortOutOfRangeIndex)});
  return groups;
}

inline std::vector<fib::Route> sample_routes() {
  std::vector<fib::Route> routes;
  const auto add = [&](std::string_view prefix, SampleGroup group) {
    routes.push_back({IpPrefix::parse(prefix).value(), GroupId{group}});
  };
  // Subnets of the ports, as a kernel has them.
  for (const auto* subnet : {"10.0.0.0/24", "10.0.1.0/24", "2001:db8::/64", "2001:db8:1::/64"}) {
    add(subnet, kGlean);
  }
  for (const auto* own : {"10.0.0.1/32", "10.0.1.1/32", "2001:db8::1/128", "2001:db8:1::1/128"}) {
    add(own, kLocal);
  }
  add("10.0.0.255/32", kBroadcast);
  add("10.0.0.2/32", kViaHost);
  add("10.0.1.2/32", kViaB);
  add("2001:db8::2/128", kViaHost);
  add("2001:db8:1::2/128", kViaB);
  // 2N.0.0.0/8 and 2001:db8:2N::/48: one of each kind, see route_to().
  for (std::uint32_t group = kLocal; group <= kViaPortOutOfRange; ++group) {
    add(std::to_string(20 + group) + ".0.0.0/8", static_cast<SampleGroup>(group));
    add("2001:db8:" + std::to_string(20 + group) + "::/48", static_cast<SampleGroup>(group));
  }
  // The range once reserved "for future use" is unicast like any other when there is a route.
  add("240.0.0.0/4", kViaB);
  // Routes that must not make a difference: addresses that are never forwarded.
  for (const auto* never : {"0.0.0.0/8", "127.0.0.0/8", "224.0.0.0/4", "255.255.255.255/32",
                            "fe80::/10", "ff00::/8", "::/127"}) {
    add(never, kViaB);
  }
  return routes;
}

// An address whose route is that group's.
inline std::string ipv4_to(SampleGroup group, std::string_view rest = ".0.0.1") {
  return std::to_string(20 + group) + std::string(rest);
}
inline std::string ipv6_to(SampleGroup group) {
  return "2001:db8:" + std::to_string(20 + group) + "::1";
}

inline std::vector<fib::PortAddress> sample_addresses() {
  const auto address = [](std::uint16_t node, std::uint16_t port, std::string_view text,
                          std::uint8_t length) {
    return fib::PortAddress{NodeId{node}, PortId{port}, ip(text), length};
  };
  return {address(1, 0, "10.0.0.1", 24),      address(1, 0, "2001:db8::1", 64),
          address(1, 0, "fe80::1", 64),       address(1, 1, "10.0.1.1", 24),
          address(1, 1, "2001:db8:1::1", 64), address(1, 1, "fe80::11", 64),
          address(2, 0, "10.2.0.1", 24)};
}

inline fib::Fib fib_of(const fib::Delta& content) {
  fib::Fib fib;
  if (const auto applied = fib.apply(content); !applied) {
    throw std::logic_error(applied.error().message);
  }
  return fib;
}

inline fib::Fib sample_fib() {
  fib::Delta delta;
  delta.adjacencies = sample_adjacencies();
  delta.groups = sample_groups();
  delta.routes = sample_routes();
  delta.addresses = sample_addresses();
  return fib_of(delta);
}

}  // namespace rackway::node::testing
