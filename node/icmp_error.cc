// SPDX-License-Identifier: Apache-2.0
#include "node/icmp_error.hh"

#include <rte_ip.h>

#include <algorithm>
#include <cassert>

namespace rackway::node {
namespace {

constexpr std::size_t kIcmpHeader = 8;
constexpr std::uint8_t kIcmpv4 = 1, kIcmpv6 = 58;
// Precedence 6, internetwork control (RFC 1812 4.3.2.5), which is CS6 since RFC 2474. The packet's
// TOS bits, that RFC 1812 would have copied, are part of the code point now and of ECN.
constexpr std::uint8_t kInternetworkControl = 6 << 5;
constexpr std::uint16_t kSmallestIpv6Mtu = 1280;

// Largest messages: RFC 1812 4.3.2.3, RFC 4443 2.4 (c).
struct Shape {
  std::size_t ip_header;
  std::size_t largest;
  std::uint16_t ether_type;
};
constexpr Shape kIpv4{sizeof(rte_ipv4_hdr), 576, RTE_ETHER_TYPE_IPV4};
constexpr Shape kIpv6{sizeof(rte_ipv6_hdr), kSmallestIpv6Mtu, RTE_ETHER_TYPE_IPV6};

struct TypeAndCode {
  std::uint8_t type, code;
};

// RFC 1812 5.2.7.1: "net" when there is no route, "host" when the route's neighbour is not there.
TypeAndCode icmpv4_type(IcmpError error) noexcept {
  switch (error) {
    case IcmpError::ttl_exceeded: return {11, 0};
    case IcmpError::no_route: return {3, 0};
    case IcmpError::host_unreachable: return {3, 1};
    case IcmpError::prohibited: return {3, 13};
    case IcmpError::too_big: return {3, 4};
    case IcmpError::beyond_scope: break;
  }
  assert(false);
  return {3, 0};
}

TypeAndCode icmpv6_type(IcmpError error) noexcept {
  switch (error) {
    case IcmpError::ttl_exceeded: return {3, 0};
    case IcmpError::no_route: return {1, 0};
    case IcmpError::host_unreachable: return {1, 3};
    case IcmpError::prohibited: return {1, 1};
    case IcmpError::too_big: return {2, 0};
    case IcmpError::beyond_scope: return {1, 2};
  }
  assert(false);
  return {1, 0};
}

// The second word of the header. Below 1280 nothing is a path's MTU in IPv6 (RFC 8201 section 4).
std::uint32_t mtu_word(const IcmpReport& report, Family family) noexcept {
  if (report.error != IcmpError::too_big) return 0;
  return family == Family::ipv4 ? report.mtu : std::max(report.mtu, kSmallestIpv6Mtu);
}

void write_icmp_header(std::uint8_t* icmp, const IcmpReport& report, Family family) noexcept {
  const auto [type, code] =
      family == Family::ipv4 ? icmpv4_type(report.error) : icmpv6_type(report.error);
  icmp[0] = type;
  icmp[1] = code;
  store_be<std::uint16_t>(icmp + 2, 0);
  store_be<std::uint32_t>(icmp + 4, mtu_word(report, family));
}

// Without DF: a path may take less than the 576 octets, and nobody would report it.
void write_ipv4(std::uint8_t* at, const IcmpReport& report, const std::uint8_t* destination,
                std::size_t message, std::uint16_t id) noexcept {
  rte_ipv4_hdr ip{};
  ip.version_ihl = RTE_IPV4_VHL_DEF;
  ip.type_of_service = kInternetworkControl;
  store_be(&ip.total_length, static_cast<std::uint16_t>(sizeof ip + message));
  store_be(&ip.packet_id, id);
  ip.time_to_live = report.hop_limit;
  ip.next_proto_id = kIcmpv4;
  std::memcpy(&ip.src_addr, report.source.data(), 4);
  std::memcpy(&ip.dst_addr, destination, 4);
  ip.hdr_checksum = rte_ipv4_cksum(&ip);
  std::memcpy(at, &ip, sizeof ip);
  const auto checksum = static_cast<std::uint16_t>(~rte_raw_cksum(at + sizeof ip, message));
  std::memcpy(at + sizeof ip + 2, &checksum, 2);
}

void write_ipv6(std::uint8_t* at, const IcmpReport& report, const std::uint8_t* destination,
                std::size_t message) noexcept {
  rte_ipv6_hdr ip{};
  store_be(&ip.vtc_flow, 6u << 28 | std::uint32_t{kInternetworkControl} << 20);
  store_be(&ip.payload_len, static_cast<std::uint16_t>(message));
  ip.proto = kIcmpv6;
  ip.hop_limits = report.hop_limit;
  std::memcpy(ip.src_addr, report.source.data(), 16);
  std::memcpy(ip.dst_addr, destination, 16);
  std::memcpy(at, &ip, sizeof ip);
  const std::uint16_t checksum = rte_ipv6_udptcp_cksum(&ip, at + sizeof ip);
  std::memcpy(at + sizeof ip + 2, &checksum, 2);
}

std::uint8_t* append_frame(rte_mbuf* frame, const Shape& shape, std::size_t message) noexcept {
  const std::size_t size = RTE_ETHER_HDR_LEN + shape.ip_header + message;
  auto* octets =
      reinterpret_cast<std::uint8_t*>(rte_pktmbuf_append(frame, static_cast<std::uint16_t>(size)));
  if (octets == nullptr) return nullptr;
  std::memset(octets, 0, 2 * RTE_ETHER_ADDR_LEN);
  store_be<std::uint16_t>(octets + 2 * RTE_ETHER_ADDR_LEN, shape.ether_type);
  return octets + RTE_ETHER_HDR_LEN;
}

}  // namespace

rte_mbuf* IcmpErrorBuilder::build(const IpPacket& about, const IcmpReport& report) noexcept {
  assert(report.source.family() == about.family);
  const Shape& shape = about.family == Family::ipv4 ? kIpv4 : kIpv6;
  const std::size_t quote = std::min(about.size(), shape.largest - shape.ip_header - kIcmpHeader);
  rte_mbuf* frame = rte_pktmbuf_alloc(&pool_);
  if (frame == nullptr) return nullptr;
  std::uint8_t* ip = append_frame(frame, shape, kIcmpHeader + quote);
  if (ip == nullptr) {
    rte_pktmbuf_free(frame);
    return nullptr;
  }
  std::uint8_t* icmp = ip + shape.ip_header;
  write_icmp_header(icmp, report, about.family);
  about.copy(0, quote, icmp + kIcmpHeader);
  if (about.family == Family::ipv4) {
    write_ipv4(ip, report, about.header() + 12, kIcmpHeader + quote, next_id_++);
  } else {
    write_ipv6(ip, report, about.header() + 8, kIcmpHeader + quote);
  }
  return frame;
}

}  // namespace rackway::node
