// SPDX-License-Identifier: Apache-2.0
#include "node/stage/plain_check.hh"

#include <rte_ether.h>
#include <rte_ip.h>

#include <cstring>

#include "base/byte_order.hh"

namespace rackway::node {
namespace {

constexpr std::uint16_t kLeastFrame = 60;  // of Ethernet; what is shorter is looked at with care
constexpr std::size_t kIp = RTE_ETHER_HDR_LEN;

template <class Integer>
Integer load(const std::uint8_t* from) noexcept {
  Integer value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

// By the first octet of an address, 1 for ranges that have rules of their own.
using Ranges = std::array<std::uint8_t, 256>;
constexpr Ranges special_ipv4() {
  Ranges ranges{};
  ranges[0] = ranges[127] = 1;
  for (std::size_t i = 224; i < 256; ++i) ranges[i] = 1;
  return ranges;
}
constexpr Ranges special_ipv6() {
  Ranges ranges{};
  ranges[0x00] = ranges[0xfe] = ranges[0xff] = 1;
  return ranges;
}
// By next header: all ones where ports follow, so that it masks them.
constexpr std::array<std::uint32_t, 256> port_masks() {
  std::array<std::uint32_t, 256> masks{};
  for (const int protocol : {6, 17, 33, 132, 136}) masks[static_cast<std::size_t>(protocol)] = ~0u;
  return masks;
}
// Extension headers (RFC 8200 4, IANA) and ICMPv6, of which neighbour discovery is a part.
constexpr Ranges next_headers_with_care() {
  Ranges ranges{};
  for (const int header : {0, 43, 44, 50, 51, 58, 59, 60, 135, 139, 140, 253, 254}) {
    ranges[static_cast<std::size_t>(header)] = 1;
  }
  return ranges;
}
constexpr Ranges kSpecialIpv4 = special_ipv4();
constexpr Ranges kSpecialIpv6 = special_ipv6();
constexpr Ranges kCareIpv6 = next_headers_with_care();
constexpr std::array<std::uint32_t, 256> kPortMasks = port_masks();

// Frames to this MAC, untagged, with an IP EtherType.
struct Candidates {
  Mask ipv4{}, ipv6{};
};
Candidates candidates(const Burst& burst, const MacAddress& mac) noexcept {
  std::uint64_t own = 0;
  std::memcpy(&own, mac.bytes.data(), mac.bytes.size());
  Candidates found;
  for (std::size_t i = 0; i < burst.size; ++i) {
    const rte_mbuf& frame = *burst.frames[i];
    if (frame.data_len < kLeastFrame) continue;
    const std::uint8_t* octets = burst.octets[i];
    const bool to_us = (load<std::uint64_t>(octets) ^ own) << 16 == 0;
    const bool tagged = (frame.ol_flags & RTE_MBUF_F_RX_VLAN) != 0;
    const Mask ours = static_cast<Mask>(to_us & !tagged);
    const auto type = load<std::uint16_t>(octets + 12);
    found.ipv4 |= (ours & static_cast<Mask>(type == RTE_BE16(RTE_ETHER_TYPE_IPV4))) << i;
    found.ipv6 |= (ours & static_cast<Mask>(type == RTE_BE16(RTE_ETHER_TYPE_IPV6))) << i;
  }
  return found;
}

// RFC 1071: the sum over the header, its checksum included, is all ones.
bool checksum_holds(const std::uint8_t* header) noexcept {
  const auto a = load<std::uint64_t>(header), b = load<std::uint64_t>(header + 8);
  std::uint64_t sum = (a & 0xffffffff) + (a >> 32) + (b & 0xffffffff) + (b >> 32) +
                      load<std::uint32_t>(header + 16);
  sum = (sum & 0xffffffff) + (sum >> 32);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  return (sum & 0xffff) + (sum >> 16) == 0xffff;
}

Mask check_ipv4(Burst& burst, std::size_t i) noexcept {
  const std::uint8_t* ip = burst.octets[i] + kIp;
  const std::uint32_t size = load_be<std::uint16_t>(ip + 2);
  const std::uint8_t protocol = ip[9];
  const auto source = load<std::uint32_t>(ip + 12), destination = load<std::uint32_t>(ip + 16);
  const bool fits = (size >= sizeof(rte_ipv4_hdr)) & (size + kIp <= burst.frames[i]->pkt_len);
  const bool special = (kSpecialIpv4[source & 0xff] | kSpecialIpv4[destination & 0xff]) != 0;
  const bool whole = (load<std::uint16_t>(ip + 6) & RTE_BE16(0x3fff)) == 0;  // not a fragment
  const bool has_four = size >= sizeof(rte_ipv4_hdr) + 4;
  burst.ip_size[i] = static_cast<std::uint16_t>(size);
  burst.ipv4_destination[i].value = swap_bytes(destination);
  burst.flow.source[i] = source;
  burst.flow.destination[i] = destination;
  burst.flow.ports[i] = load<std::uint32_t>(ip + 20) & kPortMasks[protocol] &
                        (0u - static_cast<std::uint32_t>(whole & has_four));
  burst.flow.protocol[i] = protocol;
  return static_cast<Mask>((ip[0] == 0x45) & fits & !special & (ip[8] > 1) & checksum_holds(ip));
}

Mask check_ipv6(Burst& burst, std::size_t i) noexcept {
  const std::uint8_t* ip = burst.octets[i] + kIp;
  const std::uint32_t payload = load_be<std::uint16_t>(ip + 4);
  const std::uint32_t size = payload + sizeof(rte_ipv6_hdr);
  const std::uint8_t next_header = ip[6];
  const bool special = (kSpecialIpv6[ip[8]] | kSpecialIpv6[ip[24]] | kCareIpv6[next_header]) != 0;
  burst.ip_size[i] = static_cast<std::uint16_t>(size);
  std::memcpy(burst.ipv6_destination[i].bytes.data(), ip + 24, 16);
  burst.flow.source[i] = fold_ipv6(ip + 8);
  burst.flow.destination[i] = fold_ipv6(ip + 24);
  burst.flow.ports[i] = load<std::uint32_t>(ip + 40) & kPortMasks[next_header] &
                        (0u - static_cast<std::uint32_t>(payload >= 4));
  burst.flow.protocol[i] = next_header;
  return static_cast<Mask>((ip[0] >> 4 == 6) & (size + kIp <= burst.frames[i]->pkt_len) &
                           (size <= 0xffff) & !special & (ip[7] > 1));
}

}  // namespace

void PlainCheck::run(Burst& burst, const Context& context) const noexcept {
  const Candidates found = candidates(burst, context.in.mac);
  Mask ipv4 = 0, ipv6 = 0;
  for_each(found.ipv4, [&](std::size_t i) { ipv4 |= check_ipv4(burst, i) << i; });
  for_each(found.ipv6, [&](std::size_t i) { ipv6 |= check_ipv6(burst, i) << i; });
  burst.ipv4 = ipv4;
  burst.ipv6 = ipv6;
  burst.plain = ipv4 | ipv6;
}

}  // namespace rackway::node
