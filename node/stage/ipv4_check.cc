// SPDX-License-Identifier: Apache-2.0
#include "node/stage/ipv4_check.hh"

#include <rte_ether.h>
#include <rte_ip.h>

#include <cstring>

#include "base/byte_order.hh"
#include "node/stage/flow_hash.hh"

namespace rackway::node {
namespace {

constexpr std::uint32_t kAllOnes = 0xffffffff;

bool in_net(std::uint32_t address, std::uint32_t net, int length) noexcept {
  return (address ^ net) >> (32 - length) == 0;
}

// RFC 1812 5.3.7, RFC 1122 3.2.1.3: this network, loopback, multicast or broadcast as a source.
bool martian_source(std::uint32_t a) noexcept {
  return in_net(a, 0x00000000, 8) || in_net(a, 0x7f000000, 8) || in_net(a, 0xe0000000, 4) ||
         a == kAllOnes;
}

bool martian_destination(std::uint32_t a) noexcept {
  return in_net(a, 0x00000000, 8) || in_net(a, 0x7f000000, 8);
}

// RFC 1812 5.2.2. The frame may be longer than the packet (Ethernet pads to 60 octets), not
// shorter.
bool well_formed(const rte_ipv4_hdr& ip, const rte_mbuf& frame) noexcept {
  const std::size_t header = static_cast<std::size_t>(ip.version_ihl & 0x0f) * 4;
  const std::size_t total = load_be<std::uint16_t>(&ip.total_length);
  const std::size_t readable = std::size_t{frame.data_len} - RTE_ETHER_HDR_LEN;
  return ip.version_ihl >> 4 == 4 && header >= sizeof(rte_ipv4_hdr) && header <= total &&
         total <= frame.pkt_len - RTE_ETHER_HDR_LEN && header <= readable;
}

void set_flow(const Slot& slot, const rte_ipv4_hdr& ip) noexcept {
  Burst& burst = slot.burst();
  const std::size_t i = slot.index();
  burst.ipv4_destination[i].value = load_be<std::uint32_t>(&ip.dst_addr);
  const std::size_t header = static_cast<std::size_t>(ip.version_ihl & 0x0f) * 4;
  const bool fragment = (ip.fragment_offset & RTE_BE16(0x3fff)) != 0;
  const bool readable = RTE_ETHER_HDR_LEN + header + 4 <= slot.frame().data_len &&
                        load_be<std::uint16_t>(&ip.total_length) >= header + 4;
  std::uint32_t ports = 0;
  if (!fragment && readable && has_ports(ip.next_proto_id)) {
    std::memcpy(&ports, reinterpret_cast<const std::uint8_t*>(&ip) + header, 4);
  }
  std::uint32_t source, destination;
  std::memcpy(&source, &ip.src_addr, sizeof source);
  std::memcpy(&destination, &ip.dst_addr, sizeof destination);
  burst.flow_hash[i] = hash_flow(source, destination, ports, ip.next_proto_id);
}

void multicast(const Slot& slot, std::uint32_t destination) noexcept {
  constexpr std::uint32_t kLocalControl = 0xe0000000;  // 224.0.0.0/24, RFC 5771: never forwarded
  if (in_net(destination, kLocalControl, 24)) return slot.punt(PuntClass::routing);
  slot.drop(DropReason::multicast_unrouted);
}

void check(const Slot& slot) noexcept {
  if (slot.frame().data_len < RTE_ETHER_HDR_LEN + sizeof(rte_ipv4_hdr)) {
    return slot.drop(DropReason::ipv4_malformed);
  }
  const auto* ip = rte_pktmbuf_mtod_offset(&slot.frame(), const rte_ipv4_hdr*, RTE_ETHER_HDR_LEN);
  if (!well_formed(*ip, slot.frame())) return slot.drop(DropReason::ipv4_malformed);
  const std::size_t header = static_cast<std::size_t>(ip->version_ihl & 0x0f) * 4;
  if (rte_raw_cksum(ip, header) != 0xffff) return slot.drop(DropReason::ipv4_checksum);
  const auto source = load_be<std::uint32_t>(&ip->src_addr);
  const auto destination = load_be<std::uint32_t>(&ip->dst_addr);
  if (martian_source(source)) return slot.drop(DropReason::martian_source);
  if (martian_destination(destination)) return slot.drop(DropReason::martian_destination);
  if (destination == kAllOnes) return slot.punt(PuntClass::other);
  if (in_net(destination, 0xe0000000, 4)) return multicast(slot, destination);
  if (slot.is(slot.burst().l2_group)) return slot.drop(DropReason::l2_group_ip_unicast);
  if (header > sizeof(rte_ipv4_hdr)) return slot.punt(PuntClass::exception);  // options
  set_flow(slot, *ip);
}

}  // namespace

void Ipv4Check::run(Burst& burst, const Context&) const noexcept {
  for_each(burst.undecided & burst.ipv4 & ~burst.plain,
           [&](std::size_t i) { check(Slot(burst, i)); });
}

}  // namespace rackway::node
