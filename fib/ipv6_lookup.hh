// SPDX-License-Identifier: Apache-2.0
// The part of an IPv6 table that packets read. A root of 2^16 cells for the first 16 bits; from
// there tables of 16 to 256 cells, each for the next 4 to 8 bits, until what is left of the routes
// fits into one cache line as intervals (ipv6_cell.hh). Neighbours in a table share such a line. So
// most addresses read the root, one to three tables, and a line. A next hop of a route up to /16 is
// only in the root: cells 0 refer to it.
// One writer while nobody reads; reading is safe from any number of threads.
#pragma once

#include <absl/functional/function_ref.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/ip_address.hh"
#include "fib/interval_sweep.hh"
#include "fib/ipv6_key.hh"
#include "fib/ipv6_nodes.hh"
#include "fib/next_hop_id.hh"

namespace rackway::fib {

// What a burst may use; all give the same answers.
enum class VectorUnit : std::uint8_t { none, avx2, avx512 };
[[nodiscard]] VectorUnit widest_vector_unit();

// Where lookups read: the root's cells, then its next hops, then nodes.
struct Ipv6View {
  const std::byte* base;
  unsigned log_width;  // of next hops in leaves
};

inline constexpr std::uint32_t kIpv6Roots = 1u << 16;

// A burst of at most kIpv6Burst, on each kind of vectors. Which are there is the caller's business.
inline constexpr std::size_t kIpv6Burst = 64;
void lookup_ipv6_scalar(const Ipv6View& view, const Ipv6Address* addresses, std::size_t count,
                        NextHopId* out) noexcept;
void lookup_ipv6_avx2(const Ipv6View& view, const Ipv6Address* addresses, std::size_t count,
                      NextHopId* out) noexcept;
void lookup_ipv6_avx512(const Ipv6View& view, const Ipv6Address* addresses, std::size_t count,
                        NextHopId* out) noexcept;

class Ipv6Lookup {
 public:
  // The intervals of a prefix longer than /16, as the routes are now: 0 where none is longer.
  using Intervals = absl::FunctionRef<std::vector<Interval>(const Ipv6Key& place)>;

  explicit Ipv6Lookup(VectorUnit unit = widest_vector_unit());

  [[nodiscard]] NextHopId lookup(const Ipv6Address& address) const noexcept;
  // out[i] = lookup(addresses[i]) for i < count.
  void lookup(const Ipv6Address* addresses, std::size_t count, NextHopId* out) const noexcept;

  void set_root(std::uint32_t high16, NextHopId next_hop);
  // True if next hops below `bound` need wider leaves than there are. widen() makes those, and
  // gives all networks back.
  [[nodiscard]] bool too_narrow(std::uint32_t bound) const;
  void widen(std::uint32_t bound);

  // Whether the /16 has nodes; makes those anew; gives them back, so that the root says all.
  [[nodiscard]] bool has_network(std::uint32_t high16) const;
  void make_network(std::uint32_t high16, Intervals intervals);
  void remove_network(std::uint32_t high16);
  // In a network that has nodes, makes anew what shows the addresses of a prefix longer than /16,
  // or all of its /24. Return a prefix around it of which everything is as the intervals say now.
  Ipv6Key renew(const Ipv6Key& changed, Intervals intervals);
  Ipv6Key renew_branch(const Ipv6Key& changed, Intervals intervals);

  [[nodiscard]] std::size_t bytes() const noexcept { return nodes_.bytes(); }

 private:
  struct Place;  // of a cell

  [[nodiscard]] Ipv6View view() const noexcept { return {nodes_.base(), nodes_.log_width()}; }
  [[nodiscard]] Ipv6Cell& root_cell(std::uint32_t high16) { return nodes_.front()[high16]; }
  [[nodiscard]] Ipv6Cell& root_shown(std::uint32_t high16) {
    return nodes_.front()[kIpv6Roots + high16];
  }
  [[nodiscard]] Place network_of(const Ipv6Key& key);
  [[nodiscard]] Place cell_in_table(const Place& table, std::uint32_t index);
  [[nodiscard]] bool step_into(Place& place, const Ipv6Key& key);
  void renew_cell(const Place& place, Intervals intervals);
  void renew_part(const Place& place, const Ipv6Key& changed, Intervals intervals);
  void show(const Place& place, const std::vector<Interval>& shown);
  [[nodiscard]] bool renew_shared_leaf(const Place& place, const std::vector<Interval>& intervals);

  using LookupBurst = decltype(&lookup_ipv6_scalar);
  [[nodiscard]] static LookupBurst burst_for(VectorUnit unit);

  LookupBurst lookup_burst_;
  Ipv6Nodes nodes_;
};

}  // namespace rackway::fib
