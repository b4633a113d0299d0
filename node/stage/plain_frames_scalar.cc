// SPDX-License-Identifier: Apache-2.0
#include <rte_ether.h>
#include <rte_ip.h>

#include <cstring>

#include "base/byte_order.hh"
#include "fib/processor.hh"
#include "node/stage/flow_hash.hh"
#include "node/stage/plain_frames.hh"

namespace rackway::node {
namespace {

constexpr std::uint32_t kIp = RTE_ETHER_HDR_LEN;

template <class Integer>
Integer load(const std::uint8_t* from) noexcept {
  Integer value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// By octet, 1 for values that have rules of their own.
using Ranges = std::array<std::uint8_t, 256>;
// By the first octet of an address.
constexpr Ranges kSpecialIpv4 = [] {
  Ranges ranges{};
  ranges[0] = ranges[127] = 1;
  for (std::size_t i = 224; i < 256; ++i) ranges[i] = 1;
  return ranges;
}();
constexpr Ranges kSpecialIpv6 = [] {
  Ranges ranges{};
  ranges[0x00] = ranges[0xfe] = ranges[0xff] = 1;
  return ranges;
}();
constexpr Ranges kCareIpv6 = [] {
  Ranges ranges{};
  for (const auto header : kNextHeadersWithRules) ranges[header] = 1;
  return ranges;
}();

// 1 where either of two addresses is link-local.
std::uint64_t link_local(std::uint64_t addresses) noexcept {
  return static_cast<std::uint64_t>((addresses & 0xffff) == kLinkLocalIpv4) |
         static_cast<std::uint64_t>((addresses >> 32 & 0xffff) == kLinkLocalIpv4);
}

// 0 for a frame to this MAC, untagged; the address is compared in one go.
std::uint64_t not_ours(const rte_mbuf& frame, const std::uint8_t* octets,
                       std::uint64_t mac) noexcept {
  return (load<std::uint64_t>(octets) ^ mac) << 16 | (frame.ol_flags & RTE_MBUF_F_RX_VLAN);
}

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

bool is_plain_ipv4(Burst& burst, std::size_t i, std::uint64_t mac) noexcept {
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
                              kSpecialIpv4[addresses & 0xff] |
                              kSpecialIpv4[addresses >> 32 & 0xff] | link_local(addresses);
  return (wrong == 0) & (size - sizeof(rte_ipv4_hdr) <= frame.pkt_len - 34u) & (ttl > 1) &
         checksum_holds(front >> 16, middle, addresses >> 16);
}

bool is_plain_ipv6(Burst& burst, std::size_t i, std::uint64_t mac) noexcept {
  const rte_mbuf& frame = *burst.frames[i];
  const std::uint8_t* const octets = burst.octets[i];
  const std::uint8_t* const ip = octets + kIp;
  const std::uint32_t payload = load_be<std::uint16_t>(ip + 4);
  const std::uint32_t size = payload + sizeof(rte_ipv6_hdr);
  const std::uint8_t next_header = ip[6];
  const std::uint32_t with_ports = 0u - static_cast<std::uint32_t>(payload >= 4);
  const std::uint32_t ports = load<std::uint32_t>(ip + 40) & kPortMasks[next_header] & with_ports;
  burst.ip_size[i] = static_cast<std::uint16_t>(size);
  std::memcpy(burst.ipv6_destination[i].bytes.data(), ip + 24, 16);
  burst.flow_hash[i] = hash_flow(fold_ipv6(ip + 8), fold_ipv6(ip + 24), ports, next_header);
  const std::uint64_t wrong = not_ours(frame, octets, mac) |
                              ((load<std::uint32_t>(octets + 12) ^ 0x60dd86u) & 0xf0ffffu) |
                              kSpecialIpv6[ip[8]] | kSpecialIpv6[ip[24]] | kCareIpv6[next_header];
  return (wrong == 0) & (size + kIp <= frame.pkt_len) & (size <= 0xffff) & (ip[7] > 1);
}

template <bool (*IsPlain)(Burst&, std::size_t, std::uint64_t) noexcept>
Mask plain_among(Burst& burst, Mask slots, std::uint64_t mac) noexcept {
  Mask plain = 0;
  for_each(slots, [&](std::size_t i) {
    if (burst.frames[i]->data_len < kLeastPlainFrame) return;
    plain |= static_cast<Mask>(IsPlain(burst, i, mac)) << i;
  });
  return plain;
}

}  // namespace

PlainFrames plain_frames_scalar() noexcept {
  return {plain_among<is_plain_ipv4>, plain_among<is_plain_ipv6>};
}

PlainFrames choose_plain_frames() noexcept {
  return fib::runs_avx512() ? plain_frames_avx512() : plain_frames_scalar();
}

}  // namespace rackway::node
