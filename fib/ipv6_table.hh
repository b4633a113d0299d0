// SPDX-License-Identifier: Apache-2.0
// The IPv6 routes of a FIB and longest-prefix match over them; the same promises as Ipv4Table.
//
// refresh() makes anew what changed routes show in the lookup structure (Ipv6Lookup): the cells of
// one table, or one line; a /24 as a whole after as many changes as it has routes, and a /16 after
// half of that where it is small or the update great, so that they do not stray too far.
// One writer while nobody reads; reading is const and safe from any number of threads.
#pragma once

#include <absl/container/btree_map.h>
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
  // The same for at most that many routes behind the prefix; from the first on if there is none.
  template <class Visit>
  void visit_after(const std::optional<IpPrefix>& last, std::size_t most, Visit visit) const {
    auto at =
        last ? routes_.upper_bound({number_of(last->address.v6()), last->length}) : routes_.begin();
    for (; most > 0 && at != routes_.end(); ++at, --most) visit(table_route(at->first, at->second));
  }

  // Octets of what lookups read, and of what only changes need (about).
  [[nodiscard]] std::size_t lookup_bytes() const { return lookup_.bytes(); }
  [[nodiscard]] std::size_t update_bytes() const;

 private:
  static constexpr unsigned kRootLength = 16, kBranchLength = 24;
  static constexpr std::uint32_t kRoots = 1u << kRootLength;

  using Routes = absl::btree_map<Ipv6Key, NextHopId>;

  // A /24: its longer routes, and how many came or went since it was made as a whole.
  struct Branch {
    std::uint32_t routes = 0, changes = 0;
  };
  // A /16.
  struct Network {
    std::size_t routes = 0, changes = 0;  // the same, of those longer than /16
    std::vector<Branch> branches = std::vector<Branch>(1u << (kBranchLength - kRootLength));
  };

  [[nodiscard]] static TableRoute table_route(const Ipv6Key& key, NextHopId next_hop) {
    return {{ipv6_address(key.address), static_cast<std::uint8_t>(key.length)}, next_hop};
  }
  [[nodiscard]] static std::uint32_t high16(const Ipv6Key& key) { return key.bits(0, kRootLength); }
  [[nodiscard]] static Branch& branch_of(Network& network, const Ipv6Key& key) {
    return network.branches[key.bits(kRootLength, kBranchLength - kRootLength)];
  }

  void note_change(const Ipv6Key& key, std::optional<NextHopId> next_hop);
  void paint_root(const Ipv6Key& key, std::optional<NextHopId> next_hop);
  // The longest route covering the key, shorter than it and longer than `shortest`.
  [[nodiscard]] std::optional<TableRoute> shorter_route(const Ipv6Key& key,
                                                        unsigned shortest) const;

  void widen();
  void refresh_network(std::span<const Ipv6Key> changed);
  void make_network(std::uint32_t high16, Network& network);
  void renew(Network& network, std::span<const Ipv6Key> changed);
  [[nodiscard]] std::vector<Interval> intervals_of(const Ipv6Key& place) const;

  Routes routes_;
  std::vector<std::uint8_t> root_lengths_;        // of the routes that the root shows
  HashMap<std::uint32_t, Network> networks_;      // by the first 16 bits
  std::uint32_t next_hop_bound_ = kFirstNextHop;  // above all that ever were
  std::vector<Ipv6Key> changed_;                  // longer than /16
  Ipv6Lookup lookup_;
};

}  // namespace rackway::fib
