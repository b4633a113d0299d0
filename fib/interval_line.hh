// SPDX-License-Identifier: Apache-2.0
// One cache line of an interval search: 16-bit keys in ascending order at its front. Key j is the
// last value before interval j + 1, so the interval of a value is the number of keys below it;
// unused keys are 0xffff, below which every value is. Such a search costs one comparison of the
// whole line and no branch. A line of leaves has a cell for each interval behind its keys. A header
// is followed by up to 32 parts of equal size, each a line of leaves or a header with what it leads
// to; its last 16 bits are the lines of a part. Files that include it are compiled for different
// processors, so nothing in it is shared by them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace rackway::fib {
namespace {

constexpr unsigned kLineLanes = 32;
constexpr unsigned kHeaderKeys = 31, kHeaderParts = 32;

// A line of leaves holds 20 keys and 21 cells of one octet, 15 and 16 of two, or 10 and 11 of four.
// The width is given as the logarithm of its octets, 0 to 2.
constexpr unsigned keys_of(unsigned log_width) {
  return 20 - 5 * log_width;
}

// ---- the lanes of a line that are below a value, bit i for lane i

struct Scalar {
  [[nodiscard, gnu::always_inline]] static std::uint32_t below(const std::byte* line,
                                                               std::uint16_t value) noexcept {
    std::uint32_t bits = 0;
    for (unsigned i = 0; i < kLineLanes; ++i) {
      std::uint16_t lane;
      std::memcpy(&lane, line + i * sizeof lane, sizeof lane);
      bits |= std::uint32_t{lane < value} << i;
    }
    return bits;
  }
  // Which of up to 64 are not at their end: cells of another width than the common one, 0, and
  // cells with bit 31.
  [[nodiscard, gnu::always_inline]] static std::uint64_t open(const std::uint32_t* nodes,
                                                              const std::uint32_t* cells,
                                                              std::size_t count,
                                                              unsigned log_width) noexcept {
    std::uint64_t open = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool ends = ((nodes[i] ^ log_width) & 3) == 0 && cells[i] - 1 < 0x7fffffff;
      open |= std::uint64_t{!ends} << i;
    }
    return open;
  }
  // The first of 8 numbers of 32 bits that is equal; 8 or more if none is.
  [[nodiscard, gnu::always_inline]] static unsigned find(const std::byte* line,
                                                         std::uint32_t value) noexcept {
    unsigned bits = 0;
    for (unsigned i = 0; i < 8; ++i) {
      std::uint32_t lane;
      std::memcpy(&lane, line + i * sizeof lane, sizeof lane);
      bits |= unsigned{lane == value} << i;
    }
    return static_cast<unsigned>(std::countr_zero(bits));
  }
};

#if defined(__AVX2__)
struct Avx2 : Scalar {
  [[nodiscard, gnu::always_inline]] static std::uint32_t below(const std::byte* line,
                                                               std::uint16_t value) noexcept {
    const __m256i wanted = _mm256_set1_epi16(static_cast<short>(value));
    const __m256i zero = _mm256_setzero_si256();
    const auto* lanes = reinterpret_cast<const __m256i*>(line);
    const __m256i low = _mm256_cmpeq_epi16(_mm256_subs_epu16(wanted, lanes[0]), zero);
    const __m256i high = _mm256_cmpeq_epi16(_mm256_subs_epu16(wanted, lanes[1]), zero);
    // Packing interleaves the halves.
    const __m256i octets = _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), 0xd8);
    return ~static_cast<std::uint32_t>(_mm256_movemask_epi8(octets));
  }
  [[nodiscard, gnu::always_inline]] static unsigned find(const std::byte* line,
                                                         std::uint32_t value) noexcept {
    const __m256i equal = _mm256_cmpeq_epi32(*reinterpret_cast<const __m256i*>(line),
                                             _mm256_set1_epi32(static_cast<int>(value)));
    const auto bits = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
    return static_cast<unsigned>(std::countr_zero(bits));
  }
};
#endif

#if defined(__AVX512BW__)
struct Avx512 : Avx2 {
  [[nodiscard, gnu::always_inline]] static std::uint32_t below(const std::byte* line,
                                                               std::uint16_t value) noexcept {
    return _mm512_cmplt_epu16_mask(_mm512_load_si512(line),
                                   _mm512_set1_epi16(static_cast<short>(value)));
  }
  [[nodiscard, gnu::always_inline]] static std::uint64_t open(const std::uint32_t* nodes,
                                                              const std::uint32_t* cells,
                                                              std::size_t count,
                                                              unsigned log_width) noexcept {
    const __m512i common = _mm512_set1_epi32(static_cast<int>(log_width));
    const __m512i width = _mm512_set1_epi32(3), one = _mm512_set1_epi32(1);
    const __m512i least_node = _mm512_set1_epi32(0x7fffffff);
    std::uint64_t open = 0;
    for (std::size_t i = 0; i < count; i += 16) {
      const auto lanes = static_cast<__mmask16>(count - i >= 16 ? 0xffff : (1u << (count - i)) - 1);
      const __m512i node = _mm512_maskz_loadu_epi32(lanes, nodes + i);
      const __m512i cell = _mm512_maskz_loadu_epi32(lanes, cells + i);
      const __mmask16 other =
          _mm512_mask_test_epi32_mask(lanes, _mm512_xor_si512(node, common), width);
      const __mmask16 no_next_hop =
          _mm512_mask_cmpge_epu32_mask(lanes, _mm512_sub_epi32(cell, one), least_node);
      open |= std::uint64_t{static_cast<std::uint16_t>(other | no_next_hop)} << i;
    }
    return open;
  }
};
#endif

[[nodiscard, gnu::always_inline]] inline unsigned part_lines(const std::byte* header) noexcept {
  std::uint16_t lines;
  std::memcpy(&lines, header + kHeaderKeys * sizeof lines, sizeof lines);
  return lines;
}
// Lines from the header to the beginning of the part that holds the value.
template <class Isa>
[[nodiscard, gnu::always_inline]] inline std::uint32_t part_of(const std::byte* header,
                                                               unsigned part_lines,
                                                               std::uint16_t value) noexcept {
  const std::uint32_t keys = Isa::below(header, value) & ((1u << kHeaderKeys) - 1);
  return 1 + static_cast<std::uint32_t>(std::popcount(keys)) * part_lines;
}

// The cell for the value in a line of leaves.
template <class Isa>
[[nodiscard, gnu::always_inline]] inline std::uint32_t cell_in(const std::byte* line,
                                                               unsigned log_width,
                                                               std::uint16_t value) noexcept {
  const unsigned keys = keys_of(log_width);
  const std::uint32_t lanes = Isa::below(line, value) & ((1u << keys) - 1);
  const auto interval = static_cast<unsigned>(std::popcount(lanes));
  std::uint32_t cell;
  std::memcpy(&cell, line + 2 * keys + (interval << log_width), sizeof cell);
  return cell & (~std::uint32_t{0} >> (32 - (8u << log_width)));
}

}  // namespace
}  // namespace rackway::fib
