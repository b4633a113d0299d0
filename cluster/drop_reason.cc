// SPDX-License-Identifier: Apache-2.0
#include "cluster/drop_reason.hh"

#include <array>

namespace rackway::cluster {
namespace {

constexpr std::array<std::string_view, kDropReasons> kDropNames{
    "frame_too_short",
    "fabric_frame_on_external_port",
    "foreign_mac",
    "vlan_unsupported",
    "ethertype_unsupported",
    "l2_group_ip_unicast",
    "arp_malformed",
    "arp_not_for_us",
    "nd_malformed",
    "nd_not_for_us",
    "ipv4_malformed",
    "ipv4_checksum",
    "ipv6_malformed",
    "martian_source",
    "martian_destination",
    "multicast_unrouted",
    "link_local_forward",
    "no_route",
    "blackhole",
    "prohibited",
    "directed_broadcast",
    "punt_policed",
    "punt_queue_full",
    "fabric_malformed",
    "fabric_wrong_target",
    "fabric_hops_spent",
    "fabric_no_path",
    "adjacency_unknown",
    "mtu_exceeded",
    "tx_queue_full",
    "tx_port_down",
    "inject_malformed",
    "vlan_unknown",
    "vlan_reserved",
    "no_headroom",
    "urpf",
    "ttl_spent",
    "too_big",
    "fragmented",
    "too_many_fragments",
    "no_buffers",
    "egress_down",
};
static_assert(!kDropNames.back().empty());

constexpr std::array<std::string_view, kPuntClasses> kPuntNames{"routing", "neighbor", "icmp",
                                                                "exception", "other"};

}  // namespace

std::string_view to_string(DropReason reason) {
  return kDropNames[static_cast<std::size_t>(reason)];
}

std::string_view to_string(PuntClass punt_class) {
  return kPuntNames[static_cast<std::size_t>(punt_class)];
}

}  // namespace rackway::cluster
