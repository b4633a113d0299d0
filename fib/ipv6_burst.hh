// SPDX-License-Identifier: Apache-2.0
// A burst of IPv6 lookups, written once and compiled for each kind of vectors (ipv6_burst_*.cc). In
// passes over the burst, each reading one line for every address that the pass before has asked
// for, and without a branch on what it finds. Who ends in a directory is done after the first pass;
// the others lie side by side from then on. The few whose cells lead on from one node to another
// are followed one by one behind the passes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fib/ipv6_node.hh"

namespace rackway::fib {
namespace {

class Ipv6Burst {
 public:
  // What a burst function promises, on the vectors of Isa.
  template <class Isa>
  [[gnu::always_inline]] static void run(const Ipv6View& view, const Ipv6Address* addresses,
                                         std::size_t count, NextHopId* out) noexcept {
    Ipv6Burst burst{view, addresses, out};
    burst.take_addresses(count);
    burst.pass_directories(count);
    burst.close_ranks(count);
    if (burst.left_ == 0) return;
    burst.pass_near<Isa>();
    burst.pass_headers<Isa>();
    switch (view.log_width) {
      case 0: return burst.pass_leaves<Isa, 0>();
      case 1: return burst.pass_leaves<Isa, 1>();
      default: return burst.pass_leaves<Isa, 2>();
    }
  }

 private:
  Ipv6Burst(const Ipv6View& view, const Ipv6Address* addresses, NextHopId* out)
      : view_(view), addresses_(addresses), out_(out) {}

  // What the passes need of each address; the words are zero-extended bits of it.
  [[gnu::always_inline]] void take_addresses(std::size_t count) noexcept {
    std::size_t i = 0;
#if defined(__AVX512BW__)
    for (; i + 16 <= count; i += 16) take_sixteen(i);
#endif
    for (; i < count; ++i) {
      const auto head = load_be<std::uint64_t>(addresses_[i].bytes.data());
      const auto high32 = static_cast<std::uint32_t>(head >> 32);
      high_[i] = high32;
      roots_[i] = high32 >> 16;
      octets_[i] = high32 >> 6 & 0xff << 2;
      lines_[i] = near_line(high32, view_.shift) * static_cast<std::uint32_t>(kLineBytes);
      next16_[i] = static_cast<std::uint32_t>(head) >> 16;
    }
  }

#if defined(__AVX512BW__)
  // Of sixteen addresses 32 bits each, from bit 32 * `word` on, in host byte order.
  [[gnu::always_inline]] static __m512i words_of(const __m512i (&quads)[4], int word) noexcept {
    const __m512i pick =
        _mm512_add_epi32(_mm512_set_epi32(28, 24, 20, 16, 12, 8, 4, 0, 28, 24, 20, 16, 12, 8, 4, 0),
                         _mm512_set1_epi32(word));
    const __m512i swap = _mm512_set_epi8(
        60, 61, 62, 63, 56, 57, 58, 59, 52, 53, 54, 55, 48, 49, 50, 51, 44, 45, 46, 47, 40, 41, 42,
        43, 36, 37, 38, 39, 32, 33, 34, 35, 28, 29, 30, 31, 24, 25, 26, 27, 20, 21, 22, 23, 16, 17,
        18, 19, 12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    const __m512i front = _mm512_permutex2var_epi32(quads[0], pick, quads[1]);
    const __m512i back = _mm512_permutex2var_epi32(quads[2], pick, quads[3]);
    return _mm512_shuffle_epi8(_mm512_mask_blend_epi32(0xff00, front, back), swap);
  }

  [[gnu::always_inline]] void take_sixteen(std::size_t i) noexcept {
    __m512i quads[4];
    for (unsigned q = 0; q < 4; ++q) quads[q] = _mm512_loadu_si512(addresses_ + i + 4 * q);
    const __m512i high = words_of(quads, 0), low = words_of(quads, 1);
    const __m512i hash = _mm512_mullo_epi32(high, _mm512_set1_epi32(kNearFactor));
    const __m512i line = _mm512_srl_epi32(hash, _mm_cvtsi32_si128(static_cast<int>(view_.shift)));
    _mm512_store_si512(&high_[i], high);
    _mm512_store_si512(&roots_[i], _mm512_srli_epi32(high, 16));
    _mm512_store_si512(&octets_[i],
                       _mm512_and_si512(_mm512_srli_epi32(high, 6), _mm512_set1_epi32(0xff << 2)));
    _mm512_store_si512(&lines_[i], _mm512_slli_epi32(line, 6));
    _mm512_store_si512(&next16_[i], _mm512_srli_epi32(low, 16));
  }
#endif

  [[gnu::always_inline]] void pass_directories(std::size_t count) noexcept {
#pragma GCC unroll 4
    for (std::size_t i = 0; i < count; ++i) {
      const Ipv6Root root = reinterpret_cast<const Ipv6Root*>(view_.base)[roots_[i]];
      Ipv6Cell cell;
      std::memcpy(&cell, view_.base + root.directory + octets_[i], sizeof cell);
      __builtin_prefetch(view_.near + lines_[i]);
      cells_[i] = or_root(cell, root);
      out_[i].value = cells_[i];
    }
  }

  // Those who found a node go on, side by side. They may overwrite what is done with.
  [[gnu::always_inline]] void close_ranks(std::size_t count) noexcept {
    std::size_t i = 0;
#if defined(__AVX512BW__)
    const __m512i ascending =
        _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    for (; i + 16 <= count; i += 16) {
      const __m512i cells = _mm512_load_si512(&cells_[i]);
      const __mmask16 on = _mm512_movepi32_mask(cells);
      const auto move = [&](Array& to, const __m512i& lanes) {
        _mm512_storeu_si512(to.data() + left_, _mm512_maskz_compress_epi32(on, lanes));
      };
      const __m512i who = _mm512_add_epi32(ascending, _mm512_set1_epi32(static_cast<int>(i)));
      const __m512i high = _mm512_load_si512(&high_[i]), next16 = _mm512_load_si512(&next16_[i]);
      const __m512i lines = _mm512_load_si512(&lines_[i]);
      move(who_, who);
      move(nodes_, cells);
      move(high_, high);
      move(next16_, next16);
      move(lines_, lines);
      left_ += static_cast<std::size_t>(std::popcount(on));
    }
#endif
    for (; i < count; ++i) {
      who_[left_] = static_cast<std::uint32_t>(i);
      nodes_[left_] = cells_[i];
      high_[left_] = high_[i];
      next16_[left_] = next16_[i];
      lines_[left_] = lines_[i];
      left_ += cells_[i] >> 31;
    }
  }

  // The node of the /32 if the table has it.
  template <class Isa>
  [[gnu::always_inline]] void pass_near() noexcept {
#pragma GCC unroll 4
    for (std::size_t w = 0; w < left_; ++w) {
      const std::byte* const line = view_.near + lines_[w];
      const unsigned found = Isa::find(line, high_[w]);
      // Where none is found, whatever lies there.
      std::memcpy(&cells_[w], line + kLineBytes / 2 + (found & (kNearKeys - 1)) * 4, 4);
      lines_[w] = found;
    }
    for (std::size_t w = 0; w < left_; ++w) {
      const std::uint32_t is_near = 0u - static_cast<std::uint32_t>(lines_[w] < kNearKeys);
      nodes_[w] ^= (nodes_[w] ^ cells_[w]) & is_near;
      values_[w] = high_[w] ^ ((high_[w] ^ next16_[w]) & is_near);  // the lower 16 bits count
    }
    for (std::size_t w = 0; w < left_; ++w) {
      __builtin_prefetch(view_.base + offset_of(nodes_[w]));
      headed_[headed_count_] = static_cast<std::uint32_t>(w);
      headed_count_ += nodes_[w] >> 30 & 1;
    }
  }

  template <class Isa>
  [[gnu::always_inline]] void pass_headers() noexcept {
    while (headed_count_ > 0) {
      std::size_t again = 0;
      for (std::size_t h = 0; h < headed_count_; ++h) {
        const std::size_t w = headed_[h];
        const std::byte* const header = view_.base + offset_of(nodes_[w]);
        const unsigned lines = part_lines(header);
        const auto value = static_cast<std::uint16_t>(values_[w]);
        nodes_[w] += part_of<Isa>(header, lines, value) * static_cast<unsigned>(kLineBytes);
        __builtin_prefetch(view_.base + offset_of(nodes_[w]));
        headed_[again] = static_cast<std::uint32_t>(w);
        again += lines != 1 ? 1 : 0;
      }
      headed_count_ = again;
    }
  }

  template <class Isa, unsigned log_width>
  [[gnu::always_inline]] void pass_leaves() noexcept {
#pragma GCC unroll 4
    for (std::size_t w = 0; w < left_; ++w) {
      const auto value = static_cast<std::uint16_t>(values_[w]);
      const Ipv6Cell cell = cell_in<Isa>(view_.base + offset_of(nodes_[w]), log_width, value);
      cells_[w] = cell;
      out_[who_[w]].value = cell;
    }
    finish<Isa>(Isa::open(nodes_.data(), cells_.data(), left_, log_width));
  }

  [[gnu::always_inline]] void show_root(std::size_t i) noexcept {
    const auto high32 = load_be<std::uint32_t>(addresses_[i].bytes.data());
    out_[i] = root_of(view_.base, high32).next_hop;
  }

  // What the passes have not brought to an end: cells of another width, cells that lead on, and
  // those that leave it to the root.
  template <class Isa>
  [[gnu::always_inline]] void finish(std::uint64_t open) noexcept {
    std::size_t leading_on = 0;
    for (; open != 0; open &= open - 1) {
      const auto w = static_cast<std::size_t>(std::countr_zero(open));
      const Ipv6Cell node = nodes_[w];
      const auto value = static_cast<std::uint16_t>(values_[w]);
      const Ipv6Cell cell = cell_in<Isa>(view_.base + offset_of(node), log_width_of(node), value);
      __builtin_prefetch(view_.base + offset_of(cell));
      out_[who_[w]].value = cell;
      nodes_[leading_on] = cell;
      who_[leading_on] = who_[w];
      leading_on += cell - 1 >= kNode - 1 ? 1 : 0;
    }
    for (std::size_t w = 0; w < leading_on; ++w) {
      const std::size_t i = who_[w];
      Ipv6Cell cell = nodes_[w];
      while (is_node(cell)) cell = read_node<Isa>(view_.base, cell, addresses_[i]);
      out_[i].value = cell;
      if (cell == 0) show_root(i);
    }
  }

  const Ipv6View view_;
  const Ipv6Address* const addresses_;
  NextHopId* const out_;
  std::size_t left_ = 0, headed_count_ = 0;
  struct alignas(kLineBytes) Array : std::array<std::uint32_t, kIpv6Burst + 16> {};
  // Of each address: its first 32 bits, 16 and 8 of them as places in root and directory, the line
  // of its hash in octets, and the 16 bits that follow.
  Array high_, roots_, octets_, lines_, next16_;
  // Of those left: which they are, where they are, and the 16 bits that the node is about.
  Array who_, nodes_, values_, cells_;
  Array headed_;  // indices of nodes that begin with a header
};

}  // namespace
}  // namespace rackway::fib
