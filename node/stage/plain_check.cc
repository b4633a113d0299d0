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

Mask plain_ipv6(Burst& burst, Mask slots, std::uint64_t mac) noexcept {
  Mask plain = 0;
  for_each(slots, [&](std::size_t i) {
    if (burst.frames[i]->data_len < kLeastPlainFrame) return;
    plain |= static_cast<Mask>(is_plain_ipv6(burst, i, mac)) << i;
  });
  return plain;
}

bool begins_with_ipv6(const Burst& burst) noexcept {
  return burst.size > 0 && burst.frames[0]->data_len >= kLeastPlainFrame &&
         load<std::uint16_t>(burst.octets[0] + 12) == RTE_BE16(RTE_ETHER_TYPE_IPV6);
}

}  // namespace

void PlainCheck::run(Burst& burst, Mask among, const Context& context) const noexcept {
  const std::uint64_t mac = mac_word(context.in.mac);
  Mask ipv4, ipv6;
  // The family of the first packet first: often it is that of all.
  if (begins_with_ipv6(burst)) {
    ipv6 = plain_ipv6(burst, among, mac);
    ipv4 = plain_ipv4_(burst, among & ~ipv6, mac);
  } else {
    ipv4 = plain_ipv4_(burst, among, mac);
    ipv6 = plain_ipv6(burst, among & ~ipv4, mac);
  }
  burst.ipv4 |= ipv4;
  burst.ipv6 |= ipv6;
  burst.plain |= ipv4 | ipv6;
}

}  // namespace rackway::node
