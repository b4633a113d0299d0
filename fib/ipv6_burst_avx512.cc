// SPDX-License-Identifier: Apache-2.0
// A burst of IPv6 lookups with sixteen addresses in a register: root and tables are read by gather
// instructions, for all that are on their way at once. Leaves are searched one by one, each with
// one comparison of its line; forks, which are rare, are followed one by one.
#include "fib/ipv6_walk.hh"

namespace rackway::fib {

#if defined(__AVX512BW__)
namespace {

struct Avx512 {
  template <unsigned keys>
  [[nodiscard, gnu::always_inline]] static unsigned short_below(const std::byte* line,
                                                                std::uint16_t value) noexcept {
    return doubled_below<keys>(line, value * 0x10001u);
  }
  // The value twice, as 32 bits can be loaded into all lanes at once.
  template <unsigned keys>
  [[nodiscard, gnu::always_inline]] static unsigned doubled_below(const std::byte* line,
                                                                  std::uint32_t values) noexcept {
    const __m512i wanted = _mm512_set1_epi32(static_cast<int>(values));
    const __mmask32 below =
        _mm512_mask_cmpgt_epu16_mask((1u << keys) - 1, wanted, _mm512_load_si512(line));
    return static_cast<unsigned>(std::popcount(std::uint32_t{below}));
  }
  template <unsigned keys>
  [[nodiscard, gnu::always_inline]] static unsigned long_below(const std::byte* line,
                                                               std::uint32_t value) noexcept {
    const __m512i wanted = _mm512_set1_epi32(static_cast<int>(value));
    const __mmask16 below =
        _mm512_mask_cmpgt_epu32_mask((1u << keys) - 1, wanted, _mm512_load_si512(line));
    return static_cast<unsigned>(std::popcount(std::uint32_t{below}));
  }
};

constexpr std::size_t kLanes = 16;

[[nodiscard, gnu::always_inline]] inline __m512i all(std::uint32_t value) noexcept {
  return _mm512_set1_epi32(static_cast<int>(value));
}

template <std::size_t vectors>
class Burst512 {
 public:
  Burst512(const Ipv6View& view, const Ipv6Address* addresses, NextHopId* out)
      : view_(view), addresses_(addresses), out_(out) {}

  [[gnu::always_inline]] void run() noexcept {
    pass_root();
    go_through_tables();
    store();
    switch (view_.log_width) {
      case 0: pass_leaves<0>(); break;
      case 1: pass_leaves<1>(); break;
      default: pass_leaves<2>();
    }
    for_each(others_,
             [&](std::size_t i) { found_[i] = walk<Avx512>(view_, found_[i], addresses_[i]); });
    leave_to_root();
  }

 private:
  // Of sixteen addresses 32 bits each, from bit 32 * `word` on, in host byte order.
  [[gnu::always_inline]] static __m512i words_of(const __m512i (&quads)[4], int word) noexcept {
    const __m512i pick =
        _mm512_add_epi32(_mm512_set_epi32(28, 24, 20, 16, 12, 8, 4, 0, 28, 24, 20, 16, 12, 8, 4, 0),
                         _mm512_set1_epi32(word));
    const __m512i swap =
        _mm512_broadcast_i32x4(_mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3));
    const __m512i front = _mm512_permutex2var_epi32(quads[0], pick, quads[1]);
    const __m512i back = _mm512_permutex2var_epi32(quads[2], pick, quads[3]);
    return _mm512_shuffle_epi8(_mm512_mask_blend_epi32(0xff00, front, back), swap);
  }

  [[gnu::always_inline]] void pass_root() noexcept {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
      __m512i quads[4];
      for (std::size_t q = 0; q < 4; ++q) {
        quads[q] = _mm512_loadu_si512(addresses_ + kLanes * v + 4 * q);
      }
      const __m512i first = words_of(quads, 0), second = words_of(quads, 1);
      roots_[v] = _mm512_srli_epi32(first, 16);
      cells_[v] = _mm512_i32gather_epi32(roots_[v], view_.base, sizeof(Ipv6Cell));
      high_[v] = _mm512_or_si512(_mm512_slli_epi32(first, 16), _mm512_srli_epi32(second, 16));
      low_[v] = _mm512_slli_epi32(second, 16);
    }
  }

  // A way out only where most bursts take the same one.
  [[gnu::always_inline]] void go_through_tables() noexcept {
    if (!any_in_table()) return;
    pass_tables();
    if (!any_in_table()) return;
    pass_tables();
    pass_tables();
    if (!any_in_table()) return;
    pass_tables();
    pass_tables();
  }
  [[nodiscard, gnu::always_inline]] bool any_in_table() const noexcept {
    __m512i least = cells_[0];
    for (std::size_t v = 1; v < vectors; ++v) least = _mm512_min_epi32(least, cells_[v]);
    return in_table(least) != 0;
  }
  // Of nodes, which are negative, tables are the least.
  [[nodiscard, gnu::always_inline]] static __mmask16 in_table(const __m512i& cells) noexcept {
    return _mm512_cmplt_epi32_mask(cells, all(node_cell(kShortLeaf, 0, 0)));
  }

  // 32 bits of the address where the cell's window begins, with zeros behind kReach. Shifts by more
  // than 31, also by less than nothing, leave zeros.
  [[nodiscard, gnu::always_inline]] __m512i windows(std::size_t v) const noexcept {
    const __m512i skip = _mm512_and_si512(_mm512_srli_epi32(cells_[v], kSkipBit), all(kSkipMask));
    const __m512i behind = _mm512_sub_epi32(skip, all(32));
    return _mm512_or_si512(
        _mm512_or_si512(_mm512_sllv_epi32(high_[v], skip), _mm512_sllv_epi32(low_[v], behind)),
        _mm512_srlv_epi32(low_[v], _mm512_sub_epi32(_mm512_setzero_si512(), behind)));
  }

  [[gnu::always_inline]] void pass_tables() noexcept {
    constexpr std::uint32_t kNoShift = kLongBits - kLeastStride + (kNode >> kKindBit);
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
      const __m512i cells = cells_[v];
      const __m512i shift = _mm512_sub_epi32(all(kNoShift), _mm512_srli_epi32(cells, kKindBit));
      const __m512i index = _mm512_srlv_epi32(windows(v), shift);
      const __m512i line = _mm512_slli_epi32(_mm512_and_si512(cells, all(kLineMask)), 4);
      cells_[v] = _mm512_mask_i32gather_epi32(cells, in_table(cells), _mm512_add_epi32(line, index),
                                              view_.base, sizeof(Ipv6Cell));
    }
  }

  // What was found, which leaves are asked for, and for what.
  [[gnu::always_inline]] void store() noexcept {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
      const __m512i cells = cells_[v], kinds = _mm512_srli_epi32(cells, kKindBit);
      const __m512i window = windows(v);
      const __mmask16 on_short = _mm512_cmpeq_epi32_mask(kinds, all(8 + kShortLeaf));
      const __mmask16 on_long = _mm512_cmpeq_epi32_mask(kinds, all(8 + kLongLeaf));
      const auto on = static_cast<std::uint16_t>(_mm512_movepi32_mask(cells));
      note(short_, on_short, v);
      note(long_, on_long, v);
      note(others_, on & ~(std::uint32_t{on_short} | on_long), v);
      const __m512i doubled =
          _mm512_mask_or_epi32(window, on_short, _mm512_srli_epi32(window, kShortBits),
                               _mm512_andnot_si512(all(0xffff), window));
      _mm512_store_si512(values_ + kLanes * v, doubled);
      _mm512_store_si512(offsets_ + kLanes * v,
                         _mm512_slli_epi32(_mm512_and_si512(cells, all(kLineMask)), 6));
      _mm512_store_si512(found_ + kLanes * v, cells);
    }
  }
  [[gnu::always_inline]] static void note(std::uint64_t& who, std::uint32_t lanes,
                                          std::size_t v) noexcept {
    who |= std::uint64_t{lanes} << (kLanes * v);
  }
  template <class Visit>
  [[gnu::always_inline]] static void for_each(std::uint64_t who, Visit visit) noexcept {
    for (; who != 0; who &= who - 1) visit(static_cast<std::size_t>(std::countr_zero(who)));
  }

  template <unsigned log_width>
  [[gnu::always_inline]] void pass_leaves() noexcept {
    for_each(short_, [&](std::size_t i) {
      constexpr unsigned kKeys = short_keys(log_width);
      const std::byte* const line = view_.base + offsets_[i];
      found_[i] = cell_at<log_width>(line + kKeys * sizeof(std::uint16_t),
                                     Avx512::doubled_below<kKeys>(line, values_[i]));
    });
    for_each(long_, [&](std::size_t i) {
      found_[i] = in_long_leaf<Avx512, log_width>(view_.base + offsets_[i], values_[i]);
    });
  }

  [[gnu::always_inline]] void leave_to_root() noexcept {
#pragma GCC unroll 4
    for (std::size_t v = 0; v < vectors; ++v) {
      __m512i found = _mm512_load_si512(found_ + kLanes * v);
      const __mmask16 nothing = _mm512_testn_epi32_mask(found, found);
      if (nothing != 0) {
        found = _mm512_mask_i32gather_epi32(found, nothing, roots_[v], root_next_hops(view_.base),
                                            sizeof(Ipv6Cell));
      }
      _mm512_storeu_si512(out_ + kLanes * v, found);
    }
  }

  const Ipv6View view_;
  const Ipv6Address* const addresses_;
  NextHopId* const out_;
  __m512i roots_[vectors], high_[vectors], low_[vectors], cells_[vectors];
  std::uint64_t short_ = 0, long_ = 0, others_ = 0;  // who asks for leaves, or is not there yet
  // Of each address what to ask a leaf for, where it is, and what was found.
  alignas(kLineBytes) std::uint32_t values_[kLanes * vectors];
  alignas(kLineBytes) std::uint32_t offsets_[kLanes * vectors];
  alignas(kLineBytes) Ipv6Cell found_[kLanes * vectors];
};

void run(const Ipv6View& view, const Ipv6Address* addresses, std::size_t vectors,
         NextHopId* out) noexcept {
  switch (vectors) {
    case 0: return;
    case 1: return Burst512<1>(view, addresses, out).run();
    case 2: return Burst512<2>(view, addresses, out).run();
    case 3: return Burst512<3>(view, addresses, out).run();
    default: return Burst512<4>(view, addresses, out).run();
  }
}

}  // namespace

void lookup_ipv6_avx512(const Ipv6View& view, const Ipv6Address* addresses, std::size_t count,
                        NextHopId* out) noexcept {
  const std::size_t whole = count / kLanes * kLanes, rest = count - whole;
  run(view, addresses, whole / kLanes, out);
  if (rest == 0) return;
  Ipv6Address last_addresses[kLanes]{};
  NextHopId last_out[kLanes];
  std::memcpy(last_addresses, addresses + whole, rest * sizeof(Ipv6Address));
  run(view, last_addresses, 1, last_out);
  std::memcpy(out + whole, last_out, rest * sizeof(NextHopId));
}
#endif

}  // namespace rackway::fib
