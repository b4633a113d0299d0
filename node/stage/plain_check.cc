// SPDX-License-Identifier: Apache-2.0
#include "node/stage/plain_check.hh"

#include <rte_ether.h>
#include <rte_ip.h>

#include <cstring>

#include "base/byte_order.hh"
#include "node/stage/flow_hash.hh"
#include "node/stage/rewrite.hh"

namespace rackway::node {
namespace {

constexpr std::uint16_t kLeastFrame = 60;  // of Ethernet; what is shorter is looked at with care
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
constexpr Ranges kSpecialIpv6 = [] {
  Ranges ranges{};
  ranges[0x00] = ranges[0xfe] = ranges[0xff] = 1;
  return ranges;
}();
// By next header: extension headers (RFC 8200 4, IANA) and ICMPv6, of which neighbour discovery is
// a part.
constexpr Ranges kCareIpv6 = [] {
  Ranges ranges{};
  for (const std::size_t header : {0, 43, 44, 50, 51, 58, 59, 60, 135, 139, 140, 253, 254}) {
    ranges[header] = 1;
  }
  return ranges;
}();

// 0 for a frame to this MAC, untagged. Compares with the address in one go.
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
  burst.flow_hash[i] = hash_flow<8>(ip + 12, ports, protocol);
  const std::uint64_t wrong = not_ours(frame, octets, mac) | ((front ^ 0x450008) & 0xffffff) |
                              kSpecialIpv4[addresses & 0xff] | kSpecialIpv4[addresses >> 32 & 0xff];
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
  burst.flow_hash[i] = hash_flow<32>(ip + 8, ports, next_header);
  const std::uint64_t wrong = not_ours(frame, octets, mac) |
                              ((load<std::uint32_t>(octets + 12) ^ 0x60dd86u) & 0xf0ffffu) |
                              kSpecialIpv6[ip[8]] | kSpecialIpv6[ip[24]] | kCareIpv6[next_header];
  return (wrong == 0) & (size + kIp <= frame.pkt_len) & (size <= 0xffff) & (ip[7] > 1);
}

template <class IsPlain>
Mask plain_among(Burst& burst, Mask slots, std::uint64_t mac, IsPlain&& is_plain) noexcept {
  Mask plain = 0;
  for_each(slots, [&](std::size_t i) {
    if (burst.frames[i]->data_len < kLeastFrame) return;
    plain |= static_cast<Mask>(is_plain(burst, i, mac)) << i;
  });
  return plain;
}

bool begins_with_ipv6(const Burst& burst) noexcept {
  return burst.size > 0 && burst.frames[0]->data_len >= kLeastFrame &&
         load<std::uint16_t>(burst.octets[0] + 12) == RTE_BE16(RTE_ETHER_TYPE_IPV6);
}

}  // namespace

void PlainCheck::run(Burst& burst, const Context& context) const noexcept {
  const std::uint64_t mac = mac_word(context.in.mac);
  // The family of the first packet first: often it is that of all.
  if (begins_with_ipv6(burst)) {
    burst.ipv6 = plain_among(burst, burst.undecided, mac, is_plain_ipv6);
    burst.ipv4 = plain_among(burst, burst.undecided & ~burst.ipv6, mac, is_plain_ipv4);
  } else {
    burst.ipv4 = plain_among(burst, burst.undecided, mac, is_plain_ipv4);
    burst.ipv6 = plain_among(burst, burst.undecided & ~burst.ipv4, mac, is_plain_ipv6);
  }
  burst.plain = burst.ipv4 | burst.ipv6;
}

}  // namespace rackway::node
