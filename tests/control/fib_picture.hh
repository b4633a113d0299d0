// SPDX-License-Identifier: Apache-2.0
// What a FIB means, as text without the numbers of groups and adjacencies: two FIBs with equal
// pictures do the same to every packet. A line per route, adjacency and address, sorted, and the
// number of groups.
//   10.0.0.0/8 forward 10.0.1.2@n0p0=02:00:00:00:00:01,mtu1500*1
//   adjacency 10.0.1.2@n0p0=02:00:00:00:00:01,mtu1500
//   address 10.0.1.1/24@n0p0
//   groups 1
#pragma once

#include <map>
#include <set>
#include <string>

#include "control/route_plan.hh"
#include "fib/fib.hh"

namespace rackway::control::testing {

inline std::string text_of(fib::GroupKind kind) {
  static constexpr const char* kNames[fib::kGroupKinds] = {
      "forward", "local", "glean", "blackhole", "unreachable", "prohibit", "broadcast"};
  return kNames[static_cast<std::size_t>(kind)];
}

inline std::string text_of(InterfaceRef interface) {
  const auto vlan = interface.vlan == VlanId{} ? "" : "." + std::to_string(interface.vlan.value);
  return "@n" + std::to_string(interface.node.value) + "p" + std::to_string(interface.port.value) +
         vlan;
}

inline std::string text_of(const Neighbor& neighbor, const MacAddress& mac, std::uint16_t mtu) {
  return neighbor.address.to_string() + text_of(neighbor.interface) + "=" + mac.to_string() +
         ",mtu" + std::to_string(mtu);
}

inline std::string text_of(const fib::Adjacency& record) {
  return text_of(Neighbor{{record.key.node, record.port, record.vlan}, record.next_hop},
                 record.destination, record.mtu);
}

// hops: as text_of(), with "*weight" behind.
inline std::string text_of(fib::GroupKind kind, const std::multiset<std::string>& hops) {
  std::string text = text_of(kind);
  for (const auto& hop : hops) text += " " + hop;
  return text;
}

inline std::string text_of(const fib::Fib& fib, const fib::Group& group) {
  std::multiset<std::string> hops;
  for (const auto& member : group.members) {
    hops.insert(text_of(*fib.find(member.adjacency)) + "*" + std::to_string(member.weight));
  }
  return text_of(group.kind, hops);
}

inline std::string text_of(const fib::PortAddress& address) {
  return "address " + address.address.to_string() + "/" + std::to_string(address.length) +
         text_of(InterfaceRef{address.node, address.port, address.vlan});
}

inline std::string text_of(const std::multiset<std::string>& lines) {
  std::string text;
  for (const auto& line : lines) text += line + "\n";
  return text;
}

inline std::string picture_of(const fib::Fib& fib) {
  const auto all = fib.snapshot();
  std::map<GroupId, std::string> groups;
  for (const auto& group : all.groups) groups[group.id] = text_of(fib, group);
  std::multiset<std::string> lines{"groups " + std::to_string(groups.size())};
  for (const auto& route : all.routes) {
    lines.insert(route.prefix.to_string() + " " + groups.at(route.group));
  }
  for (const auto& record : all.adjacencies) lines.insert("adjacency " + text_of(record));
  for (const auto& address : all.addresses) lines.insert(text_of(address));
  return text_of(lines);
}

// What happens to packets for exactly this prefix; "" when it has no route.
inline std::string way_to(const fib::Fib& fib, const IpPrefix& prefix) {
  const auto route = fib.find(prefix);
  return !route ? "" : text_of(fib, *fib.find(route->group));
}

}  // namespace rackway::control::testing
