// SPDX-License-Identifier: Apache-2.0
#include "node/icmp_error_rules.hh"

#include <algorithm>
#include <array>

#include "node/ipv6_chain.hh"

namespace rackway::node {
namespace {

constexpr std::uint8_t kIcmpv4 = 1, kIcmpv6 = 58;
// How far into a packet its headers are followed; the same however it is cut into segments.
constexpr std::size_t kReach = 512;
using Headers = std::array<std::uint8_t, kReach>;

// Net 0, loopback, and everything from 224.0.0.0 on: multicast, class E, broadcast.
bool is_one_ipv4_host(const std::uint8_t* address) noexcept {
  return address[0] != 0 && address[0] != 127 && address[0] < 224;
}

// Echo, router discovery, timestamp, information, address mask, and extended echo of RFC 8335.
// Everything else may be an error, types that nobody knows yet included.
bool is_icmpv4_query(std::uint8_t type) noexcept {
  switch (type) {
    case 0:
    case 8:
    case 9:
    case 10:
    case 13:
    case 14:
    case 15:
    case 16:
    case 17:
    case 18:
    case 42:
    case 43: return true;
    default: return false;
  }
}

bool may_be_answered_ipv4(const IpPacket& packet, IcmpError with) noexcept {
  constexpr std::uint16_t kFragmentOffset = 0x1fff;
  const std::uint8_t* ip = packet.header();
  if (with == IcmpError::beyond_scope || packet.l2_group) return false;
  if (!is_one_ipv4_host(ip + 12) || !is_one_ipv4_host(ip + 16)) return false;
  if ((load_be<std::uint16_t>(ip + 6) & kFragmentOffset) != 0) return false;
  if (ip[9] != kIcmpv4) return true;
  const std::size_t header = (ip[0] & 0x0fu) * 4;
  std::uint8_t buffer;
  return packet.size() > header && is_icmpv4_query(*packet.octets(header, 1, &buffer));
}

bool is_unspecified_or_loopback(const std::uint8_t* a) noexcept {
  return std::all_of(a, a + 15, [](std::uint8_t octet) { return octet == 0; }) && a[15] <= 1;
}
bool is_multicast(const std::uint8_t* address) noexcept {
  return address[0] == 0xff;
}

// Informational types are 128 and up; redirects, which are among them, are never answered.
bool is_answerable_icmpv6(std::uint8_t type) noexcept {
  constexpr std::uint8_t kFirstInformational = 128, kRedirect = 137;
  return type >= kFirstInformational && type != kRedirect;
}

// A later fragment is answered if the fragment header says that no ICMPv6 is in the packet.
bool is_answerable_upper_layer(const IpPacket& packet) noexcept {
  Headers buffer;
  const std::size_t readable = std::min(packet.size(), kReach);
  const std::uint8_t* ip = packet.octets(0, readable, buffer.data());
  const auto chain = ipv6_chain(ip, readable);
  switch (chain.end) {
    case ChainEnd::upper_layer:
      return chain.protocol != kIcmpv6 ||
             (chain.offset < readable && is_answerable_icmpv6(ip[chain.offset]));
    case ChainEnd::later_fragment:
      return chain.protocol != kIcmpv6 && !is_extension_header(chain.protocol);
    default: return false;
  }
}

// Path MTU discovery works for multicast too: RFC 4443 2.4 (e.3) to (e.5).
bool may_be_answered_ipv6(const IpPacket& packet, IcmpError with) noexcept {
  const std::uint8_t* ip = packet.header();
  const std::uint8_t *source = ip + 8, *destination = ip + 24;
  if (is_multicast(source) || is_unspecified_or_loopback(source)) return false;
  if (is_unspecified_or_loopback(destination)) return false;
  const bool to_group = packet.l2_group || is_multicast(destination);
  if (to_group && with != IcmpError::too_big) return false;
  return is_answerable_upper_layer(packet);
}

}  // namespace

bool may_be_answered(const IpPacket& packet, IcmpError with) noexcept {
  return packet.family == Family::ipv4 ? may_be_answered_ipv4(packet, with)
                                       : may_be_answered_ipv6(packet, with);
}

}  // namespace rackway::node
