// SPDX-License-Identifier: Apache-2.0
#include "node/stage/neighbor_discovery.hh"

#include <rte_ether.h>

#include <array>
#include <cstring>
#include <optional>

#include "base/byte_order.hh"
#include "node/stage/own_address.hh"
#include "node/stage/tag.hh"

namespace rackway::node {
namespace {

enum Type : std::uint8_t {
  kRouterSolicitation = 133,
  kRouterAdvertisement = 134,
  kNeighborSolicitation = 135,
  kNeighborAdvertisement = 136,
  kRedirect = 137,
};
constexpr std::uint8_t kSourceLinkLayer = 1, kTargetLinkLayer = 2;
constexpr std::size_t kIcmpOffset = RTE_ETHER_HDR_LEN + sizeof(rte_ipv6_hdr);
constexpr std::size_t kAdvertisementBytes = 32;  // with a target link-layer option

// The shortest message of each type, without options.
constexpr std::array<std::size_t, 5> kLeastBytes{8, 16, 24, 24, 40};

bool is_zero(const std::uint8_t* address) noexcept {
  static constexpr std::uint8_t kZero[16]{};
  return std::memcmp(address, kZero, 16) == 0;
}
bool is_multicast(const std::uint8_t* address) noexcept {
  return address[0] == 0xff;
}
bool is_link_local(const std::uint8_t* address) noexcept {
  return address[0] == 0xfe && (address[1] & 0xc0) == 0x80;
}

// ff02::1:ffXX:XXXX with the low 24 bits of the target (RFC 4291 2.7.1).
bool is_solicited_node_of(const std::uint8_t* address, const std::uint8_t* target) noexcept {
  static constexpr std::uint8_t kPrefix[13]{0xff, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0xff};
  return std::memcmp(address, kPrefix, 13) == 0 && std::memcmp(address + 13, target + 13, 3) == 0;
}

struct Options {
  bool well_formed = true;
  const std::uint8_t* source_link_layer = nullptr;  // the sender's MAC, if it says so
};

// Every option has a length that is not zero and fits (RFC 4861 4.6).
Options scan_options(const std::uint8_t* at, std::size_t size) noexcept {
  Options found;
  while (size > 0) {
    const std::size_t length = size >= 8 ? static_cast<std::size_t>(at[1]) * 8 : 0;
    if (length == 0 || length > size) return {.well_formed = false};
    if (at[0] == kSourceLinkLayer) found.source_link_layer = at + 2;
    at += length;
    size -= length;
  }
  return found;
}

// Over pseudo header and message, the checksum field included: all ones (RFC 4443 2.3).
bool checksum_holds(const rte_ipv6_hdr& ip, const std::uint8_t* icmp, std::size_t size) noexcept {
  const std::uint32_t sum = std::uint32_t{rte_raw_cksum(icmp, size)} + rte_ipv6_phdr_cksum(&ip, 0);
  return static_cast<std::uint16_t>(sum + (sum >> 16)) == 0xffff;
}

bool solicitation_holds(const rte_ipv6_hdr& ip, const std::uint8_t* target,
                        const Options& options) noexcept {
  if (is_multicast(target)) return false;
  if (!is_zero(ip.src_addr)) return true;
  // Duplicate address detection.
  return options.source_link_layer == nullptr && is_solicited_node_of(ip.dst_addr, target);
}

bool advertisement_holds(const rte_ipv6_hdr& ip, const std::uint8_t* icmp) noexcept {
  constexpr std::uint8_t kSolicited = 0x40;
  if (is_multicast(icmp + 8)) return false;
  return !is_multicast(ip.dst_addr) || (icmp[4] & kSolicited) == 0;
}

bool redirect_holds(const rte_ipv6_hdr& ip, const std::uint8_t* target,
                    const std::uint8_t* destination) noexcept {
  return is_link_local(ip.src_addr) && !is_multicast(destination) &&
         (is_link_local(target) || std::memcmp(target, destination, 16) == 0);
}

// What each type has of its own (RFC 4861 6.1.1, 6.1.2, 7.1.1, 7.1.2, 8.1).
bool rules_of_type_hold(const rte_ipv6_hdr& ip, const std::uint8_t* icmp,
                        const Options& options) noexcept {
  switch (icmp[0]) {
    case kRouterSolicitation: return !is_zero(ip.src_addr) || options.source_link_layer == nullptr;
    case kRouterAdvertisement: return is_link_local(ip.src_addr);
    case kNeighborSolicitation: return solicitation_holds(ip, icmp + 8, options);
    case kNeighborAdvertisement: return advertisement_holds(ip, icmp);
    default: return redirect_holds(ip, icmp + 8, icmp + 24);
  }
}

// Common to all five types: hop limit 255 (not routed here), code 0, length, options, checksum.
std::optional<Options> validated(const Slot& slot, const rte_ipv6_hdr& ip) noexcept {
  const std::size_t size = load_be<std::uint16_t>(&ip.payload_len);
  const std::uint8_t* icmp = slot.octets() + kIcmpOffset;
  if (slot.frame().nb_segs != 1 || ip.hop_limits != 255) return std::nullopt;
  const std::size_t least = kLeastBytes[icmp[0] - kRouterSolicitation];
  if (size < least || icmp[1] != 0) return std::nullopt;
  const auto options = scan_options(icmp + least, size - least);
  if (!options.well_formed) return std::nullopt;
  if (!checksum_holds(ip, icmp, size)) return std::nullopt;
  if (!rules_of_type_hold(ip, icmp, options)) return std::nullopt;
  return options;
}

// RFC 4861 7.2.4: from the target, solicited, override, as a router; with our MAC as option.
void answer(const Slot& slot, rte_ipv6_hdr& ip, const MacAddress& asker,
            const MacAddress& mac) noexcept {
  std::uint8_t* octets = slot.octets();
  std::uint8_t* icmp = octets + kIcmpOffset;
  std::memcpy(octets, asker.bytes.data(), 6);
  std::memcpy(octets + 6, mac.bytes.data(), 6);
  std::memcpy(ip.dst_addr, ip.src_addr, 16);
  std::memcpy(ip.src_addr, icmp + 8, 16);
  ip.payload_len = RTE_BE16(kAdvertisementBytes);
  icmp[0] = kNeighborAdvertisement;
  store_be<std::uint32_t>(icmp + 4, 0xe0000000);
  icmp[24] = kTargetLinkLayer;
  icmp[25] = 1;
  std::memcpy(icmp + 26, mac.bytes.data(), 6);
  store_be<std::uint16_t>(icmp + 2, 0);
  const std::uint16_t checksum = rte_ipv6_udptcp_cksum(&ip, icmp);
  std::memcpy(icmp + 2, &checksum, 2);
}

// Makes the frame as long as an advertisement; padding of short frames does not matter to IPv6.
bool resize(rte_mbuf* frame) noexcept {
  constexpr std::uint16_t kFrameBytes = kIcmpOffset + kAdvertisementBytes;
  if (frame->data_len < kFrameBytes) {
    return rte_pktmbuf_append(frame, kFrameBytes - frame->data_len) != nullptr;
  }
  return rte_pktmbuf_trim(frame, frame->data_len - kFrameBytes) == 0;
}

void solicitation(const Slot& slot, rte_ipv6_hdr& ip, const Context& context,
                  Options options) noexcept {
  const std::uint8_t* target = slot.octets() + kIcmpOffset + 8;
  // The asker is where its option says, and where its frame came from only without one (7.2.3).
  const bool says = options.source_link_layer != nullptr;
  MacAddress mac;
  std::memcpy(mac.bytes.data(), says ? options.source_link_layer : slot.octets() + 6, 6);
  // An answer to a group would be the router's voice in an attacker's hand.
  if (mac.is_multicast()) return slot.drop(DropReason::nd_malformed);
  const VlanId vlan = slot.burst().vlan(slot.index());
  if (!is_own_address(context, vlan, *IpAddress::from_bytes(target, 16))) {
    return slot.drop(DropReason::nd_not_for_us);
  }
  const auto asker = *IpAddress::from_bytes(ip.src_addr, 16);
  if (is_zero(ip.src_addr) || !node_answers(context, vlan, asker, mac) || !resize(&slot.frame())) {
    return slot.punt(PuntClass::neighbor);
  }
  answer(slot, ip, mac, context.in.mac);
  send_back(slot, context.port);
}

}  // namespace

bool is_neighbor_discovery(const rte_mbuf& frame) noexcept {
  if (frame.data_len <= kIcmpOffset) return false;
  const std::uint8_t type = rte_pktmbuf_mtod(&frame, const std::uint8_t*)[kIcmpOffset];
  return type >= kRouterSolicitation && type <= kRedirect;
}

void discover_neighbor(const Slot& slot, rte_ipv6_hdr& ip, const Context& context) noexcept {
  const auto options = validated(slot, ip);
  if (!options) return slot.drop(DropReason::nd_malformed);
  const std::uint8_t type = slot.octets()[kIcmpOffset];
  if (type == kNeighborSolicitation) return solicitation(slot, ip, context, *options);
  slot.punt(PuntClass::neighbor);
}

}  // namespace rackway::node
