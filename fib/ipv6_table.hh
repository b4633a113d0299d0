// SPDX-License-Identifier: Apache-2.0
// The IPv6 routes of a FIB and longest-prefix match over them; the same promises as Ipv4Table.
//
// Lookups read a root for the first 16 bits, directories for 8 more, and nodes (see Ipv6Lookup):
// one for each /24 with routes up to /32 below it, and one for each prefix of 32, 48, 64 ... 112
// bits with longer routes below it. A node follows from the routes of its own 16 bits, from where
// the nodes below it are, and from its "outer" next hop: of the longest route that covers all of
// it. refresh() makes the nodes of changed routes anew, the deepest first. One writer while nobody
// reads; reading is const and safe from any number of threads.
#pragma once

#include <absl/container/btree_map.h>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "fib/hash_map.hh"
#include "fib/ipv6_key.hh"
#include "fib/ipv6_lookup.hh"
#include "fib/table_route.hh"

namespace rackway::fib {

class Ipv6Table {
 public:
  using Address = Ipv6Address;
  static constexpr NextHopId kDefault = kIpv6Default;

  Ipv6Table() : Ipv6Table(widest_vector_unit()) {}
  // unit: what bursts of lookups may use.
  explicit Ipv6Table(VectorUnit unit) : root_lengths_(kRoots), lookup_(unit) {}

  // Both return the next hop that the prefix had before. The prefix is of this family and its host
  // bits are clear; the next hop is kFirstNextHop or more.
  std::optional<NextHopId> set(const IpPrefix& prefix, NextHopId next_hop);
  std::optional<NextHopId> remove(const IpPrefix& prefix);
  void refresh();

  // The next hop of the longest route that covers the address, kDefault if only the default route
  // does or none.
  [[nodiscard]] NextHopId lookup(const Ipv6Address& address) const noexcept {
    return lookup_.lookup(address);
  }
  // out[i] = lookup(addresses[i]), with the misses of a burst overlapped. Sizes are equal.
  void lookup(std::span<const Ipv6Address> addresses, std::span<NextHopId> out) const noexcept;

  [[nodiscard]] std::optional<NextHopId> find(const IpPrefix& prefix) const;
  // The longest route that covers the address, also the default route.
  [[nodiscard]] std::optional<TableRoute> longest_match(const Ipv6Address& address) const;

  // Every route that covers the prefix, its own among them, longest first.
  [[nodiscard]] std::vector<TableRoute> covering(const IpPrefix& prefix) const;

  [[nodiscard]] std::size_t size() const { return routes_.size(); }
  // visit(TableRoute) for every route, in order of prefix.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [key, next_hop] : routes_) visit(table_route(key, next_hop));
  }

  // Octets of what lookups read, and of what only changes need (about).
  [[nodiscard]] std::size_t lookup_bytes() const { return lookup_.bytes(); }
  [[nodiscard]] std::size_t update_bytes() const;

 private:
  static constexpr unsigned kRootLength = 16, kCellLength = 24, kNodeBits = 16;
  static constexpr std::uint32_t kRoots = 1u << kRootLength;
  static constexpr unsigned kDepths = 128 / kNodeBits;

  using Routes = absl::btree_map<Ipv6Key, NextHopId>;

  // For a /24, or a prefix of 32, 48 ... 112 bits.
  struct Node {
    Ipv6Cell cell = 0;   // how one comes to it
    Ipv6Cell outer = 0;  // a next hop; 0: the root's
    bool near = false;   // through the hash table
    Ipv6Lookup::Block block;
    std::vector<Interval> intervals;
  };
  using Nodes = HashMap<Ipv6Key, Node>;
  struct Branch {
    Node node;
    std::uint8_t outer_length = 0;
  };
  struct Directory {
    std::size_t routes = 0;  // longer than /16
    std::vector<Branch> branches = std::vector<Branch>(256);
  };
  static constexpr unsigned kBranchDepth = 1;  // of the nodes for a /24
  static constexpr unsigned kNearDepth = 2;    // of those for a /32

  [[nodiscard]] static TableRoute table_route(const Ipv6Key& key, NextHopId next_hop) {
    return {{ipv6_address(key.address), static_cast<std::uint8_t>(key.length)}, next_hop};
  }
  // The node that a route's own 16 bits are in: n for bits 16 n and following.
  [[nodiscard]] static unsigned depth_of(unsigned length) { return (length - 1) / kNodeBits; }
  // The values of a node's 16 bits that a prefix of at least its length covers: the first, how
  // many.
  [[nodiscard]] static std::uint32_t first_value(const Ipv6Key& key, unsigned depth) {
    return key.bits(depth * kNodeBits, kNodeBits);
  }
  [[nodiscard]] static std::uint32_t values_of(const Ipv6Key& key, unsigned depth) {
    return 1u << ((depth + 1) * kNodeBits - key.length);
  }
  // The prefix whose node that is.
  [[nodiscard]] static Ipv6Key place_of(const Ipv6Key& key, unsigned depth) {
    return key.covering(depth == kBranchDepth ? kCellLength : depth * kNodeBits);
  }

  void note_change(const Ipv6Key& key, std::optional<NextHopId> next_hop);
  void paint_root(const Ipv6Key& key, std::optional<NextHopId> next_hop);
  void paint_directory(const Ipv6Key& key, std::optional<NextHopId> next_hop);
  // The longest route covering the key, shorter than it and longer than `shortest`.
  [[nodiscard]] std::optional<TableRoute> shorter_route(const Ipv6Key& key,
                                                        unsigned shortest) const;
  [[nodiscard]] bool longer_routes_in(const Ipv6Key& place) const;

  void refresh_branch(const Ipv6Key& place, std::span<const Ipv6Key> changed);
  void refresh_node(const Ipv6Key& place, unsigned depth, std::span<const Ipv6Key> changed);
  void forget_all_nodes();
  void make_room_for_near();
  void show_node(const Ipv6Key& place, Node& node);
  void forget_node(Nodes::iterator known);
  void renew(Node& node, const Ipv6Key& place, unsigned depth, std::span<const Ipv6Key> changed);
  [[nodiscard]] Ipv6Cell cell_of_node(const Ipv6Key& place, unsigned depth, Ipv6Cell outer);
  [[nodiscard]] Ipv6Cell shown_by(const Ipv6Key& key, const Ipv6Key& place, Ipv6Cell outer) const;
  [[nodiscard]] std::vector<Interval> intervals_of(const Ipv6Key& range, unsigned depth,
                                                   Ipv6Cell outer);

  Routes routes_;
  std::vector<std::uint8_t> root_lengths_;         // of the routes that the root shows
  HashMap<std::uint32_t, Directory> directories_;  // by the first 16 bits
  Nodes nodes_;
  std::size_t near_nodes_ = 0;
  std::uint32_t next_hop_bound_ = kFirstNextHop;       // above all that ever were
  std::array<std::vector<Ipv6Key>, kDepths> changed_;  // what to look at anew, by depth of the node
  Ipv6Lookup lookup_;
};

}  // namespace rackway::fib
