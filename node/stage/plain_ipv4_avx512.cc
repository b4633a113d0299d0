// SPDX-License-Identifier: Apache-2.0
// One lane of 64 bits a frame. Every step is that of plain_ipv4_scalar.cc, which says why.
#include <immintrin.h>
#include <rte_ether.h>
#include <rte_mbuf.h>

#include <cstddef>

#include "node/stage/flow_hash.hh"
#include "node/stage/plain_ipv4.hh"

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

// Not zero where an address begins with 0, 127 or 224 and above.
Lanes special(Lanes addresses) noexcept {
  const Lanes first = _mm512_and_si512(addresses, _mm512_set1_epi32(0xff));
  const __mmask16 is = _mm512_testn_epi32_mask(first, first) |
                       _mm512_cmpeq_epi32_mask(first, _mm512_set1_epi32(127)) |
                       _mm512_cmpge_epi32_mask(first, _mm512_set1_epi32(224));
  return _mm512_maskz_set1_epi32(is, 1);
}

__mmask8 with_ports(Lanes middle, Lanes protocol, Lanes size) noexcept {
  __mmask8 has = 0;
  for (const auto known : kProtocolsWithPorts) {
    has |= _mm512_cmpeq_epi64_mask(protocol, all(known));
  }
  return has & _mm512_testn_epi64_mask(middle, all(RTE_BE16(0x3fff))) &
         _mm512_cmpge_epu64_mask(size, all(24));
}

Lanes hash_flows(Lanes addresses, Lanes ports, Lanes protocol) noexcept {
  using Factors = FlowHashFactors;
  const Lanes destination = _mm512_srli_epi64(addresses, 32);
  Lanes hash = _mm512_mul_epu32(addresses, all(Factors::kSource));
  hash = _mm512_add_epi64(hash, _mm512_mul_epu32(destination, all(Factors::kDestination)));
  hash = _mm512_add_epi64(hash, _mm512_mul_epu32(ports, all(Factors::kPorts)));
  hash = _mm512_add_epi64(hash, _mm512_mul_epu32(protocol, all(Factors::kProtocol)));
  hash = _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32));
  hash = _mm512_mul_epu32(hash, all(Factors::kLast));
  return _mm512_xor_si512(hash, _mm512_srli_epi64(hash, 32));
}

__mmask8 eight(Burst& burst, std::size_t first, __mmask8 slots, std::uint64_t mac) noexcept {
  static_assert(offsetof(rte_mbuf, data_len) == offsetof(rte_mbuf, pkt_len) + 4);
  const Lanes frames = _mm512_load_si512(burst.frames.data() + first);
  const Lanes octets = _mm512_load_si512(burst.octets.data() + first);
  const Lanes lengths = gather(slots, frames, offsetof(rte_mbuf, pkt_len));
  const Lanes flags = gather(slots, frames, offsetof(rte_mbuf, ol_flags));
  const Lanes data_len = _mm512_and_si512(_mm512_srli_epi64(lengths, 32), all(0xffff));
  const __mmask8 long_enough = slots & _mm512_cmpge_epu64_mask(data_len, all(kLeastPlainFrame));
  const Lanes destination_mac = gather(long_enough, octets, 0);
  const Lanes front = gather(long_enough, octets, 12);
  const Lanes middle = gather(long_enough, octets, RTE_ETHER_HDR_LEN + 6);
  const Lanes addresses = gather(long_enough, octets, RTE_ETHER_HDR_LEN + 12);
  const Lanes behind = gather(long_enough, octets, RTE_ETHER_HDR_LEN + 20);

  const Lanes size = shuffled(front, 0x80808080'80800c0d, 0x80808080'80800405);
  const Lanes protocol = _mm512_and_si512(_mm512_srli_epi64(middle, 24), all(0xff));
  const Lanes ttl = _mm512_and_si512(_mm512_srli_epi64(middle, 16), all(0xff));
  const Lanes ports = _mm512_maskz_mov_epi64(with_ports(middle, protocol, size), behind);

  Lanes wrong = _mm512_slli_epi64(_mm512_xor_si512(destination_mac, all(mac)), 16);
  wrong = _mm512_or_si512(wrong, _mm512_and_si512(flags, all(RTE_MBUF_F_RX_VLAN)));
  wrong = _mm512_or_si512(wrong,
                          _mm512_and_si512(_mm512_xor_si512(front, all(0x450008)), all(0xffffff)));
  wrong = _mm512_or_si512(wrong, special(addresses));
  const Lanes whole = _mm512_and_si512(lengths, all(0xffffffff));
  const __mmask8 fits =
      _mm512_cmpge_epu64_mask(size, all(20)) &
      _mm512_cmple_epu64_mask(_mm512_add_epi64(size, all(RTE_ETHER_HDR_LEN)), whole);
  const __mmask8 plain = long_enough & _mm512_testn_epi64_mask(wrong, wrong) & fits &
                         _mm512_cmpgt_epu64_mask(ttl, all(1)) &
                         checksum_holds(front, middle, addresses);

  const Lanes destination = shuffled(addresses, 0x80808080'0c0d0e0f, 0x80808080'04050607);
  _mm_mask_storeu_epi16(burst.ip_size.data() + first, plain, _mm512_cvtepi64_epi16(size));
  _mm256_mask_storeu_epi32(burst.ipv4_destination.data() + first, plain,
                           _mm512_cvtepi64_epi32(destination));
  _mm256_mask_storeu_epi32(burst.flow_hash.data() + first, plain,
                           _mm512_cvtepi64_epi32(hash_flows(addresses, ports, protocol)));
  return plain;
}

}  // namespace

Mask plain_ipv4_avx512(Burst& burst, Mask slots, std::uint64_t mac) noexcept {
  Mask plain = 0;
  for (std::size_t first = 0; first < burst.size; first += 8) {
    const auto of_eight = static_cast<__mmask8>(slots >> first);
    if (of_eight == 0) continue;
    plain |= Mask{eight(burst, first, of_eight, mac)} << first;
  }
  return plain;
}

}  // namespace rackway::node
