// SPDX-License-Identifier: Apache-2.0
#include <random>

#include "tests/bench/forward/bench_node.hh"

namespace rackway::bench {
namespace {

constexpr std::uint16_t kMtu = 1500;
constexpr std::uint64_t kSeed = 7;

MacAddress neighbor(std::uint32_t next_hop) {
  return {{0x02, 0xaa, 0, 0, static_cast<std::uint8_t>(next_hop >> 8),
           static_cast<std::uint8_t>(next_hop)}};
}

bool is_local(Duty duty, std::uint32_t next_hop) {
  if (duty == Duty::to_fabric) return false;
  return duty != Duty::half_fabric || next_hop / kPorts % 2 == 0;
}

// The node and port of a next hop: as many on each port, and on each other node.
fib::AdjacencyKey key_of(Duty duty, std::uint32_t next_hop) {
  const bool local = is_local(duty, next_hop);
  const auto node = static_cast<std::uint16_t>(local ? 0 : 1 + port_of(next_hop));
  return {NodeId{node}, AdjacencyId{next_hop}};
}

fib::Adjacency adjacency(Duty duty, std::uint32_t next_hop) {
  return {.key = key_of(duty, next_hop),
          .port = PortId{static_cast<std::uint16_t>(port_of(next_hop))},
          .destination = neighbor(next_hop),
          .mtu = kMtu,
          .next_hop = Ipv4Address{100u << 24 | 65u << 16 | next_hop}};
}

fib::Group group_of_several(Duty duty, std::uint32_t id, std::mt19937_64& random) {
  fib::Group group{GroupId{id}, fib::GroupKind::forward, {}};
  while (group.members.size() < kGroupMembers) {
    const auto key = key_of(duty, static_cast<std::uint32_t>(random() % kGroupNextHops));
    bool there = false;
    for (const auto& member : group.members) there |= member.adjacency == key;
    if (!there) group.members.push_back({key, 1});
  }
  return group;
}

// The router's own address: who sends to it is heard by the controller, within its rates.
void add_router(fib::Delta& delta, std::uint32_t group) {
  delta.groups.push_back({GroupId{group}, fib::GroupKind::local, {}});
  delta.routes.push_back({IpPrefix::host(kRouterAddress), GroupId{group}});
  delta.addresses.push_back({NodeId{0}, PortId{0}, VlanId{}, kRouterAddress, 32});
}

}  // namespace

fib::Delta content(Duty duty, std::span<const FileRoute> routes) {
  const bool several = duty == Duty::groups;
  const std::uint32_t next_hops = several ? kGroupNextHops : kNextHops;
  std::mt19937_64 random(kSeed);
  fib::Delta delta;
  for (std::uint32_t i = 0; i < next_hops; ++i) {
    delta.adjacencies.push_back(adjacency(duty, i));
    delta.groups.push_back(
        several ? group_of_several(duty, i, random)
                : fib::Group{GroupId{i}, fib::GroupKind::forward, {{key_of(duty, i), 1}}});
  }
  for (const auto& [prefix, next_hop] : routes) {
    delta.routes.push_back({prefix, GroupId{next_hop}});
  }
  if (several) add_router(delta, next_hops);
  return delta;
}

}  // namespace rackway::bench
