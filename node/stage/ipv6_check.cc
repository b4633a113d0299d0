// SPDX-License-Identifier: Apache-2.0
#include "node/stage/ipv6_check.hh"

#include <rte_ether.h>
#include <rte_ip.h>

#include <algorithm>
#include <cstring>

#include "base/byte_order.hh"
#include "node/ipv6_chain.hh"
#include "node/stage/flow_hash.hh"
#include "node/stage/local_class.hh"
#include "node/stage/neighbor_discovery.hh"
#include "node/stage/own_address.hh"

namespace rackway::node {
namespace {

constexpr std::uint8_t kHopByHop = 0;
constexpr std::uint8_t kIcmpv6 = 58;

bool all_zero_up_to(const std::uint8_t* address, std::size_t octets) noexcept {
  return std::all_of(address, address + octets, [](std::uint8_t o) { return o == 0; });
}
bool is_unspecified(const std::uint8_t* a) noexcept {
  return all_zero_up_to(a, 16);
}
bool is_loopback(const std::uint8_t* a) noexcept {
  return all_zero_up_to(a, 15) && a[15] == 1;
}
bool is_link_local(const std::uint8_t* a) noexcept {
  return a[0] == 0xfe && (a[1] & 0xc0) == 0x80;
}
bool is_multicast(const std::uint8_t* a) noexcept {
  return a[0] == 0xff;
}

bool well_formed(const rte_ipv6_hdr& ip, const rte_mbuf& frame) noexcept {
  const std::size_t payload = load_be<std::uint16_t>(&ip.payload_len);
  return (load_be<std::uint32_t>(&ip.vtc_flow) >> 28) == 6 &&
         payload <= frame.pkt_len - RTE_ETHER_HDR_LEN - sizeof(rte_ipv6_hdr);
}

const std::uint8_t* octets_of(const rte_ipv6_hdr& ip) noexcept {
  return reinterpret_cast<const std::uint8_t*>(&ip);
}

// Octets of the packet in the frame's first segment.
std::size_t readable_bytes(const Slot& slot, const rte_ipv6_hdr& ip) noexcept {
  return std::min<std::size_t>(sizeof ip + load_be<std::uint16_t>(&ip.payload_len),
                               slot.frame().data_len - RTE_ETHER_HDR_LEN);
}

// Protocol and ports of the upper layer, wherever it begins.
void set_flow(const Slot& slot, const rte_ipv6_hdr& ip, const Ipv6Chain& chain) noexcept {
  Burst& burst = slot.burst();
  const std::size_t i = slot.index();
  std::memcpy(burst.ipv6_destination[i].bytes.data(), ip.dst_addr, 16);
  const std::uint8_t protocol = chain.flow_protocol();
  std::uint32_t ports = 0;
  if (chain.end == ChainEnd::upper_layer && has_ports(protocol) &&
      chain.offset + 4 <= readable_bytes(slot, ip)) {
    std::memcpy(&ports, octets_of(ip) + chain.offset, 4);
  }
  burst.flow_hash[i] = hash_flow(fold_ipv6(ip.src_addr), fold_ipv6(ip.dst_addr), ports, protocol);
}

void to_router(const Slot& slot, const rte_ipv6_hdr& ip) noexcept {
  slot.punt(local_class_ipv6(octets_of(ip), readable_bytes(slot, ip)));
}

// Scope link-local is for the router: routing protocols, MLD. RFC 4291 2.7 has the reserved scope 0
// dropped, and interface-local can not have come over a link.
void multicast(const Slot& slot, const rte_ipv6_hdr& ip) noexcept {
  constexpr int kLinkLocalScope = 2;
  if ((ip.dst_addr[1] & 0x0f) != kLinkLocalScope) return slot.drop(DropReason::multicast_unrouted);
  to_router(slot, ip);
}

void link_local(const Slot& slot, const rte_ipv6_hdr& ip, const Context& context) noexcept {
  const auto destination = IpAddress::from_bytes(ip.dst_addr, 16);
  if (!is_own_address(context, slot.burst().vlan(slot.index()), *destination))
    return slot.drop(DropReason::link_local_forward);
  to_router(slot, ip);
}

void check(const Slot& slot, const Context& context) noexcept {
  if (slot.frame().data_len < RTE_ETHER_HDR_LEN + sizeof(rte_ipv6_hdr)) {
    return slot.drop(DropReason::ipv6_malformed);
  }
  auto* ip = rte_pktmbuf_mtod_offset(&slot.frame(), rte_ipv6_hdr*, RTE_ETHER_HDR_LEN);
  if (!well_formed(*ip, slot.frame())) return slot.drop(DropReason::ipv6_malformed);
  if (is_multicast(ip->src_addr) || is_loopback(ip->src_addr)) {
    return slot.drop(DropReason::martian_source);
  }
  if (is_unspecified(ip->dst_addr) || is_loopback(ip->dst_addr)) {
    return slot.drop(DropReason::martian_destination);
  }
  if (ip->proto == kIcmpv6 && is_neighbor_discovery(slot.frame())) {
    return discover_neighbor(slot, *ip, context);
  }
  const Ipv6Chain chain = ipv6_chain(octets_of(*ip), readable_bytes(slot, *ip));
  if (chain.end == ChainEnd::malformed) return slot.drop(DropReason::ipv6_malformed);
  if (is_multicast(ip->dst_addr)) return multicast(slot, *ip);
  if (is_unspecified(ip->src_addr)) return slot.drop(DropReason::martian_source);
  if (slot.is(slot.burst().l2_group)) return slot.drop(DropReason::l2_group_ip_unicast);
  if (is_link_local(ip->dst_addr)) return link_local(slot, *ip, context);
  if (ip->proto == kHopByHop) return slot.punt(PuntClass::exception);
  set_flow(slot, *ip, chain);
}

}  // namespace

void Ipv6Check::run(Burst& burst, const Context& context) const noexcept {
  for_each(burst.undecided & burst.ipv6 & ~burst.plain,
           [&](std::size_t i) { check(Slot(burst, i), context); });
}

}  // namespace rackway::node
