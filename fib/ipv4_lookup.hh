// SPDX-License-Identifier: Apache-2.0
// The part of an IPv4 table that packets read. A root of 2^18 references, each to a block of 64
// cells, one for each /24, kept as runs (RunArena); a cell with routes longer than /24 below it
// holds a mark, and its 256 addresses are four further blocks, found by a hash. Two dependent
// cache lines for all but the marked ones, no branch that depends on the table.
// Leaf: 1, 2 or 4 octets, whatever holds the next-hop ids in use and the mark.
// One writer while nobody reads; reading is safe from any number of threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/ip_address.hh"
#include "fib/cell_run.hh"
#include "fib/hash_map.hh"
#include "fib/next_hop_id.hh"
#include "fib/run_arena.hh"

namespace rackway::fib {

template <class Leaf>
class Ipv4Lookup {
 public:
  static constexpr unsigned kRootBits = 18;
  static constexpr std::uint32_t kSlots = 1u << kRootBits;
  static constexpr std::uint32_t kDeep = std::numeric_limits<Leaf>::max();  // the mark
  static constexpr unsigned kDeepBlocks = 4;                                // 64 addresses each

  Ipv4Lookup() : arena_(kSlots, kCapacity) {}

  [[nodiscard]] NextHopId lookup(Ipv4Address address) const noexcept {
    const std::byte* block = arena_.at(arena_.refs()[address.value >> (32 - kRootBits)]);
    const Leaf leaf = Arena::leaf(block, address.value >> 8 & (kCells - 1));
    return leaf == kDeep ? lookup_deep(address) : NextHopId{leaf};
  }
  // out[i] = lookup(addresses[i]) for i < count.
  void lookup(const Ipv4Address* addresses, std::size_t count, NextHopId* out) const noexcept;

  // Each returns which runs of the block show another than the outer next hop.
  std::uint64_t set_slot(std::uint32_t slot, const CellRun& cells);
  std::uint64_t set_deep(std::uint32_t high24, unsigned block, const CellRun& cells);
  void remove_deep(std::uint32_t high24);
  // Another outer next hop; inner_runs: what set_slot() returned, 0 if it never was called.
  void repaint_slot(std::uint32_t slot, std::uint64_t inner_runs, NextHopId outer) {
    Ref& ref = arena_.refs()[slot];
    ref = arena_.repaint(ref, inner_runs, static_cast<Leaf>(outer.value));
  }

  [[nodiscard]] std::size_t bytes() const noexcept {
    return arena_.bytes() + deep_.capacity() * (sizeof(std::uint32_t) + sizeof(Deep));
  }

 private:
  using Arena = RunArena<Leaf>;
  using Ref = typename Arena::Ref;
  using Deep = std::array<Ref, kDeepBlocks>;
  static constexpr std::size_t kCapacity = std::size_t{1} << 32;
  static constexpr std::size_t kBurst = 64;

  [[nodiscard]] NextHopId lookup_deep(Ipv4Address address) const noexcept;
  void lookup_burst(const Ipv4Address* addresses, std::size_t count, NextHopId* out) const noexcept;

  Arena arena_;
  HashMap<std::uint32_t, Deep> deep_;  // by the upper 24 bits
};

extern template class Ipv4Lookup<std::uint8_t>;
extern template class Ipv4Lookup<std::uint16_t>;
extern template class Ipv4Lookup<std::uint32_t>;

}  // namespace rackway::fib
