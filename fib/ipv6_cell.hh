// SPDX-License-Identifier: Apache-2.0
// Cells of the IPv6 lookup structure (see Ipv6Lookup) and the cache lines that they lead to.
//
// A cell is a next hop, or 0 for "the root's next hop", or leads to a node, and says all that has
// to be known before the node is read: bit 31 is set, 30..28 are the kind, 27..22 the bit of the
// address where the node's window begins, counted from its base, 21..0 its first line.
//
// A table is 2^4 to 2^8 cells for the first bits of the window, without a key. A leaf is one line
// of intervals: ascending keys of the window's first 16 bits (short leaf) or 32 bits (long leaf),
// then next hops of the common width. Key j is the last value before interval j + 1, so the
// interval of a value is the number of keys below it; unused keys are all ones. A fork is a line
// like a long leaf whose cells may lead on; the base of what they lead to is so many bits behind
// its window's begin as its octet kForkAdvance says. The base is 16 at first.
//
// Files that include it are compiled for different processors, so nothing in it is shared by them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fib/interval_sweep.hh"
#include "fib/line_arena.hh"

namespace rackway::fib {
namespace {

constexpr Ipv6Cell kNode = 1u << 31;
constexpr unsigned kKindBit = 28, kSkipBit = 22;
constexpr std::uint32_t kLineMask = (1u << kSkipBit) - 1;
constexpr unsigned kSkipMask = 63;

constexpr unsigned kLeastStride = 4, kGreatestStride = 8;  // kinds 0 to 4 are tables
constexpr unsigned kShortLeaf = 5, kLongLeaf = 6, kFork = 7;

constexpr unsigned kFirstBase = 16;
// Tables and leaves tell addresses apart by so many bits from their base on, not more.
constexpr unsigned kReach = 48, kGreatestSkip = kReach - 1;
constexpr unsigned kShortBits = 16, kLongBits = 32;
constexpr std::size_t kForkAdvance = 60;

constexpr bool is_node(Ipv6Cell cell) {
  return (cell & kNode) != 0;
}
constexpr unsigned kind_of(Ipv6Cell cell) {
  return cell >> kKindBit & 7;
}
constexpr bool is_table(Ipv6Cell cell) {
  return is_node(cell) && kind_of(cell) < kShortLeaf;
}
constexpr bool is_leaf(Ipv6Cell cell) {
  return is_node(cell) && (kind_of(cell) == kShortLeaf || kind_of(cell) == kLongLeaf);
}
constexpr unsigned stride_of(Ipv6Cell table) {
  return kLeastStride + kind_of(table);
}
constexpr unsigned skip_of(Ipv6Cell cell) {
  return cell >> kSkipBit & kSkipMask;
}
constexpr std::uint32_t line_of(Ipv6Cell cell) {
  return cell & kLineMask;
}
constexpr std::size_t offset_of(Ipv6Cell cell) {
  return std::size_t{line_of(cell)} * kLineBytes;
}
constexpr Ipv6Cell node_cell(unsigned kind, unsigned skip, std::uint32_t line) {
  return kNode | kind << kKindBit | skip << kSkipBit | line;
}

// How many keys a leaf has; it has a next hop more. Widths are given as the logarithm of octets.
constexpr unsigned short_keys(unsigned log_width) {
  return 20 - 5 * log_width;
}
constexpr unsigned long_keys(unsigned log_width) {
  return log_width == 0 ? 12 : log_width == 1 ? 10 : 7;
}
constexpr unsigned kForkWidth = 2;

template <unsigned log_width>
[[nodiscard, gnu::always_inline]] inline std::uint32_t cell_at(const std::byte* cells,
                                                               unsigned interval) noexcept {
  if constexpr (log_width == 0) {
    return static_cast<std::uint8_t>(cells[interval]);
  } else if constexpr (log_width == 1) {
    std::uint16_t cell;
    std::memcpy(&cell, cells + interval * sizeof cell, sizeof cell);
    return cell;
  } else {
    std::uint32_t cell;
    std::memcpy(&cell, cells + interval * sizeof cell, sizeof cell);
    return cell;
  }
}

}  // namespace
}  // namespace rackway::fib
