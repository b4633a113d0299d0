// SPDX-License-Identifier: Apache-2.0
// The part of an IPv6 table that packets read. A root of 2^16 entries for the first 16 bits: the
// next hop of the longest route up to /16, and a directory of 256 cells for the next 8 bits where
// there are longer routes. A cell is a next hop, or leads to a node: the intervals into which the
// routes cut the values of 16 further bits, as a tree of cache lines with 33 branches (one line
// for up to 20 routes or so). A cell of a node again is a next hop or leads to the node for the 16
// bits behind. So a /48 in a provider's /32 is found in four dependent lines of which the first
// two are nearly always near.
// One writer while nobody reads; reading is safe from any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ip_address.hh"
#include "fib/interval_sweep.hh"
#include "fib/line_arena.hh"
#include "fib/next_hop_id.hh"

namespace rackway::fib {

class Ipv6Lookup {
 public:
  using Block = LineArena::Block;

  Ipv6Lookup();

  [[nodiscard]] NextHopId lookup(const Ipv6Address& address) const noexcept;
  // out[i] = lookup(addresses[i]) for i < count.
  void lookup(const Ipv6Address* addresses, std::size_t count, NextHopId* out) const noexcept;

  void set_root(std::uint32_t high16, NextHopId next_hop) { root(high16).next_hop = next_hop; }
  // Without directory all of the /16 shows the root's next hop.
  void open_directory(std::uint32_t high16);
  void close_directory(std::uint32_t high16);
  [[nodiscard]] Ipv6Cell& directory_cell(std::uint32_t high24);

  // A node of the intervals, in the place of `block` if it fits, which becomes the node's own; or
  // the one cell that says it all. The first interval begins at the node's first value.
  [[nodiscard]] Ipv6Cell make_node(std::span<const Interval> intervals, Block& block);
  void give_back(Block& block);

  [[nodiscard]] std::size_t bytes() const noexcept { return arena_.bytes(); }

 private:
  struct Root {
    NextHopId next_hop;
    std::uint32_t directory;  // its first line; 0: none
  };
  static constexpr std::uint32_t kRoots = 1u << 16;
  static constexpr std::uint32_t kDirectoryLines = 256 * sizeof(Ipv6Cell) / kLineBytes;
  static constexpr std::size_t kCapacity = std::size_t{1} << 32;
  static constexpr std::size_t kBurst = 64;

  [[nodiscard]] Root& root(std::uint32_t high16) noexcept {
    return reinterpret_cast<Root*>(arena_.at(0))[high16];
  }
  [[nodiscard]] const Root* roots() const noexcept {
    return reinterpret_cast<const Root*>(arena_.at(0));
  }
  void lookup_burst(const Ipv6Address* addresses, std::size_t count, NextHopId* out) const noexcept;

  LineArena arena_;
};

}  // namespace rackway::fib
