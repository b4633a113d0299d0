// SPDX-License-Identifier: Apache-2.0
// One lane of 64 bits a frame. Every step is that of plain_frames_scalar.cc, which says why.
#include <immintrin.h>
#include <rte_ether.h>
#include <rte_mbuf.h>

#include <array>
#include <cstddef>

#include "node/stage/flow_hash.hh"
#include "node/stage/plain_frames.hh"

namespace rackway::node {
namespace {

using Lanes = __m512i;

Lanes all(std::uint64_t value) noexcept {
  return _mm512_set1_epi64(static_cast<long long>(value));
}
// Eight octets from each pointer + offset; lanes that are not wanted are zero and not loaded.
Lanes gather(__mmask8 wanted, Lanes pointers, std::size_t offset) noexcept {
  return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), wanted,
                                     _mm512_add_epi64(pointers, all(offset)), nullptr, 1);
}
Lanes shuffled(Lanes lanes, long long high, long long low) noexcept {
  return _mm512_shuffle_epi8(lanes, _mm512_broadcast_i32x4(_mm_set_epi64x(high, low)));
}

__mmask8 checksum_holds(Lanes front, Lanes middle, Lanes addresses) noexcept {
  Lanes sum = _mm512_add_epi64(_mm512_srli_epi64(front, 16), _mm512_srli_epi64(addresses, 16));
  sum = _mm512_add_epi64(sum, _mm512_and_si512(middle, all(0xffffffff)));
  sum = _mm512_add_epi64(sum, _mm512_srli_epi64(middle, 32));
  sum = _mm512_add_epi64(_mm512_and_si512(sum, all(0xffffffff)), _mm512_srli_epi64(sum, 32));
  for (int fold = 0; fold < 2; ++fold) {
    sum = _mm512_add_epi64(_mm512_and_si512(sum, all(0xffff)), _mm512_srli_epi64(sum, 16));
  }
  return _mm512_cmpeq_epi64_mask(sum, all(0xffff));
}

// Not zero where an address begins with 0, 127 or 224 and above, or is link-local.
Lanes special_ipv4(Lanes addresses) noexcept {
  const Lanes first = _mm512_and_si512(addresses, _mm512_set1_epi32(0xff));
  const __mmask16 is =
      _mm512_testn_epi32_mask(first, first) |
      _mm512_cmpeq_epi32_mask(first, _mm512_set1_epi32(127)) |
      _mm512_cmpge_epi32_mask(first, _mm512_set1_epi32(224)) |
      _mm512_cmpeq_epi32_mask(_mm512_and_si512(addresses, _mm512_set1_epi32(0xffff)),
                              _mm512_set1_epi32(kLinkLocalIpv4));
  return _mm512_maskz_set1_epi32(is, 1);
}

// Where an address begins with octet 0, 254 or 255.
__mmask8 special_ipv6(Lanes address) noexcept {
  const Lanes first = _mm512_and_si512(address, all(0xff));
  return _mm512_testn_epi64_mask(first, first) | _mm512_cmpge_epu64_mask(first, all(0xfe));
}

// A set of octets as four words of 64 bits.
template <std::size_t Size>
constexpr std::array<std::uint64_t, 4> words_of(const std::array<std::uint8_t, Size>& octets) {
  std::array<std::uint64_t, 4> words{};
  for (const auto octet : octets) words[octet / 64] |= std::uint64_t{1} << octet % 64;
  return words;
}
// Lanes of which is in the set. A shift by 64 or more, also by less than nothing, gives 0.
__mmask8 is_in(const std::array<std::uint64_t, 4>& set, Lanes octet) noexcept {
  Lanes found = _mm512_setzero_si512();
  for (std::size_t i = 0; i < 4; ++i) {
    if (set[i] == 0) continue;
    const Lanes bit = _mm512_srlv_epi64(all(set[i]), _mm512_sub_epi64(octet, all(64 * i)));
    found = _mm512_or_si512(found, bit);
  }
  return _mm512_test_epi64_mask(found, all(1));
}
constexpr auto kWithPorts = words_of(kProtocolsWithPorts);
constexpr auto kWithRules = words_of(kNextHeadersWithRules);

Lanes hash_flows(Lanes source, Lanes destination, Lanes ports, Lanes protocol) noexcept {
  using Factors = FlowHashFactors;
  Lanes hash = _mm512_mul_epu32(source, all(Factors::kSource));
  hash = _mm512_add_epi64(hash, _mm512_mul_epu32(destination, all(Factors::kDestination)));
  hash = _mm512_add_epi64(hash, _mm512_mul_epu32(ports, all(Factors::kPorts)));
  hash = _mm512_add_epi64(hash, _mm512_mul_epu32(protocol, all(Factors::kProtocol)));
  hash = _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32));
  hash = _mm512_mul_epu32(hash, all(Factors::kLast));
  return _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32));
}

Lanes fold_ipv6(Lanes high, Lanes low) noexcept {
  using Factors = Ipv6FoldFactors;
  Lanes sum = _mm512_mul_epu32(high, all(Factors::kFirst));
  sum = _mm512_add_epi64(sum, _mm512_mul_epu32(_mm512_srli_epi64(high, 32), all(Factors::kSecond)));
  sum = _mm512_add_epi64(sum, _mm512_mul_epu32(low, all(Factors::kThird)));
  sum = _mm512_add_epi64(sum, _mm512_mul_epu32(_mm512_srli_epi64(low, 32), all(Factors::kFourth)));
  return _mm512_xor_si512(sum, _mm512_srli_epi64(sum, 32));
}

// What both families need of the frames, and of those that are long enough the octets.
struct Eight {
  Lanes octets, lengths, flags;
  __mmask8 long_enough;

  Eight(const Burst& burst, std::size_t first, __mmask8 slots) noexcept {
    static_assert(offsetof(rte_mbuf, data_len) == offsetof(rte_mbuf, pkt_len) + 4);
    const Lanes frames = _mm512_load_si512(burst.frames.data() + first);
    octets = _mm512_load_si512(burst.octets.data() + first);
    lengths = gather(slots, frames, offsetof(rte_mbuf, pkt_len));
    flags = gather(slots, frames, offsetof(rte_mbuf, ol_flags));
    const Lanes data_len = _mm512_and_si512(_mm512_srli_epi64(lengths, 32), all(0xffff));
    long_enough = slots & _mm512_cmpge_epu64_mask(data_len, all(kLeastPlainFrame));
  }
  [[nodiscard]] Lanes at(std::size_t offset) const noexcept {
    return gather(long_enough, octets, offset);
  }
  // 0 for a frame to this MAC, untagged.
  [[nodiscard]] Lanes not_ours(std::uint64_t mac) const noexcept {
    return _mm512_or_si512(_mm512_slli_epi64(_mm512_xor_si512(at(0), all(mac)), 16),
                           _mm512_and_si512(flags, all(RTE_MBUF_F_RX_VLAN)));
  }
  // The frame holds an IP packet of that size.
  [[nodiscard]] __mmask8 holds(Lanes size) const noexcept {
    return _mm512_cmple_epu64_mask(_mm512_add_epi64(size, all(RTE_ETHER_HDR_LEN)),
                                   _mm512_and_si512(lengths, all(0xffffffff)));
  }
};

__mmask8 eight_ipv4(Burst& burst, std::size_t first, __mmask8 slots, std::uint64_t mac) noexcept {
  const Eight frames(burst, first, slots);
  const Lanes front = frames.at(12);
  const Lanes middle = frames.at(RTE_ETHER_HDR_LEN + 6);
  const Lanes addresses = frames.at(RTE_ETHER_HDR_LEN + 12);
  const Lanes behind = frames.at(RTE_ETHER_HDR_LEN + 20);

  const Lanes size = shuffled(front, 0x80808080'80800c0d, 0x80808080'80800405);
  const Lanes protocol = _mm512_and_si512(_mm512_srli_epi64(middle, 24), all(0xff));
  const Lanes ttl = _mm512_and_si512(_mm512_srli_epi64(middle, 16), all(0xff));
  const __mmask8 with_ports = is_in(kWithPorts, protocol) &
                              _mm512_testn_epi64_mask(middle, all(RTE_BE16(0x3fff))) &
                              _mm512_cmpge_epu64_mask(size, all(24));
  const Lanes ports = _mm512_maskz_mov_epi64(with_ports, behind);

  const Lanes not_version = _mm512_and_si512(_mm512_xor_si512(front, all(0x450008)), all(0xffffff));
  const Lanes wrong =
      _mm512_or_si512(_mm512_or_si512(frames.not_ours(mac), not_version), special_ipv4(addresses));
  const __mmask8 plain = frames.long_enough & _mm512_testn_epi64_mask(wrong, wrong) &
                         _mm512_cmpge_epu64_mask(size, all(20)) & frames.holds(size) &
                         _mm512_cmpgt_epu64_mask(ttl, all(1)) &
                         checksum_holds(front, middle, addresses);

  const Lanes hash = hash_flows(addresses, _mm512_srli_epi64(addresses, 32), ports, protocol);
  const Lanes destination = shuffled(addresses, 0x80808080'0c0d0e0f, 0x80808080'04050607);
  _mm_mask_storeu_epi16(burst.ip_size.data() + first, plain, _mm512_cvtepi64_epi16(size));
  _mm256_mask_storeu_epi32(burst.ipv4_destination.data() + first, plain,
                           _mm512_cvtepi64_epi32(destination));
  _mm256_mask_storeu_epi32(burst.flow_hash.data() + first, plain, _mm512_cvtepi64_epi32(hash));
  return plain;
}

// Halves of addresses, each pair side by side, into the slots of the mask.
void store_addresses(Ipv6Address* to, __mmask8 slots, Lanes high, Lanes low) noexcept {
  const Lanes first_four = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
  const Lanes last_four = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
  const unsigned both_halves = _pdep_u32(slots, 0x5555) * 3;
  _mm512_mask_storeu_epi64(to, static_cast<__mmask8>(both_halves),
                           _mm512_permutex2var_epi64(high, first_four, low));
  _mm512_mask_storeu_epi64(to + 4, static_cast<__mmask8>(both_halves >> 8),
                           _mm512_permutex2var_epi64(high, last_four, low));
}

__mmask8 eight_ipv6(Burst& burst, std::size_t first, __mmask8 slots, std::uint64_t mac) noexcept {
  const Eight frames(burst, first, slots);
  const Lanes front = frames.at(12);
  const Lanes lengths = frames.at(RTE_ETHER_HDR_LEN + 4);
  const Lanes source_high = frames.at(RTE_ETHER_HDR_LEN + 8);
  const Lanes source_low = frames.at(RTE_ETHER_HDR_LEN + 16);
  const Lanes destination_high = frames.at(RTE_ETHER_HDR_LEN + 24);
  const Lanes destination_low = frames.at(RTE_ETHER_HDR_LEN + 32);
  const Lanes behind = _mm512_srli_epi64(frames.at(RTE_ETHER_HDR_LEN + 36), 32);

  const Lanes payload = shuffled(lengths, 0x80808080'80800809, 0x80808080'80800001);
  const Lanes size = _mm512_add_epi64(payload, all(40));
  const Lanes next_header = _mm512_and_si512(_mm512_srli_epi64(lengths, 16), all(0xff));
  const Lanes hop_limit = _mm512_and_si512(_mm512_srli_epi64(lengths, 24), all(0xff));
  const __mmask8 with_ports =
      is_in(kWithPorts, next_header) & _mm512_cmpge_epu64_mask(payload, all(4));
  const Lanes ports = _mm512_maskz_mov_epi64(with_ports, behind);

  const Lanes not_version = _mm512_and_si512(_mm512_xor_si512(front, all(0x60dd86)), all(0xf0ffff));
  const Lanes wrong = _mm512_or_si512(frames.not_ours(mac), not_version);
  const __mmask8 with_rules =
      is_in(kWithRules, next_header) | special_ipv6(source_high) | special_ipv6(destination_high);
  const __mmask8 plain = frames.long_enough & _mm512_testn_epi64_mask(wrong, wrong) &
                         static_cast<__mmask8>(~with_rules) & frames.holds(size) &
                         _mm512_cmple_epu64_mask(size, all(0xffff)) &
                         _mm512_cmpgt_epu64_mask(hop_limit, all(1));

  const Lanes hash = hash_flows(fold_ipv6(source_high, source_low),
                                fold_ipv6(destination_high, destination_low), ports, next_header);
  _mm_mask_storeu_epi16(burst.ip_size.data() + first, plain, _mm512_cvtepi64_epi16(size));
  store_addresses(burst.ipv6_destination.data() + first, plain, destination_high, destination_low);
  _mm256_mask_storeu_epi32(burst.flow_hash.data() + first, plain, _mm512_cvtepi64_epi32(hash));
  return plain;
}

template <__mmask8 (*OfEight)(Burst&, std::size_t, __mmask8, std::uint64_t) noexcept>
Mask plain_among(Burst& burst, Mask slots, std::uint64_t mac) noexcept {
  Mask plain = 0;
  for (std::size_t first = 0; first < burst.size; first += 8) {
    const auto of_eight = static_cast<__mmask8>(slots >> first);
    if (of_eight == 0) continue;
    plain |= Mask{OfEight(burst, first, of_eight, mac)} << first;
  }
  return plain;
}

}  // namespace

PlainFrames plain_frames_avx512() noexcept {
  return {plain_among<eight_ipv4>, plain_among<eight_ipv6>};
}

}  // namespace rackway::node
