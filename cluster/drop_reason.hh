// SPDX-License-Identifier: Apache-2.0
// Why a node dropped a frame, and the classes of what it punts. Every received frame ends as sent,
// punted or dropped for one of these. The numbers are on the wire (status messages): append only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rackway::cluster {

enum class DropReason : std::uint8_t {
  // external port, Ethernet
  frame_too_short,
  fabric_frame_on_external_port,
  foreign_mac,       // neither ours nor a group address
  vlan_unsupported,  // more than one tag, or a service tag
  ethertype_unsupported,
  l2_group_ip_unicast,  // RFC 1812 5.3.4
  // ARP and neighbour discovery
  arp_malformed,
  arp_not_for_us,
  nd_malformed,  // RFC 4861 7.1
  nd_not_for_us,
  // IPv4 and IPv6 headers
  ipv4_malformed,  // RFC 1812 5.2.2
  ipv4_checksum,
  ipv6_malformed,  // RFC 8200
  martian_source,
  martian_destination,
  multicast_unrouted,
  link_local_forward,  // RFC 4291 2.5.6
  // routes
  no_route,
  blackhole,
  prohibited,
  directed_broadcast,  // RFC 2644
  // punt
  punt_policed,
  punt_queue_full,
  // fabric
  fabric_malformed,  // bad kind, fixed or spare bits, not IP
  fabric_wrong_target,
  fabric_hops_spent,
  fabric_no_path,
  adjacency_unknown,
  mtu_exceeded,  // at the egress, after the ingress let it pass
  // transmit
  tx_queue_full,
  tx_port_down,
  inject_malformed,
  // external port, VLANs and sources; here because numbers stay
  vlan_unknown,   // of the router's addresses, none is in that VLAN of the port
  vlan_reserved,  // 4095
  no_headroom,    // no room for a tag in front of the frame
  urpf,           // RFC 3704
  // packets that the node answers itself, or takes on in other frames
  ttl_spent,
  too_big,             // for its next hop, and it may not be cut
  fragmented,          // went on, as fragments
  too_many_fragments,  // more than one burst may give
  no_buffers,          // for its fragments
  egress_down,         // every next hop is behind a node that is not there, or not ready
};
inline constexpr std::size_t kDropReasons = static_cast<std::size_t>(DropReason::egress_down) + 1;

[[nodiscard]] std::string_view to_string(DropReason reason);

enum class PuntClass : std::uint8_t {
  routing,    // BGP, OSPF, BFD and the like
  neighbor,   // ARP and neighbour discovery
  icmp,       // echo and other ICMP to the router itself
  exception,  // options, neighbour not resolved: left to the kernel
  other,      // anything else to the router itself
};
inline constexpr std::size_t kPuntClasses = static_cast<std::size_t>(PuntClass::other) + 1;

[[nodiscard]] std::string_view to_string(PuntClass punt_class);

}  // namespace rackway::cluster
