// SPDX-License-Identifier: Apache-2.0
// How references to nodes and the nodes themselves are laid out (see Ipv6Lookup), and how they are
// read. Included by files that are compiled for different processors, so nothing in it is shared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/byte_order.hh"
#include "base/ip_address.hh"
#include "fib/interval_line.hh"
#include "fib/ipv6_lookup.hh"

namespace rackway::fib {
namespace {

// ---- a reference. Bit 31: it is one. 30: the node begins with a header. 29..6: its first line, so
// that these bits alone are its octets from base. 5..0 but 2: where its 16 bits are in the address,
// as a shift of the half (0, 16, 32 or 48) and 8 for the half behind; the width of its cells.

constexpr Ipv6Cell kNode = 1u << 31, kHeaded = 1u << 30;
constexpr std::uint32_t kLineMask = kHeaded - static_cast<std::uint32_t>(kLineBytes);
constexpr std::uint32_t kShiftMask = 0x30, kHalfMask = 8, kWidthMask = 3;
static_assert(kLineBytes == 64);

constexpr bool is_node(Ipv6Cell cell) {
  return (cell & kNode) != 0;
}
constexpr std::uint32_t offset_of(Ipv6Cell cell) {
  return cell & kLineMask;
}
constexpr unsigned log_width_of(Ipv6Cell cell) {
  return cell & kWidthMask;
}
constexpr Ipv6Cell node(std::uint32_t line, bool headed, unsigned depth, unsigned log_width) {
  return kNode | (headed ? kHeaded : 0) | static_cast<std::uint32_t>(line * kLineBytes) |
         (48 - 16 * (depth & 3)) | (depth >= 4 ? kHalfMask : 0) | log_width;
}
// The node's 16 bits of an address. Through a load of 64 bits: one of 16 is compiled to an
// instruction that leaves the rest of its register, so that each would wait for the one before.
[[gnu::always_inline]] inline std::uint16_t value_for(Ipv6Cell node,
                                                      const Ipv6Address& address) noexcept {
  const auto half = load_be<std::uint64_t>(address.bytes.data() + (node & kHalfMask));
  return static_cast<std::uint16_t>(half >> (node & kShiftMask));
}

// The cell for the node's 16 bits of an address.
template <class Isa>
[[gnu::always_inline]] inline Ipv6Cell read_node(const std::byte* base, Ipv6Cell node,
                                                 const Ipv6Address& address) noexcept {
  const std::uint16_t value = value_for(node, address);
  const std::byte* line = base + offset_of(node);
  if ((node & kHeaded) != 0) {
    for (unsigned lines = 0; lines != 1;) {
      lines = part_lines(line);
      line += part_of<Isa>(line, lines, value) * kLineBytes;
    }
  }
  return cell_in<Isa>(line, log_width_of(node), value);
}

// ---- the table of /32s with longer routes: lines of 8 keys and 8 cells

constexpr unsigned kNearKeys = 8;
constexpr int kNearFactor = -1640531535;  // 2^32 by the golden ratio, odd; Knuth, TAOCP 6.4
[[gnu::always_inline]] inline std::uint32_t near_line(std::uint32_t high32,
                                                      unsigned shift) noexcept {
  return high32 * static_cast<std::uint32_t>(kNearFactor) >> shift;
}
// The node of the /32 if the table has it, else the other.
template <class Isa>
[[gnu::always_inline]] inline Ipv6Cell near_cell(const Ipv6View& view, std::uint32_t high32,
                                                 Ipv6Cell other) noexcept {
  const std::byte* const line = view.near + near_line(high32, view.shift) * kLineBytes;
  const unsigned found = Isa::find(line, high32);
  Ipv6Cell near;  // where none is found, whatever lies there
  std::memcpy(&near, line + kLineBytes / 2 + (found & (kNearKeys - 1)) * sizeof near, sizeof near);
  const std::uint32_t is_near = 0u - static_cast<std::uint32_t>(found < kNearKeys);
  return other ^ ((near ^ other) & is_near);
}

// ---- the root and the directories

[[gnu::always_inline]] inline Ipv6Root root_of(const std::byte* base,
                                               std::uint32_t high32) noexcept {
  return reinterpret_cast<const Ipv6Root*>(base)[high32 >> 16];
}
[[gnu::always_inline]] inline Ipv6Cell directory_cell(const std::byte* base,
                                                      std::uint32_t directory,
                                                      std::uint32_t high32) noexcept {
  Ipv6Cell cell;
  std::memcpy(&cell, base + directory + (high32 >> 8 & 0xff) * sizeof cell, sizeof cell);
  return cell;
}
// The cell, or the root's next hop if it is 0. In arithmetic, as compilers make a branch of a
// choice, and this one can not be foreseen.
[[gnu::always_inline]] inline Ipv6Cell or_root(Ipv6Cell cell, Ipv6Root root) noexcept {
  return cell | (root.next_hop.value & (0u - static_cast<std::uint32_t>(cell == 0)));
}

}  // namespace
}  // namespace rackway::fib
