// SPDX-License-Identifier: Apache-2.0
// One whole FIB: records, the lookup structures made of them, and their digest. Changed only by
// apply(), by one thread, while nobody else reads it (LeftRight sees to that). Reading is const and
// safe from any number of threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/result.hh"
#include "fib/next_hop_id.hh"
#include "fib/records.hh"

namespace rackway::fib {

// What a lookup ends in, as the forwarding core reads it.
struct Bucket {
  NodeId node;          // egress node
  std::uint16_t mtu{};  // of the adjacency, octets of IP
  AdjacencyId index;    // within the egress node
  bool operator==(const Bucket&) const = default;
};
static_assert(sizeof(Bucket) == 8);

// For kinds that do not forward: fits no packet, so that one comparison tells both.
inline constexpr Bucket kNoBucket{NodeId{0xffff}, 0, AdjacencyId{0}};

// What the FIB has for a next-hop id. Valid until the next apply().
struct GroupEntry {
  GroupKind kind{GroupKind::unreachable};
  // Members as often as their weights ask, laid out so that a change of the members moves few flows
  // (bucket_layout.hh). One for a single member; none unless forward; a power of two.
  std::span<const Bucket> buckets;

  // The bucket for a flow of that hash. Only for kind forward.
  [[nodiscard]] const Bucket& pick(std::uint32_t flow_hash) const noexcept {
    return buckets[static_cast<std::uint64_t>(flow_hash) * buckets.size() >> 32];
  }
};

// What the egress node writes; one per index, valid or not. None lies across two cache lines.
struct alignas(16) LocalAdjacency {
  MacAddress destination;
  std::uint16_t mtu{};
  PortId port;
  VlanId vlan;
  bool valid{false};
};
static_assert(sizeof(LocalAdjacency) == 16);

class Fib {
 public:
  Fib();
  ~Fib();
  Fib(Fib&&) noexcept;
  Fib& operator=(Fib&&) noexcept;

  [[nodiscard]] Fib clone() const;

  // Checks the whole delta against this FIB first; on error nothing has changed and the message
  // names the record. Refused: a key twice, an id or length out of range, a group that names an
  // unknown adjacency, a route that names an unknown group, removal of something unknown or of
  // something still referred to after the delta.
  [[nodiscard]] Result<void> apply(const Delta& delta);

  // Every record, as a delta over the empty FIB, sorted by key.
  [[nodiscard]] Delta snapshot() const;
  [[nodiscard]] Digest digest() const;

  // Where no route covers the address, an id whose entry is of kind unreachable. Ids count within
  // this FIB as it is now.
  [[nodiscard]] NextHopId lookup(Ipv4Address address) const noexcept;
  [[nodiscard]] NextHopId lookup(const Ipv6Address& address) const noexcept;
  // Bursts: out[i] for addresses[i]; equal to the scalar form. Sizes are equal.
  void lookup(std::span<const Ipv4Address> addresses, std::span<NextHopId> out) const noexcept;
  void lookup(std::span<const Ipv6Address> addresses, std::span<NextHopId> out) const noexcept;

  // For an id that lookup returned.
  [[nodiscard]] GroupEntry group(NextHopId id) const noexcept;
  // out[i] = group(ids[i]).pick(flow_hashes[i]), or kNoBucket where that does not forward. Sizes
  // are equal.
  void pick(std::span<const NextHopId> ids, std::span<const std::uint32_t> flow_hashes,
            std::span<Bucket> out) const noexcept;

  // The group behind an id of a lookup, for people; none where no route covers the address.
  [[nodiscard]] std::optional<GroupId> group_of(NextHopId id) const;
  // For a group that is there.
  [[nodiscard]] NextHopId next_hop_of(GroupId id) const;

  // The longest route that covers the address, or the route of exactly this prefix.
  [[nodiscard]] std::optional<Route> longest_match(const IpAddress& address) const;
  [[nodiscard]] std::optional<Route> find(const IpPrefix& prefix) const;
  // Every route that covers the prefix, its own among them, longest first.
  [[nodiscard]] std::vector<Route> covering(const IpPrefix& prefix) const;
  // At most that many routes behind the prefix, which need not be there, in order: IPv4 first, then
  // by address, then length. From the first on if there is no prefix.
  [[nodiscard]] std::vector<Route> routes_after(const std::optional<IpPrefix>& last,
                                                std::size_t most) const;
  // Of all other records, from what is stored of them; digest() is kept in step by changes only.
  [[nodiscard]] Digest digest_without_routes() const;
  [[nodiscard]] const Group* find(GroupId id) const;
  [[nodiscard]] const Adjacency* find(AdjacencyKey key) const;

  // The adjacencies of one egress node by index; the span may be shorter than the highest index in
  // use elsewhere. Valid until the next apply().
  [[nodiscard]] std::span<const LocalAdjacency> adjacencies_of(NodeId node) const noexcept;
  // Sorted by port and VLAN. Valid until the next apply().
  [[nodiscard]] std::span<const PortAddress> addresses_of(NodeId node) const noexcept;

  // Octets of what lookups read, and about those that only changes of routes need.
  struct Memory {
    std::size_t ipv4_lookup{}, ipv6_lookup{}, update{};
  };
  [[nodiscard]] Memory memory() const;

  struct Size {
    std::size_t ipv4_routes{}, ipv6_routes{}, groups{}, adjacencies{}, addresses{};
  };
  [[nodiscard]] Size size() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rackway::fib
