// SPDX-License-Identifier: Apache-2.0
// The packets of the forwarding bench: 64 octets of Ethernet, IP and UDP to the router's MAC
// address, or with a fabric tag; all from one source, each to a destination of its own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/ip_address.hh"
#include "tests/bench/forward/packet_list.hh"
#include "tests/bench/forward/table_file.hh"

namespace rackway::bench {

inline constexpr std::uint32_t kPackets = 1 << 20;

// To a random route and a random address in it; never to one that no router forwards.
[[nodiscard]] PacketList packets_to(std::span<const FileRoute> routes);
// The same, and every tenth, at random, to the router itself. IPv4.
[[nodiscard]] PacketList packets_also_to_router(std::span<const FileRoute> routes);

// For node 0 of five to pass on to one of the others, or to send to one of its neighbours.
[[nodiscard]] PacketList packets_to_relay();
[[nodiscard]] PacketList packets_to_egress();

// The first packets of a list of IPv4 as a capture file; and the list that says that ports have
// them already.
void write_pcap(const PacketList& list, std::uint32_t packets, const std::string& path);
[[nodiscard]] PacketList packets_of_pcap();

}  // namespace rackway::bench
