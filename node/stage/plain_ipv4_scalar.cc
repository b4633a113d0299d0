// SPDX-License-Identifier: Apache-2.0
#include <rte_ether.h>
#include <rte_ip.h>

#include <cstring>

#include "base/byte_order.hh"
#include "node/stage/flow_hash.hh"
#include "node/stage/plain_ipv4.hh"

namespace rackway::node {
namespace {

constexpr std::uint32_t kIp = RTE_ETHER_HDR_LEN;

template <class Integer>
Integer load(const std::uint8_t* from) noexcept {
  Integer value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// By the first octet of an address, 1 for ranges that have rules of their own.
using Ranges = std::array<std::uint8_t, 256>;
constexpr Ranges kSpecialIpv4 = [] {
  Ranges ranges{};
  ranges[0] = ranges[127] = 1;
  for (std::size_t i = 224; i < 256; ++i) ranges[i] = 1;
  return ranges;
}();

// RFC 1071: the sum over the header, its checksum included, is all ones. first: octets 0 to 5 of
// the header, middle: 6 to 13, last: 14 to 19.
bool checksum_holds(std::uint64_t first, std::uint64_t middle, std::uint64_t last) noexcept {
  std::uint64_t sum = first + last;  // 48 bits each
  sum += (middle & 0xffffffff) + (middle >> 32);
  sum = (sum & 0xffffffff) + (sum >> 32);  // at most 33 bits
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return sum == 0xffff;
}

bool is_plain(Burst& burst, std::size_t i, std::uint64_t mac) noexcept {
  const rte_mbuf& frame = *burst.frames[i];
  const std::uint8_t* const octets = burst.octets[i];
  const std::uint8_t* const ip = octets + kIp;
  // EtherType, version and header length, TOS, total length, identification
  const auto front = load<std::uint64_t>(octets + 12);
  // flags and fragment offset, TTL, protocol, checksum, source's upper half
  const auto middle = load<std::uint64_t>(ip + 6);
  const auto addresses = load<std::uint64_t>(ip + 12);
  const std::uint32_t size = swap_bytes(static_cast<std::uint16_t>(front >> 32));
  const auto protocol = static_cast<std::uint8_t>(middle >> 24);
  const auto ttl = static_cast<std::uint8_t>(middle >> 16);
  // Fragments have no ports that count, nor what ends before them.
  const std::uint32_t with_ports =
      0u - static_cast<std::uint32_t>(((middle & RTE_BE16(0x3fff)) == 0) & (size >= 24));
  const std::uint32_t ports = load<std::uint32_t>(ip + 20) & kPortMasks[protocol] & with_ports;
  burst.ip_size[i] = static_cast<std::uint16_t>(size);
  burst.ipv4_destination[i].value = swap_bytes(static_cast<std::uint32_t>(addresses >> 32));
  burst.flow_hash[i] = hash_flow(static_cast<std::uint32_t>(addresses),
                                 static_cast<std::uint32_t>(addresses >> 32), ports, protocol);
  const std::uint64_t wrong = not_ours(frame, octets, mac) | ((front ^ 0x450008) & 0xffffff) |
                              kSpecialIpv4[addresses & 0xff] | kSpecialIpv4[addresses >> 32 & 0xff];
  return (wrong == 0) & (size - sizeof(rte_ipv4_hdr) <= frame.pkt_len - 34u) & (ttl > 1) &
         checksum_holds(front >> 16, middle, addresses >> 16);
}

}  // namespace

Mask plain_ipv4_scalar(Burst& burst, Mask slots, std::uint64_t mac) noexcept {
  Mask plain = 0;
  for_each(slots, [&](std::size_t i) {
    if (burst.frames[i]->data_len < kLeastPlainFrame) return;
    plain |= static_cast<Mask>(is_plain(burst, i, mac)) << i;
  });
  return plain;
}

PlainIpv4 choose_plain_ipv4() noexcept {
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  return avx512 ? plain_ipv4_avx512 : plain_ipv4_scalar;
}

}  // namespace rackway::node
