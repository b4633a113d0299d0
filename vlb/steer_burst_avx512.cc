// SPDX-License-Identifier: Apache-2.0
// One lane of 32 bits a packet. Every step is that of steer_burst_scalar.cc, which says why.
#include <immintrin.h>

#include <array>
#include <cstdint>

#include "vlb/steer_burst.hh"

namespace rackway::vlb {
namespace {

using Lanes = __m512i;
constexpr std::size_t kLanes = 16;

Lanes all(std::uint32_t value) {
  return _mm512_set1_epi32(static_cast<int>(value));
}
Lanes low_half(Lanes lanes) {
  return _mm512_and_si512(lanes, all(0xffff));
}
Lanes column(__mmask16 wanted, const std::uint16_t* values, Lanes index) {
  return low_half(_mm512_mask_i32gather_epi32(_mm512_setzero_si512(), wanted, index, values, 2));
}
Lanes spread_over(Lanes hash) {
  return _mm512_mullo_epi32(_mm512_xor_si512(hash, _mm512_srli_epi32(hash, 15)), all(kSpread));
}

// As FlowletTable::index().
Lanes entry_of(Lanes hash, Lanes egress) {
  const Lanes sum = _mm512_add_epi32(hash, _mm512_mullo_epi32(egress, all(FlowletTable::kSpread)));
  return _mm512_srli_epi32(sum, 32 - FlowletTable::kOrder);
}

// Sixteen words of 64 bits as two columns of 32, and back.
struct Words {
  Lanes first, last;  // eight each
};
Lanes low_column(const Words& words) {
  const Lanes even = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
  return _mm512_permutex2var_epi32(words.first, even, words.last);
}
Lanes high_column(const Words& words) {
  const Lanes odd = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
  return _mm512_permutex2var_epi32(words.first, odd, words.last);
}
Words words_of(Lanes low, Lanes high) {
  const Lanes first = _mm512_setr_epi32(0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  const Lanes last =
      _mm512_setr_epi32(8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
  return {_mm512_permutex2var_epi32(low, first, high), _mm512_permutex2var_epi32(low, last, high)};
}
Words gather_words(__mmask16 wanted, const void* from, Lanes index) {
  const Lanes none = _mm512_setzero_si512();
  return {_mm512_mask_i32gather_epi64(none, static_cast<__mmask8>(wanted),
                                      _mm512_castsi512_si256(index), from, 8),
          _mm512_mask_i32gather_epi64(none, static_cast<__mmask8>(wanted >> 8),
                                      _mm512_extracti32x8_epi32(index, 1), from, 8)};
}
void scatter_words(__mmask16 wanted, void* to, Lanes index, const Words& words) {
  _mm512_mask_i32scatter_epi64(to, static_cast<__mmask8>(wanted), _mm512_castsi512_si256(index),
                               words.first, 8);
  _mm512_mask_i32scatter_epi64(to, static_cast<__mmask8>(wanted >> 8),
                               _mm512_extracti32x8_epi32(index, 1), words.last, 8);
}

// Of places that hold a path or none.
Lanes backlog_of(__mmask16 wanted, const SteeringColumns& by, Lanes path) {
  static_assert(offsetof(Path, link) == 2 && sizeof(Path) == 8);
  const Lanes target_and_link =
      _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), wanted, path, by.paths, 8);
  const Lanes link = _mm512_min_epu32(_mm512_srli_epi32(target_and_link, 16), all(by.links));
  return column(wanted, by.backlog, link);
}

// The path at a packet's place, for packets whose flowlet does not go on.
Lanes path_at_place(const SteeringColumns& by, __mmask16 wanted, __mmask16 begins, Lanes egress,
                    Lanes hash, Time now) {
  const Lanes row = _mm512_slli_epi32(_mm512_min_epu32(egress, all(by.nodes)), 8);
  static_assert(kPlaces == 1 << 8);
  const Lanes spread =
      spread_over(_mm512_mask_xor_epi32(hash, begins, hash, all(another_place(now))));
  const Lanes one = column(wanted, by.places, _mm512_add_epi32(row, _mm512_srli_epi32(spread, 24)));
  if (!by.better_of_two || begins == 0) return one;
  const Lanes second = _mm512_and_si512(_mm512_srli_epi32(spread, 16), all(0xff));
  const Lanes at_second = _mm512_add_epi32(row, second);
  Lanes two = column(begins, by.places, at_second);
  Lanes worth = all(kClearlyLess);
  if (const __mmask16 equal = _mm512_mask_cmpeq_epi32_mask(begins, one, two); equal != 0) {
    two = _mm512_mask_mov_epi32(two, equal, column(equal, by.relays, at_second));
    worth = _mm512_mask_mov_epi32(worth, equal, all(kWorthARelay));
  }
  const Lanes least = _mm512_add_epi32(backlog_of(begins, by, two), worth);
  const __mmask16 better = _mm512_mask_cmplt_epu32_mask(
      _mm512_mask_test_epi32_mask(begins, two, two), least, backlog_of(begins, by, one));
  return _mm512_mask_mov_epi32(one, better, two);
}

// Of sixteen packets, from one pass to the next.
struct Group {
  __mmask16 wanted;
  Lanes egress, hash, entry;
  Words flowlets;
};

// The flowlets of all packets are asked for before the first is looked at.
Group load(const SteeringColumns& by, const NodeId* egress, const std::uint32_t* flow_hash,
           std::size_t count) {
  Group group;
  group.wanted = static_cast<__mmask16>(count < kLanes ? (1u << count) - 1 : 0xffff);
  group.egress = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(group.wanted, egress));
  group.hash = _mm512_maskz_loadu_epi32(group.wanted, flow_hash);
  group.entry = entry_of(group.hash, group.egress);
  group.flowlets = gather_words(group.wanted, by.flowlets, group.entry);
  return group;
}

// The paths; the flowlets become what they are from now on.
void decide(const SteeringColumns& by, Group& group, Time now, Path* paths) {
  const Lanes path_and_egress = high_column(group.flowlets);
  const Lanes known_path = low_half(path_and_egress);
  const Lanes patience =
      _mm512_mask_i32gather_epi32(_mm512_setzero_si512(), group.wanted, known_path, by.patience, 4);
  const Lanes pause = _mm512_sub_epi32(all(now), low_column(group.flowlets));
  const __mmask16 within = _mm512_cmplt_epu32_mask(pause, patience);
  const __mmask16 goes_on =
      _mm512_mask_cmpeq_epi32_mask(within, _mm512_srli_epi32(path_and_egress, 16), group.egress);
  Lanes path = known_path;
  if (const auto others = static_cast<__mmask16>(group.wanted & ~goes_on); others != 0) {
    const auto begins = static_cast<__mmask16>(group.wanted & ~within);
    path = _mm512_mask_mov_epi32(path, others,
                                 path_at_place(by, others, begins, group.egress, group.hash, now));
  }
  const Words chosen = gather_words(group.wanted, by.paths, path);
  _mm512_mask_storeu_epi64(paths, static_cast<__mmask8>(group.wanted), chosen.first);
  _mm512_mask_storeu_epi64(paths + kLanes / 2, static_cast<__mmask8>(group.wanted >> 8),
                           chosen.last);
  group.flowlets = words_of(all(now), _mm512_or_si512(path, _mm512_slli_epi32(group.egress, 16)));
}

void steer(const SteeringColumns& by, const NodeId* egress, const std::uint32_t* flow_hash,
           std::size_t count, Time now, Path* paths) noexcept {
  static_assert(FlowletTable::kLast == 0 && FlowletTable::kPath == 32 &&
                FlowletTable::kEgress == 48);
  std::array<Group, kMaxBurst / kLanes> groups;
  std::size_t size = 0;
  for (std::size_t first = 0; first < count; first += kLanes) {
    groups[size++] = load(by, egress + first, flow_hash + first, count - first);
  }
  for (std::size_t i = 0; i < size; ++i) decide(by, groups[i], now, paths + i * kLanes);
  for (std::size_t i = 0; i < size; ++i) {
    scatter_words(groups[i].wanted, by.flowlets, groups[i].entry, groups[i].flowlets);
  }
}

}  // namespace

SteerBurst steer_burst_avx512() noexcept {
  return steer;
}

}  // namespace rackway::vlb
