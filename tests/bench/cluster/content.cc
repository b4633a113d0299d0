// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/cluster/content.hh"

#include "tests/bench/cluster/frame.hh"

namespace rackway::bench {
namespace {

constexpr std::uint16_t kMtu = 1500;
constexpr std::uint32_t kRoutes = 256;

}  // namespace

fib::Delta cluster_content(std::size_t nodes, bool everything_local) {
  fib::Delta delta;
  for (std::uint32_t i = 0; i < nodes; ++i) {
    const NodeId node{static_cast<std::uint16_t>(i)};
    const fib::AdjacencyKey key{everything_local ? NodeId{0} : node, AdjacencyId{i}};
    delta.adjacencies.push_back({.key = key,
                                 .port = PortId{0},
                                 .destination = neighbor_of(node),
                                 .mtu = kMtu,
                                 .next_hop = Ipv4Address{100u << 24 | 64u << 16 | i}});
    delta.groups.push_back({GroupId{i}, fib::GroupKind::forward, {{key, 1}}});
    for (std::uint32_t route = 0; route < kRoutes; ++route) {
      const Ipv4Address network{network_of(node).value | route << 8};
      delta.routes.push_back({IpPrefix{network, 24}, GroupId{i}});
    }
  }
  return delta;
}

}  // namespace rackway::bench
