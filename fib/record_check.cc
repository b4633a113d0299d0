// SPDX-License-Identifier: Apache-2.0
#include "fib/record_check.hh"

namespace rackway::fib {
namespace {

template <class Key>
tl::unexpected<Error> refuse(const Key& key, const std::string& why) {
  return fail(name_of(key) + ": " + why);
}

std::string outside(const char* what, std::size_t value, std::size_t first, std::size_t last) {
  return std::string(what) + " " + std::to_string(value) + " is outside " + std::to_string(first) +
         ".." + std::to_string(last);
}

template <class Key>
Result<void> check_place(const Key& key, NodeId node, PortId port, VlanId vlan) {
  if (node.value >= kMaxNodes) return refuse(key, outside("node", node.value, 0, kMaxNodes - 1));
  if (port.value >= kMaxPortsPerNode) {
    return refuse(key, outside("port", port.value, 0, kMaxPortsPerNode - 1));
  }
  if (vlan.value > kMaxVlan) return refuse(key, outside("VLAN", vlan.value, 0, kMaxVlan));
  return {};
}

template <class Key>
Result<void> check_length(const Key& key, const IpAddress& address, std::uint8_t length) {
  const auto bits = static_cast<std::size_t>(address_bits(address.family()));
  if (length > bits) return refuse(key, outside("length", length, 0, bits));
  return {};
}

Result<void> check_member(const Group& group, const GroupMember& member) {
  const auto [node, index] = member.adjacency;
  if (node.value >= kMaxNodes || index.value >= kMaxAdjacencies) {
    return refuse(group.id, name_of(member.adjacency) + " is out of range");
  }
  if (member.weight == 0) return refuse(group.id, name_of(member.adjacency) + " has weight 0");
  return {};
}

}  // namespace

Result<void> check_record(const Adjacency& adjacency) {
  const auto& key = adjacency.key;
  if (auto checked = check_place(key, key.node, adjacency.port, adjacency.vlan); !checked)
    return checked;
  if (key.index.value >= kMaxAdjacencies) {
    return refuse(key, outside("index", key.index.value, 0, kMaxAdjacencies - 1));
  }
  if (adjacency.destination.is_zero() || adjacency.destination.is_multicast()) {
    return refuse(key, adjacency.destination.to_string() + " is not a station's MAC address");
  }
  if (adjacency.mtu < kMinMtu) return refuse(key, outside("MTU", adjacency.mtu, kMinMtu, 65535));
  return {};
}

Result<void> check_record(const Group& group) {
  if (group.id.value >= kMaxGroups) {
    return refuse(group.id, outside("id", group.id.value, 0, kMaxGroups - 1));
  }
  const auto kind = static_cast<std::uint8_t>(group.kind);
  if (kind >= kGroupKinds) return refuse(group.id, outside("kind", kind, 0, kGroupKinds - 1));
  const std::size_t members = group.members.size();
  if (group.kind != GroupKind::forward) {
    if (members != 0) return refuse(group.id, "only a forward group has members");
    return {};
  }
  if (members < 1 || members > kMaxGroupMembers) {
    return refuse(group.id, outside("number of members", members, 1, kMaxGroupMembers));
  }
  for (const GroupMember& member : group.members) {
    if (auto checked = check_member(group, member); !checked) return checked;
  }
  return {};
}

Result<void> check_record(const Route& route) {
  const auto& [address, length] = route.prefix;
  if (auto checked = check_length(route.prefix, address, length); !checked) return checked;
  if (IpPrefix::covering(address, length).address != address) {
    return refuse(route.prefix, "host bits are set");
  }
  if (route.group.value >= kMaxGroups) {
    return refuse(route.prefix, outside("group", route.group.value, 0, kMaxGroups - 1));
  }
  return {};
}

Result<void> check_record(const PortAddress& address) {
  if (auto checked = check_place(address, address.node, address.port, address.vlan); !checked) {
    return checked;
  }
  return check_length(address, address.address, address.length);
}

std::string name_of(const AdjacencyKey& key) {
  return "adjacency " + std::to_string(key.index.value) + " of node " +
         std::to_string(key.node.value);
}

std::string name_of(const GroupId& id) {
  return "group " + std::to_string(id.value);
}

std::string name_of(const IpPrefix& prefix) {
  return "route " + prefix.to_string();
}

std::string name_of(const PortAddress& address) {
  const auto vlan =
      address.vlan == VlanId{} ? "" : " of VLAN " + std::to_string(address.vlan.value);
  return "address " + address.address.to_string() + "/" + std::to_string(address.length) + vlan +
         " of port " + std::to_string(address.port.value) + " of node " +
         std::to_string(address.node.value);
}

}  // namespace rackway::fib
