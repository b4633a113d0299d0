// SPDX-License-Identifier: Apache-2.0
#include "fib/record_digest.hh"

#include <xxhash.h>

#include <array>
#include <cassert>
#include <cstring>

#include "base/byte_order.hh"

namespace rackway::fib {
namespace {

enum class RecordTag : std::uint8_t { adjacency = 1, group = 2, route = 3, port_address = 4 };

// Canonical bytes of one record, on the stack.
template <std::size_t kSize>
class Encoding {
 public:
  explicit Encoding(RecordTag tag) { put(static_cast<std::uint8_t>(tag)); }

  template <std::unsigned_integral T>
  void put(T value) {
    assert(used_ + sizeof value <= kSize);
    store_be(&bytes_[used_], value);
    used_ += sizeof value;
  }
  void put(const AdjacencyKey& key) {
    put(key.node.value);
    put(key.index.value);
  }
  void put(const MacAddress& mac) { put_bytes(mac.bytes.data(), mac.bytes.size()); }
  void put(const IpAddress& address) {
    put(static_cast<std::uint8_t>(address.family()));
    put_bytes(address.data(), 16);
  }

  [[nodiscard]] Digest hash() const {
    const XXH128_hash_t hash = XXH3_128bits(bytes_.data(), used_);
    return {hash.high64, hash.low64};
  }

 private:
  void put_bytes(const std::uint8_t* from, std::size_t size) {
    assert(used_ + size <= kSize);
    std::memcpy(&bytes_[used_], from, size);
    used_ += size;
  }

  std::array<std::uint8_t, kSize> bytes_;
  std::size_t used_ = 0;
};

}  // namespace

Digest digest_of(const Adjacency& adjacency) {
  Encoding<36> bytes(RecordTag::adjacency);
  bytes.put(adjacency.key);
  bytes.put(adjacency.port.value);
  bytes.put(adjacency.vlan.value);
  bytes.put(adjacency.destination);
  bytes.put(adjacency.mtu);
  bytes.put(adjacency.next_hop);
  return bytes.hash();
}

Digest digest_of(const Group& group) {
  Encoding<8 + 8 * kMaxGroupMembers> bytes(RecordTag::group);
  bytes.put(group.id.value);
  bytes.put(static_cast<std::uint8_t>(group.kind));
  bytes.put(static_cast<std::uint16_t>(group.members.size()));
  for (const GroupMember& member : group.members) {
    bytes.put(member.adjacency);
    bytes.put(member.weight);
  }
  return bytes.hash();
}

Digest digest_of(const Route& route) {
  Encoding<23> bytes(RecordTag::route);
  bytes.put(route.prefix.address);
  bytes.put(route.prefix.length);
  bytes.put(route.group.value);
  return bytes.hash();
}

Digest digest_of(const PortAddress& address) {
  Encoding<25> bytes(RecordTag::port_address);
  bytes.put(address.node.value);
  bytes.put(address.port.value);
  bytes.put(address.vlan.value);
  bytes.put(address.address);
  bytes.put(address.length);
  return bytes.hash();
}

Digest digest_of(const Delta& content) {
  Digest sum;
  for (const auto& adjacency : content.adjacencies) sum += digest_of(adjacency);
  for (const auto& group : content.groups) sum += digest_of(group);
  for (const auto& route : content.routes) sum += digest_of(route);
  for (const auto& address : content.addresses) sum += digest_of(address);
  return sum;
}

}  // namespace rackway::fib
