// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/cluster/frame.hh"

#include <rte_byteorder.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf_ptype.h>

#include <cstring>

#include "base/byte_order.hh"
#include "node/stage/flow_hash.hh"
#include "vlb/fabric_tag.hh"

namespace rackway::bench {
namespace {

constexpr std::size_t kIp = RTE_ETHER_HDR_LEN;
constexpr std::size_t kUdp = kIp + sizeof(rte_ipv4_hdr);
constexpr std::size_t kPayload = kUdp + 8;
constexpr std::uint8_t kUdpProtocol = 17;

struct Payload {
  std::uint64_t born;
  std::uint32_t flow, sequence;
};
static_assert(kPayload + sizeof(Payload) <= 60);

std::uint16_t checksum(const std::uint8_t* header) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < sizeof(rte_ipv4_hdr); i += 2) {
    sum += load_be<std::uint16_t>(header + i);
  }
  while (sum > 0xffff) sum = (sum >> 16) + (sum & 0xffff);
  return static_cast<std::uint16_t>(~sum);
}

std::uint32_t source_of(const traffic::Packet& packet) {
  return 10u << 24 | std::uint32_t{packet.ingress.value} << 8 | 2;
}
std::uint32_t destination_of(const traffic::Packet& packet) {
  return network_of(packet.egress).value | (packet.flow_hash & 0xffff);
}

void write_ip(const traffic::Packet& packet, std::uint8_t* ip, std::uint16_t octets) {
  std::memset(ip, 0, sizeof(rte_ipv4_hdr));
  ip[0] = 0x45;
  store_be<std::uint16_t>(ip + 2, octets);
  ip[8] = kTtl;
  ip[9] = kUdpProtocol;
  store_be<std::uint32_t>(ip + 12, source_of(packet));
  store_be<std::uint32_t>(ip + 16, destination_of(packet));
  store_be<std::uint16_t>(ip + 10, checksum(ip));
}

}  // namespace

std::uint32_t flow_hash_of(const traffic::Packet& packet) {
  const auto on_the_wire = [](std::uint32_t value) { return rte_cpu_to_be_32(value); };
  return node::hash_flow(on_the_wire(source_of(packet)), on_the_wire(destination_of(packet)),
                         on_the_wire(packet.flow), kUdpProtocol);
}

void write_frame(const traffic::Packet& packet, rte_mbuf& frame) {
  const auto size = static_cast<std::uint16_t>(packet.octets - kCheckSequence);
  auto* octets = reinterpret_cast<std::uint8_t*>(rte_pktmbuf_append(&frame, size));
  frame.packet_type = RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4;
  std::memcpy(octets, kRouterMac.bytes.data(), 6);
  std::memcpy(octets + 6, neighbor_of(packet.ingress).bytes.data(), 6);
  store_be<std::uint16_t>(octets + 12, RTE_ETHER_TYPE_IPV4);
  const auto ip_octets = static_cast<std::uint16_t>(size - kIp);
  write_ip(packet, octets + kIp, ip_octets);
  store_be<std::uint32_t>(octets + kUdp, packet.flow);  // both ports
  store_be<std::uint16_t>(octets + kUdp + 4,
                          static_cast<std::uint16_t>(ip_octets - sizeof(rte_ipv4_hdr)));
  store_be<std::uint16_t>(octets + kUdp + 6, 0);  // no checksum
  const Payload payload{static_cast<std::uint64_t>(packet.born), packet.flow, packet.sequence};
  std::memcpy(octets + kPayload, &payload, sizeof payload);
}

traffic::Packet read_frame(const rte_mbuf& frame) {
  const auto* octets = rte_pktmbuf_mtod(&frame, const std::uint8_t*);
  Payload payload;
  std::memcpy(&payload, octets + kPayload, sizeof payload);
  const auto destination = load_be<std::uint32_t>(octets + kIp + 16);
  const auto source = load_be<std::uint32_t>(octets + kIp + 12);
  return {static_cast<traffic::Picoseconds>(payload.born),
          payload.flow,
          payload.sequence,
          0,
          static_cast<std::uint16_t>(frame.pkt_len + kCheckSequence),
          NodeId{static_cast<std::uint16_t>(source >> 8)},
          NodeId{static_cast<std::uint16_t>(destination >> 16 & 0xff)}};
}

bool is_relayed(const rte_mbuf& frame, NodeId here) {
  return vlb::egress_of(rte_pktmbuf_mtod(&frame, const std::uint8_t*)) != here;
}

bool is_delivered_well(const rte_mbuf& frame, const traffic::Packet& packet, NodeId egress) {
  const auto* octets = rte_pktmbuf_mtod(&frame, const std::uint8_t*);
  return packet.egress == egress && octets[kIp + 8] == kTtl - 1 &&
         std::memcmp(octets, neighbor_of(egress).bytes.data(), 6) == 0;
}

}  // namespace rackway::bench
