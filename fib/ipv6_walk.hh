// SPDX-License-Identifier: Apache-2.0
// How an IPv6 address is looked up: the search of a leaf's keys on each kind of vectors, and the
// way of one address from a cell to its end. Files that include it are compiled for different
// processors, so nothing in it is shared by them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fib/ipv6_cell.hh"
#include "fib/ipv6_key.hh"
#include "fib/ipv6_lookup.hh"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace rackway::fib {
namespace {

// ---- how many of a line's first keys are below a value

struct Scalar {
  template <unsigned keys>
  [[nodiscard, gnu::always_inline]] static unsigned short_below(const std::byte* line,
                                                                std::uint16_t value) noexcept {
    return below<std::uint16_t, keys>(line, value);
  }
  template <unsigned keys>
  [[nodiscard, gnu::always_inline]] static unsigned long_below(const std::byte* line,
                                                               std::uint32_t value) noexcept {
    return below<std::uint32_t, keys>(line, value);
  }

 private:
  template <class Key, unsigned keys>
  [[nodiscard, gnu::always_inline]] static unsigned below(const std::byte* line,
                                                          Key value) noexcept {
    unsigned count = 0;
    for (unsigned i = 0; i < keys; ++i) {
      Key key;
      std::memcpy(&key, line + i * sizeof key, sizeof key);
      count += key < value ? 1 : 0;
    }
    return count;
  }
};

#if defined(__AVX2__)
// There are no comparisons without sign: where the lesser of both is the value, the key is not
// below.
struct Avx2 {
  template <unsigned keys>
  [[nodiscard, gnu::always_inline]] static unsigned short_below(const std::byte* line,
                                                                std::uint16_t value) noexcept {
    const __m256i wanted = _mm256_set1_epi16(static_cast<short>(value));
    const auto* halves = reinterpret_cast<const __m256i*>(line);
    const auto not_below = [&](const __m256i& lanes) {
      return _mm256_cmpeq_epi16(_mm256_min_epu16(lanes, wanted), wanted);
    };
    // Packing interleaves the halves.
    const __m256i octets = _mm256_permute4x64_epi64(
        _mm256_packs_epi16(not_below(halves[0]), not_below(halves[1])), 0xd8);
    return count<keys>(~static_cast<std::uint32_t>(_mm256_movemask_epi8(octets)));
  }
  template <unsigned keys>
  [[nodiscard, gnu::always_inline]] static unsigned long_below(const std::byte* line,
                                                               std::uint32_t value) noexcept {
    const __m256i wanted = _mm256_set1_epi32(static_cast<int>(value));
    const auto* halves = reinterpret_cast<const __m256i*>(line);
    const auto not_below = [&](const __m256i& lanes) {
      const __m256i equal = _mm256_cmpeq_epi32(_mm256_min_epu32(lanes, wanted), wanted);
      return static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(equal)));
    };
    return count<keys>(~(not_below(halves[0]) | not_below(halves[1]) << 8));
  }

 private:
  template <unsigned keys>
  [[nodiscard, gnu::always_inline]] static unsigned count(std::uint32_t lanes) noexcept {
    return static_cast<unsigned>(std::popcount(lanes & ((1u << keys) - 1)));
  }
};
#endif

// ---- nodes

template <class Isa, unsigned log_width>
[[nodiscard, gnu::always_inline]] inline Ipv6Cell in_short_leaf(const std::byte* line,
                                                                std::uint16_t value) noexcept {
  constexpr unsigned kKeys = short_keys(log_width);
  return cell_at<log_width>(line + kKeys * sizeof value,
                            Isa::template short_below<kKeys>(line, value));
}
template <class Isa, unsigned log_width>
[[nodiscard, gnu::always_inline]] inline Ipv6Cell in_long_leaf(const std::byte* line,
                                                               std::uint32_t value) noexcept {
  constexpr unsigned kKeys = long_keys(log_width);
  return cell_at<log_width>(line + kKeys * sizeof value,
                            Isa::template long_below<kKeys>(line, value));
}
// The value is the whole window, of which a short leaf takes the front.
template <class Isa, unsigned log_width>
[[nodiscard, gnu::always_inline]] inline Ipv6Cell in_leaf(const std::byte* line, bool is_short,
                                                          std::uint32_t value) noexcept {
  if (!is_short) return in_long_leaf<Isa, log_width>(line, value);
  return in_short_leaf<Isa, log_width>(line, static_cast<std::uint16_t>(value >> kShortBits));
}
template <class Isa>
[[nodiscard]] inline Ipv6Cell in_leaf(const std::byte* line, bool is_short, std::uint32_t value,
                                      unsigned log_width) noexcept {
  switch (log_width) {
    case 0: return in_leaf<Isa, 0>(line, is_short, value);
    case 1: return in_leaf<Isa, 1>(line, is_short, value);
    default: return in_leaf<Isa, 2>(line, is_short, value);
  }
}

// 32 bits of an address from a bit on; zeros behind its end.
[[nodiscard, gnu::always_inline]] inline std::uint32_t window_of(Ipv6Number address,
                                                                 unsigned first) noexcept {
  return static_cast<std::uint32_t>(address << first >> (128 - kLongBits));
}

[[nodiscard, gnu::always_inline]] inline const Ipv6Cell* root_cells(
    const std::byte* base) noexcept {
  return reinterpret_cast<const Ipv6Cell*>(base);
}
[[nodiscard, gnu::always_inline]] inline const Ipv6Cell* root_next_hops(
    const std::byte* base) noexcept {
  return root_cells(base) + kIpv6Roots;
}

// From a cell at the first base to the next hop, or 0.
template <class Isa>
[[nodiscard]] inline Ipv6Cell walk(const Ipv6View& view, Ipv6Cell cell,
                                   const Ipv6Address& address) noexcept {
  const Ipv6Number number = number_of(address);
  unsigned base = kFirstBase;
  while (is_node(cell)) {
    const unsigned first = base + skip_of(cell);
    const std::uint32_t value = window_of(number, first);
    const std::byte* const line = view.base + offset_of(cell);
    if (is_table(cell)) {
      cell = cell_at<2>(line, value >> (kLongBits - stride_of(cell)));
    } else if (kind_of(cell) == kFork) {
      cell = in_long_leaf<Isa, kForkWidth>(line, value);
      base = first + static_cast<unsigned>(line[kForkAdvance]);
    } else {
      return in_leaf<Isa>(line, kind_of(cell) == kShortLeaf, value, view.log_width);
    }
  }
  return cell;
}

}  // namespace
}  // namespace rackway::fib
