// SPDX-License-Identifier: Apache-2.0
// What is inside a Fib: its tables and the digest over them, kept in step. apply() trusts that
// check_delta() has passed. Its cost is that of the delta, not of the FIB; a changed MTU of an
// adjacency costs the buckets of the groups on it.
#pragma once

#include <optional>
#include <vector>

#include "fib/adjacency_table.hh"
#include "fib/group_table.hh"
#include "fib/ipv4_table.hh"
#include "fib/ipv6_table.hh"
#include "fib/port_address_table.hh"
#include "fib/records.hh"

namespace rackway::fib {

struct FibContent {
  Ipv4Table ipv4;
  Ipv6Table ipv6;
  GroupTable groups;
  AdjacencyTable adjacencies;
  PortAddressTable addresses;
  Digest digest;

  void apply(const Delta& delta);
  [[nodiscard]] Delta snapshot() const;

  [[nodiscard]] std::optional<Route> find(const IpPrefix& prefix) const;
  [[nodiscard]] std::optional<Route> longest_match(const IpAddress& address) const;
  [[nodiscard]] std::vector<Route> covering(const IpPrefix& prefix) const;
  [[nodiscard]] std::vector<Route> routes_after(const std::optional<IpPrefix>& last,
                                                std::size_t most) const;
  [[nodiscard]] Digest digest_without_routes() const;

 private:
  void set(const Adjacency& adjacency);
  void set(const Group& group);
  void set(const Route& route);
  void forget(const IpPrefix& prefix, NextHopId next_hop);  // in the counts and the digest
  void refresh();
  void add(const PortAddress& address);
  void remove(AdjacencyKey key);
  void remove(GroupId id);
  void remove(const IpPrefix& prefix);
  void remove(const PortAddress& address);
};

}  // namespace rackway::fib
