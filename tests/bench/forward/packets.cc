// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/forward/packets.hh"

#include <rte_mbuf_ptype.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <random>
#include <stdexcept>

#include "base/byte_order.hh"
#include "tests/bench/forward/bench_node.hh"
#include "vlb/fabric_tag.hh"

namespace rackway::bench {
namespace {

constexpr std::uint64_t kSeed = 64;
constexpr std::size_t kIp = 14;
constexpr std::uint16_t kIpOctets = kPacketOctets - kIp;
constexpr std::uint8_t kTtl = 64, kUdp = 17;

using Packet = std::array<std::uint8_t, kPacketOctets>;

Packet ethernet(std::uint16_t type) {
  Packet packet{};
  std::copy(kRouterMac.bytes.begin(), kRouterMac.bytes.end(), packet.begin());
  packet[6] = 0x02;
  packet[11] = 0x99;
  store_be<std::uint16_t>(&packet[12], type);
  return packet;
}

void put_udp(std::uint8_t* at, std::uint16_t size) {
  store_be<std::uint16_t>(at, 1234);
  store_be<std::uint16_t>(at + 2, 5678);
  store_be<std::uint16_t>(at + 4, size);
}

Packet ipv4_packet() {
  Packet packet = ethernet(0x0800);
  std::uint8_t* ip = &packet[kIp];
  ip[0] = 0x45;
  store_be<std::uint16_t>(ip + 2, kIpOctets);
  ip[8] = kTtl;
  ip[9] = kUdp;
  store_be<std::uint32_t>(ip + 12, 198u << 24 | 51u << 16 | 100u << 8 | 1);
  put_udp(ip + 20, kIpOctets - 20);
  return packet;
}

Packet ipv6_packet() {
  Packet packet = ethernet(0x86dd);
  std::uint8_t* ip = &packet[kIp];
  ip[0] = 0x60;
  store_be<std::uint16_t>(ip + 4, kIpOctets - 40);
  ip[6] = kUdp;
  ip[7] = kTtl;
  store_be<std::uint32_t>(ip + 8, 0x20010db8);
  ip[23] = 1;
  put_udp(ip + 40, kIpOctets - 40);
  return packet;
}

// Of a header whose own checksum is 0 (RFC 1071).
std::uint16_t checksum(const std::uint8_t* header) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < 20; i += 2) sum += load_be<std::uint16_t>(header + i);
  while (sum > 0xffff) sum = (sum >> 16) + (sum & 0xffff);
  return static_cast<std::uint16_t>(~sum);
}

void add_ipv4(PacketList& list, Ipv4Address destination) {
  Packet packet = list.packet;
  store_be<std::uint32_t>(&packet[kIp + 16], destination.value);
  std::array<std::uint8_t, 6> patch;
  store_be<std::uint16_t>(patch.data(), checksum(&packet[kIp]));
  store_be<std::uint32_t>(patch.data() + 2, destination.value);
  list.patches.insert(list.patches.end(), patch.begin(), patch.end());
}

bool is_forwarded(Ipv4Address address) {
  const auto first = address.value >> 24;
  const bool link_local = address.value >> 16 == 0xa9fe;  // 169.254.0.0/16
  return first != 0 && first != 127 && first < 224 && !link_local;
}

class Destinations {
 public:
  explicit Destinations(std::span<const FileRoute> routes) : routes_(routes) {}

  Ipv4Address next_v4() {
    for (;;) {
      const auto& prefix = routes_[random_() % routes_.size()].prefix;
      const auto host = static_cast<std::uint32_t>(static_cast<std::uint32_t>(random_()) &
                                                   (0xffffffffull >> prefix.length));
      const Ipv4Address address{prefix.address.v4().value | host};
      if (is_forwarded(address)) return address;
    }
  }
  Ipv6Address next_v6() {
    const auto& prefix = routes_[random_() % routes_.size()].prefix;
    Ipv6Address address = prefix.address.v6();
    for (unsigned bit = prefix.length; bit < 128; ++bit) {
      if (random_() % 2 != 0) address.bytes[bit / 8] |= static_cast<std::uint8_t>(0x80 >> bit % 8);
    }
    return address;
  }
  bool one_in_ten() { return random_() % 10 == 0; }

 private:
  std::span<const FileRoute> routes_;
  std::mt19937_64 random_{kSeed};
};

PacketList tagged(bool to_others, std::uint32_t adjacencies) {
  PacketList list{
      Patch::fabric_tag, RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4, ipv4_packet(), kPackets, {}};
  store_be<std::uint16_t>(&list.packet[kIp + 10], checksum(&list.packet[kIp]));
  std::mt19937_64 random(kSeed);
  for (std::uint32_t i = 0; i < kPackets; ++i) {
    const auto other = static_cast<std::uint16_t>(1 + random() % kPorts);
    vlb::FabricTag tag{
        .target = NodeId{0},
        .egress = NodeId{to_others ? other : std::uint16_t{0}},
        .hop_budget = 2,
        .ingress = NodeId{static_cast<std::uint16_t>(other % kPorts + 1)},
        .adjacency = AdjacencyId{static_cast<std::uint32_t>(random() % adjacencies)}};
    std::array<std::uint8_t, 12> octets;
    vlb::write_tag(octets.data(), tag);
    list.patches.insert(list.patches.end(), octets.begin(), octets.end());
  }
  return list;
}

}  // namespace

PacketList packets_to(std::span<const FileRoute> routes) {
  const bool v4 = routes.front().prefix.address.is_v4();
  const std::uint32_t l3 = v4 ? RTE_PTYPE_L3_IPV4 : RTE_PTYPE_L3_IPV6;
  PacketList list{v4 ? Patch::ipv4 : Patch::ipv6,
                  RTE_PTYPE_L2_ETHER | l3,
                  v4 ? ipv4_packet() : ipv6_packet(),
                  kPackets,
                  {}};
  Destinations destinations(routes);
  for (std::uint32_t i = 0; i < kPackets; ++i) {
    if (v4) {
      add_ipv4(list, destinations.next_v4());
    } else {
      const auto address = destinations.next_v6();
      list.patches.insert(list.patches.end(), address.bytes.begin(), address.bytes.end());
    }
  }
  return list;
}

PacketList packets_also_to_router(std::span<const FileRoute> routes) {
  PacketList list{Patch::ipv4, RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4, ipv4_packet(), kPackets, {}};
  Destinations destinations(routes);
  for (std::uint32_t i = 0; i < kPackets; ++i) {
    const auto address = destinations.next_v4();
    add_ipv4(list, destinations.one_in_ten() ? kRouterAddress : address);
  }
  return list;
}

PacketList packets_to_relay() {
  return tagged(true, kNextHops);
}
PacketList packets_to_egress() {
  return tagged(false, kNextHops);
}

void write_pcap(const PacketList& list, std::uint32_t packets, const std::string& path) {
  constexpr std::array<std::uint32_t, 6> kFileHeader{0xa1b2c3d4, 4u << 16 | 2, 0, 0, 65535, 1};
  constexpr std::array<std::uint32_t, 4> kHeader{0, 0, kPacketOctets, kPacketOctets};
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(kFileHeader.data()), sizeof kFileHeader);
  for (std::uint32_t i = 0; i < packets; ++i) {
    Packet packet = list.packet;
    std::memcpy(&packet[kIp + 10], &list.patches[i * 6], 2);
    std::memcpy(&packet[kIp + 16], &list.patches[i * 6 + 2], 4);
    file.write(reinterpret_cast<const char*>(kHeader.data()), sizeof kHeader);
    file.write(reinterpret_cast<const char*>(packet.data()), kPacketOctets);
  }
  if (!file.flush()) throw std::runtime_error("can not write " + path);
}

PacketList packets_of_pcap() {
  return {Patch::none, RTE_PTYPE_L2_ETHER | RTE_PTYPE_L3_IPV4, {}, kPackets, {}};
}

}  // namespace rackway::bench
