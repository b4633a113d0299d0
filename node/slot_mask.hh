// SPDX-License-Identifier: Apache-2.0
// Masks of a burst's slots by comparison of a column, some slots to a vector register (AVX2). The
// plain forms beside them say what they mean; tests/node/slot_mask_test.cc holds them equal.
// Columns have kBurst values, of which all are read, and begin at a multiple of 32 octets.
#pragma once

#include <immintrin.h>

#include "node/burst.hh"

namespace rackway::node {

namespace plain {

inline Mask equal(const std::array<std::uint16_t, kBurst>& column, std::uint16_t value) noexcept {
  Mask mask = 0;
  for (std::size_t i = 0; i < kBurst; ++i) mask |= Mask{column[i] == value} << i;
  return mask;
}

inline Mask fitting(const std::array<fib::Bucket, kBurst>& buckets,
                    const std::array<std::uint16_t, kBurst>& sizes) noexcept {
  Mask mask = 0;
  for (std::size_t i = 0; i < kBurst; ++i) mask |= Mask{sizes[i] <= buckets[i].mtu} << i;
  return mask;
}

inline Mask of_node(const std::array<fib::Bucket, kBurst>& buckets, NodeId node) noexcept {
  Mask mask = 0;
  for (std::size_t i = 0; i < kBurst; ++i) mask |= Mask{buckets[i].node == node} << i;
  return mask;
}

}  // namespace plain

// Slots whose value is this one.
[[nodiscard]] inline Mask equal(const std::array<std::uint16_t, kBurst>& column,
                                std::uint16_t value) noexcept {
  const __m256i wanted = _mm256_set1_epi16(static_cast<short>(value));
  const auto* const at = reinterpret_cast<const __m256i*>(column.data());
  const auto half = [&](std::size_t first) -> Mask {
    const __m256i low = _mm256_cmpeq_epi16(_mm256_load_si256(at + first), wanted);
    const __m256i high = _mm256_cmpeq_epi16(_mm256_load_si256(at + first + 1), wanted);
    // Packing works on each 128 bits apart; the quarters go back into order.
    const __m256i packed =
        _mm256_permute4x64_epi64(_mm256_packs_epi16(low, high), _MM_SHUFFLE(3, 1, 2, 0));
    return static_cast<std::uint32_t>(_mm256_movemask_epi8(packed));
  };
  return half(0) | half(2) << 32;
}

// A bucket as one integer: node, MTU and index from the low end.
static_assert(offsetof(fib::Bucket, node) == 0 && offsetof(fib::Bucket, mtu) == 2);

namespace detail {

template <class Compare>  // four buckets, first slot -> all ones where it holds
inline Mask for_buckets(const std::array<fib::Bucket, kBurst>& buckets,
                        Compare&& compare) noexcept {
  const auto* const at = reinterpret_cast<const __m256i*>(buckets.data());
  Mask mask = 0;
  for (std::size_t i = 0; i < kBurst; i += 4) {
    const __m256i holds = compare(_mm256_load_si256(at + i / 4), i);
    mask |= static_cast<Mask>(_mm256_movemask_pd(_mm256_castsi256_pd(holds))) << i;
  }
  return mask;
}

}  // namespace detail

// Slots whose packet is no larger than the bucket's MTU.
[[nodiscard]] inline Mask fitting(const std::array<fib::Bucket, kBurst>& buckets,
                                  const std::array<std::uint16_t, kBurst>& sizes) noexcept {
  const __m256i mtu_bits = _mm256_set1_epi64x(0xffff0000);
  return ~detail::for_buckets(buckets, [&](__m256i four, std::size_t i) {
    const auto* const size = reinterpret_cast<const __m128i*>(sizes.data() + i);
    const __m256i sized = _mm256_slli_epi64(_mm256_cvtepu16_epi64(_mm_loadl_epi64(size)), 16);
    return _mm256_cmpgt_epi64(sized, _mm256_and_si256(four, mtu_bits));
  });
}

// Slots whose bucket leads to that egress node.
[[nodiscard]] inline Mask of_node(const std::array<fib::Bucket, kBurst>& buckets,
                                  NodeId node) noexcept {
  const __m256i node_bits = _mm256_set1_epi64x(0xffff);
  const __m256i wanted = _mm256_set1_epi64x(node.value);
  return detail::for_buckets(buckets, [&](__m256i four, std::size_t) {
    return _mm256_cmpeq_epi64(_mm256_and_si256(four, node_bits), wanted);
  });
}

}  // namespace rackway::node
