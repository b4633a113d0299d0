// SPDX-License-Identifier: Apache-2.0
// The packets that a bench's source makes, as a file: 64 octets that all have, and for each packet
// the few that make it different. Written by forward_tables, read by every measured program, so
// that all of them see the same packets in the same order. In this machine's byte order; lives as
// long as one run of the bench.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rackway::bench {

inline constexpr std::size_t kPacketOctets = 64;
// More than any burst: records at the end that repeat those at the front, so that a burst which
// begins inside the list can run over its end.
inline constexpr std::uint32_t kOverhang = 512;

enum class Patch : std::uint32_t {
  none,        // packets are there already: only count them and say what they carry
  ipv4,        // 6 octets: header checksum, destination
  ipv6,        // 16 octets: destination
  fabric_tag,  // 12 octets: both MAC addresses
};

[[nodiscard]] constexpr std::size_t patch_octets(Patch patch) {
  switch (patch) {
    case Patch::none: return 0;
    case Patch::ipv4: return 6;
    case Patch::ipv6: return 16;
    case Patch::fabric_tag: return 12;
  }
  return 0;
}

struct PacketListHeader {
  std::array<char, 8> magic;
  Patch patch;
  std::uint32_t records;      // without the overhang
  std::uint32_t packet_type;  // as a NIC would say it: RTE_PTYPE_*
  std::uint32_t spare;
  std::array<std::uint8_t, kPacketOctets> packet;
};
static_assert(sizeof(PacketListHeader) == 24 + kPacketOctets);

inline constexpr std::array<char, 8> kPacketListMagic{'r', 'w', 'p', 'k', 't', 's', '0', '1'};

struct PacketList {
  Patch patch{};
  std::uint32_t packet_type{};
  std::array<std::uint8_t, kPacketOctets> packet{};
  std::uint32_t records{};
  std::vector<std::uint8_t> patches;  // records and overhang
};

// Adds the overhang. Throws std::runtime_error.
void write_packet_list(PacketList list, const std::string& path);
[[nodiscard]] PacketList read_packet_list(const std::string& path);

}  // namespace rackway::bench
