// SPDX-License-Identifier: Apache-2.0
#include "fib/record_wire.hh"

#include <cstring>

namespace rackway::fib {

void write_address(WireWriter& out, const IpAddress& address) {
  out.number(static_cast<std::uint8_t>(address.family()));
  out.bytes({reinterpret_cast<const char*>(address.data()), address.size()});
}

IpAddress read_address(WireReader& in) {
  const auto family = in.number<std::uint8_t>();
  if (family != 4 && family != 6) in.fail();
  const auto raw = in.bytes(family == 6 ? 16 : 4);
  return IpAddress::from_bytes(raw.data(), raw.size()).value_or(IpAddress{});
}

namespace {

void write(WireWriter& out, const IpPrefix& prefix) {
  write_address(out, prefix.address);
  out.number(prefix.length);
}

void write(WireWriter& out, AdjacencyKey key) {
  out.number(key.node.value);
  out.number(key.index.value);
}

void write(WireWriter& out, GroupId id) {
  out.number(id.value);
}

void write(WireWriter& out, const Adjacency& adjacency) {
  write(out, adjacency.key);
  out.number(adjacency.port.value);
  out.number(adjacency.vlan.value);
  out.bytes({reinterpret_cast<const char*>(adjacency.destination.bytes.data()), 6});
  out.number(adjacency.mtu);
  write_address(out, adjacency.next_hop);
}

void write(WireWriter& out, const Group& group) {
  write(out, group.id);
  out.number(static_cast<std::uint8_t>(group.kind));
  out.number(static_cast<std::uint16_t>(group.members.size()));
  for (const auto& member : group.members) {
    write(out, member.adjacency);
    out.number(member.weight);
  }
}

void write(WireWriter& out, const Route& route) {
  write(out, route.prefix);
  write(out, route.group);
}

void write(WireWriter& out, const PortAddress& address) {
  out.number(address.node.value);
  out.number(address.port.value);
  out.number(address.vlan.value);
  write_address(out, address.address);
  out.number(address.length);
}

template <class Record>
void write_all(WireWriter& out, const std::vector<Record>& records) {
  out.count(records.size());
  for (const auto& record : records) write(out, record);
}

template <class T>
T read(WireReader& in);

template <>
IpAddress read(WireReader& in) {
  return read_address(in);
}

template <>
IpPrefix read(WireReader& in) {
  const auto address = read<IpAddress>(in);
  const auto length = in.number<std::uint8_t>();
  if (length > address_bits(address.family())) {
    in.fail();
    return {};
  }
  const auto prefix = IpPrefix::covering(address, length);
  if (prefix.address != address) in.fail();
  return prefix;
}

template <>
AdjacencyKey read(WireReader& in) {
  AdjacencyKey key;
  key.node.value = in.number<std::uint16_t>();
  key.index.value = in.number<std::uint32_t>();
  if (key.node.value >= kMaxNodes || key.index.value >= kMaxAdjacencies) in.fail();
  return key;
}

template <>
GroupId read(WireReader& in) {
  const GroupId id{in.number<std::uint32_t>()};
  if (id.value >= kMaxGroups) in.fail();
  return id;
}

PortId read_port(WireReader& in) {
  const PortId port{in.number<std::uint16_t>()};
  if (port.value >= kMaxPortsPerNode) in.fail();
  return port;
}

VlanId read_vlan(WireReader& in) {
  const VlanId vlan{in.number<std::uint16_t>()};
  if (vlan.value > kMaxVlan) in.fail();
  return vlan;
}

template <>
Adjacency read(WireReader& in) {
  Adjacency adjacency;
  adjacency.key = read<AdjacencyKey>(in);
  adjacency.port = read_port(in);
  adjacency.vlan = read_vlan(in);
  const auto mac = in.bytes(6);
  if (mac.size() == 6) std::memcpy(adjacency.destination.bytes.data(), mac.data(), 6);
  adjacency.mtu = in.number<std::uint16_t>();
  adjacency.next_hop = read<IpAddress>(in);
  return adjacency;
}

template <>
Group read(WireReader& in) {
  Group group;
  group.id = read<GroupId>(in);
  const auto kind = in.number<std::uint8_t>();
  if (kind >= kGroupKinds) in.fail();
  group.kind = static_cast<GroupKind>(kind);
  const auto members = in.number<std::uint16_t>();
  if (members > kMaxGroupMembers) in.fail();
  for (std::uint16_t i = 0; in.ok() && i < members; ++i) {
    const auto adjacency = read<AdjacencyKey>(in);
    group.members.push_back({adjacency, in.number<std::uint16_t>()});
  }
  return group;
}

template <>
Route read(WireReader& in) {
  const auto prefix = read<IpPrefix>(in);
  return {prefix, read<GroupId>(in)};
}

template <>
PortAddress read(WireReader& in) {
  PortAddress address;
  address.node.value = in.number<std::uint16_t>();
  if (address.node.value >= kMaxNodes) in.fail();
  address.port = read_port(in);
  address.vlan = read_vlan(in);
  address.address = read<IpAddress>(in);
  address.length = in.number<std::uint8_t>();
  if (address.length > address_bits(address.address.family())) in.fail();
  return address;
}

// `least` is the shortest encoding of the record.
template <class Record>
void read_all(WireReader& in, std::size_t least, std::vector<Record>& records) {
  const auto count = in.count(least);
  records.reserve(count);
  for (std::size_t i = 0; in.ok() && i < count; ++i) records.push_back(read<Record>(in));
}

}  // namespace

void write(WireWriter& out, const Digest& digest) {
  out.number(digest.high);
  out.number(digest.low);
}

Digest read_digest(WireReader& in) {
  const auto high = in.number<std::uint64_t>();
  return {high, in.number<std::uint64_t>()};
}

void write(WireWriter& out, const Delta& delta) {
  write_all(out, delta.adjacencies);
  write_all(out, delta.groups);
  write_all(out, delta.routes);
  write_all(out, delta.addresses);
  write_all(out, delta.removed_adjacencies);
  write_all(out, delta.removed_groups);
  write_all(out, delta.removed_routes);
  write_all(out, delta.removed_addresses);
}

Delta read_delta(WireReader& in) {
  Delta delta;
  read_all(in, 23, delta.adjacencies);
  read_all(in, 7, delta.groups);
  read_all(in, 10, delta.routes);
  read_all(in, 12, delta.addresses);
  read_all(in, 6, delta.removed_adjacencies);
  read_all(in, 4, delta.removed_groups);
  read_all(in, 6, delta.removed_routes);
  read_all(in, 12, delta.removed_addresses);
  return delta;
}

}  // namespace rackway::fib
