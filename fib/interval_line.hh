// SPDX-License-Identifier: Apache-2.0
// One cache line of an interval search: 16-bit keys in ascending order at its front, in lines of
// leaves with cells behind them. Key j is the last value before interval j + 1, so the interval of
// a value is the number of keys below it; unused keys are 0xffff, below which every value is.
// Such a search in sorted keys costs one comparison of the whole line and no branch.
// Only for the file that is compiled for the processor's vectors: nothing here may leave it.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace rackway::fib {
namespace {

constexpr unsigned kLineKeys = 32;

// How the cells of a line of leaves are kept.
enum class CellWidth : std::uint8_t { wide = 0, octet = 1, word = 2 };

struct LineFormat {
  unsigned keys;        // at the front, 2 octets each
  unsigned offset;      // of the first cell; there are keys + 1 of them
  unsigned width;       // octets of a cell
  std::uint32_t lanes;  // the keys as bits of key_bits()
};

// The keys of a line that are below the value, as bits; which bit is which key's is our own affair.
#if defined(__AVX2__)
[[nodiscard]] std::uint32_t key_bits(const std::byte* line, std::uint16_t value) noexcept {
  const __m256i wanted = _mm256_set1_epi16(static_cast<short>(value));
  const __m256i zero = _mm256_setzero_si256();
  const auto not_below = [&](std::size_t offset) {
    const __m256i keys = _mm256_load_si256(reinterpret_cast<const __m256i*>(line + offset));
    return _mm256_cmpeq_epi16(_mm256_subs_epu16(wanted, keys), zero);
  };
  const __m256i octets = _mm256_packs_epi16(not_below(0), not_below(32));
  return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(octets));
}
// Packing interleaves the halves in groups of eight.
constexpr unsigned bit_of_key(unsigned key) {
  return (key & 7) | (key & 8) << 1 | (key & 16) >> 1;
}
#else
[[nodiscard]] std::uint32_t key_bits(const std::byte* line, std::uint16_t value) noexcept {
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < kLineKeys; ++i) {
    std::uint16_t key;
    std::memcpy(&key, line + i * sizeof key, sizeof key);
    bits |= std::uint32_t{key < value} << i;
  }
  return bits;
}
constexpr unsigned bit_of_key(unsigned key) {
  return key;
}
#endif

constexpr std::uint32_t lanes_of(unsigned keys) {
  std::uint32_t lanes = 0;
  for (unsigned key = 0; key < keys; ++key) lanes |= std::uint32_t{1} << bit_of_key(key);
  return lanes;
}

constexpr std::array<LineFormat, 3> kLineFormats{{
    {10, 20, 4, lanes_of(10)},  // wide: next hops of any size, and references
    {20, 40, 1, lanes_of(20)},  // octet
    {15, 30, 2, lanes_of(15)},  // word
}};

constexpr const LineFormat& format_of(CellWidth width) {
  return kLineFormats[static_cast<std::size_t>(width)];
}

// Which of up to 33 lines below a header holds the value.
[[nodiscard]] unsigned branch_of(const std::byte* header, std::uint16_t value) noexcept {
  return static_cast<unsigned>(std::popcount(key_bits(header, value)));
}

// The cell for the value in a line of leaves.
[[nodiscard]] std::uint32_t cell_in(const std::byte* line, CellWidth width,
                                    std::uint16_t value) noexcept {
  const LineFormat& format = format_of(width);
  const auto interval = static_cast<unsigned>(std::popcount(key_bits(line, value) & format.lanes));
  std::uint32_t cell;
  std::memcpy(&cell, line + format.offset + interval * format.width, sizeof cell);
  return cell & (~std::uint32_t{0} >> (32 - 8 * format.width));
}

}  // namespace
}  // namespace rackway::fib
