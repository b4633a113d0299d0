// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>
#include <rte_mbuf.h>

#include <cstddef>

#include "node/stage/departures.hh"

namespace rackway::node {
namespace {

constexpr std::size_t kLanes = 8;
constexpr std::size_t kRegisters = kBurst / kLanes;

// A burst's frames and the octets of each, eight to a register.
struct Frames {
  __m512i frames[kRegisters];
  __m512i bytes[kRegisters];

  Frames(const Burst& burst, Mask slots) noexcept {
    static_assert(offsetof(rte_mbuf, data_len) == offsetof(rte_mbuf, pkt_len) + 4);
    const __m512i offset = _mm512_set1_epi64(offsetof(rte_mbuf, pkt_len));
    for (std::size_t i = 0; i < kRegisters; ++i) {
      frames[i] = _mm512_load_si512(burst.frames.data() + i * kLanes);
      const auto wanted = static_cast<__mmask8>(slots >> i * kLanes);
      const __m512i lengths = _mm512_mask_i64gather_epi64(
          _mm512_setzero_si512(), wanted, _mm512_add_epi64(frames[i], offset), nullptr, 1);
      bytes[i] = _mm512_and_si512(lengths, _mm512_set1_epi64(0xffffffff));
    }
  }
};

Mask leaving_by(std::uint16_t output, const Burst& burst) noexcept {
  const __m512i wanted = _mm512_set1_epi16(static_cast<short>(output));
  const auto half = [&](std::size_t first) -> Mask {
    return _mm512_cmpeq_epi16_mask(_mm512_load_si512(burst.output.data() + first), wanted);
  };
  return half(0) | half(32) << 32;
}

void sort(const Burst& burst, Mask slots, Departures& sorted) noexcept {
  const Frames all(burst, slots);
  const std::size_t registers = (burst.size + kLanes - 1) / kLanes;
  std::size_t groups = 0, frames = 0;
  while (slots != 0) {
    const std::uint16_t output = burst.output[static_cast<std::size_t>(std::countr_zero(slots))];
    const Mask leaving = leaving_by(output, burst) & slots;
    slots &= ~leaving;
    const std::size_t first = frames;
    __m512i bytes = _mm512_setzero_si512();
    for (std::size_t i = 0; i < registers; ++i) {
      const auto here = static_cast<__mmask8>(leaving >> i * kLanes);
      bytes = _mm512_mask_add_epi64(bytes, here, bytes, all.bytes[i]);
      _mm512_storeu_si512(sorted.frames.data() + frames,
                          _mm512_maskz_compress_epi64(here, all.frames[i]));
      frames += static_cast<std::size_t>(std::popcount(static_cast<std::uint8_t>(here)));
    }
    sorted.groups[groups++] = {leaving, static_cast<std::uint64_t>(_mm512_reduce_add_epi64(bytes)),
                               output, static_cast<std::uint16_t>(first),
                               static_cast<std::uint16_t>(frames - first)};
  }
  sorted.size = groups;
}

}  // namespace

SortByOutput sort_by_output_avx512() noexcept {
  return sort;
}

}  // namespace rackway::node
