// SPDX-License-Identifier: Apache-2.0
// The part of an IPv6 table that packets read. A root of 2^16 entries for the first 16 bits: the
// next hop of the longest route up to /16, and whether there are longer ones. Those are found in
// two ways. A hash table leads to the nodes for /32s with longer routes, one line for a probe. What
// is not there goes through directories of 256 cells for 8 more bits, which lead to nodes for /24s.
// A node is the intervals into which the routes cut the values of 16 bits: one cache line for up to
// 20 routes or so, else a tree of lines with 32 branches. Its cells are next hops, or lead to nodes
// for the 16 bits behind. So a /48 in a provider's /32 is found in two or three lines behind the
// root, which is always near.
// One writer while nobody reads; reading is safe from any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/ip_address.hh"
#include "fib/hash_map.hh"
#include "fib/interval_sweep.hh"
#include "fib/line_arena.hh"
#include "fib/next_hop_id.hh"

namespace rackway::fib {

// What a burst may use; all give the same answers.
enum class VectorUnit : std::uint8_t { none, avx2, avx512 };
[[nodiscard]] VectorUnit widest_vector_unit();

// Where lookups read.
struct Ipv6View {
  const std::byte* base;  // begins with the root
  const std::byte* near;  // the hash table
  unsigned shift;         // of a hash, to one of its lines
  unsigned log_width;     // common width of cells
};

// What the first 16 bits lead to.
struct Ipv6Root {
  std::uint32_t directory;  // octets from base
  NextHopId next_hop;       // of the longest route up to /16
};
static_assert(sizeof(Ipv6Root) == 8);

// Behind the root lies the directory of those that have none, in which all cells are 0.
inline constexpr std::uint32_t kIpv6Roots = 1u << 16;
inline constexpr std::uint32_t kIpv6NoDirectory = kIpv6Roots * sizeof(Ipv6Root);

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
  using Block = LineArena::Block;

  explicit Ipv6Lookup(VectorUnit unit = widest_vector_unit());

  [[nodiscard]] NextHopId lookup(const Ipv6Address& address) const noexcept;
  // out[i] = lookup(addresses[i]) for i < count.
  void lookup(const Ipv6Address* addresses, std::size_t count, NextHopId* out) const noexcept;

  void set_root(std::uint32_t high16, NextHopId next_hop) { root(high16).next_hop = next_hop; }
  // Without directory all of the /16 shows the root's next hop.
  void open_directory(std::uint32_t high16);
  void close_directory(std::uint32_t high16);
  // What a /24 shows: a next hop or 0 for all of it, or a node, which also says that there may be
  // more in the hash table.
  void set_directory(std::uint32_t high24, Ipv6Cell cell) {
    words(root(high24 >> 8).directory)[high24 & 0xff] = cell;
  }
  // The node itself, or one that shows this cell for all values.
  [[nodiscard]] Ipv6Cell node_of(Ipv6Cell cell);

  // A node for the depth-th 16 bits, in the place of `block` if it fits, which becomes the node's
  // own; or the one cell that says it all. The first interval begins at the node's first value.
  [[nodiscard]] Ipv6Cell make_node(std::span<const Interval> intervals, unsigned depth,
                                   Block& block);
  void give_back(Block& block);

  // True if next hops below `bound` need wider cells than are common. set_bound() makes those
  // common; nodes of before have to be made again.
  [[nodiscard]] bool too_narrow(std::uint32_t bound) const;
  void set_bound(std::uint32_t bound);

  // The hash table of /32s. A line of it may be full: then set_near() says so, and the cell has to
  // be found through the directory.
  [[nodiscard]] bool set_near(std::uint32_t high32, Ipv6Cell cell);
  void remove_near(std::uint32_t high32);
  // True if that many would crowd it; resize_near() makes room, and it is empty then.
  [[nodiscard]] bool too_many_near(std::size_t count) const;
  void resize_near(std::size_t count);

  [[nodiscard]] std::size_t bytes() const noexcept { return arena_.bytes(); }

 private:
  static constexpr std::uint32_t kDirectoryLines = 256 * sizeof(Ipv6Cell) / kLineBytes;
  static constexpr std::uint32_t kFrontLines = kIpv6NoDirectory / kLineBytes + kDirectoryLines;
  static constexpr std::size_t kCapacity = std::size_t{1} << 30;  // what a reference can name
  static constexpr unsigned kLeastNearBits = 4;

  [[nodiscard]] std::uint32_t* words(std::size_t offset) noexcept {
    return reinterpret_cast<std::uint32_t*>(arena_.at(0) + offset);
  }
  [[nodiscard]] Ipv6Root& root(std::uint32_t high16) noexcept {
    return reinterpret_cast<Ipv6Root*>(arena_.at(0))[high16];
  }
  [[nodiscard]] Ipv6View view() const noexcept {
    return {arena_.at(0), arena_.at(near_.line), 32 - near_bits_, log_width_};
  }
  [[nodiscard]] std::byte* near_line_of(std::uint32_t high32);

  using LookupBurst = decltype(&lookup_ipv6_scalar);
  [[nodiscard]] static LookupBurst burst_for(VectorUnit unit);

  LookupBurst lookup_burst_;
  LineArena arena_;
  Block near_;
  unsigned near_bits_ = kLeastNearBits;
  unsigned log_width_ = 0;
  HashMap<Ipv6Cell, Ipv6Cell> constants_;  // nodes of one interval
};

}  // namespace rackway::fib
