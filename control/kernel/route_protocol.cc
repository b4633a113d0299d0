// SPDX-License-Identifier: Apache-2.0
#include "control/kernel/route_protocol.hh"

#include <linux/rtnetlink.h>

#include "control/kernel/static_routes.hh"

namespace rackway::control {

std::string protocol_name(std::uint8_t protocol) {
  switch (protocol) {
    case RTPROT_KERNEL: return "kernel";
    case RTPROT_BOOT: return "boot";
    case RTPROT_STATIC: return "static";
    case RTPROT_BGP: return "bgp";
    case kStaticRouteProtocol: return "rackway";
    default: return std::to_string(protocol);
  }
}

// zebra/rt_netlink.h of FRR 8.4; those without a name in rtnetlink.h are FRR's own.
bool is_of_zebra(std::uint8_t protocol) {
  constexpr std::uint8_t kNhrp = 191, kEigrp = RTPROT_EIGRP, kLdp = 193, kSharp = 194, kPbr = 195,
                         kStatic = 196, kOpenFabric = 197, kSegmentRouting = 198;
  switch (protocol) {
    case RTPROT_ZEBRA:
    case RTPROT_BABEL:
    case RTPROT_BGP:
    case RTPROT_ISIS:
    case RTPROT_OSPF:
    case RTPROT_RIP:
    case kNhrp:
    case kEigrp:
    case kLdp:
    case kSharp:
    case kPbr:
    case kStatic:
    case kOpenFabric:
    case kSegmentRouting: return true;
    default: return false;
  }
}

RouteOrigin origin_of_protocol(std::uint8_t protocol) {
  switch (protocol) {
    case RTPROT_KERNEL: return RouteOrigin::connected;
    case RTPROT_BOOT:
    case RTPROT_STATIC: return RouteOrigin::kernel;
    case RTPROT_BGP: return RouteOrigin::bgp;
    case RTPROT_OSPF: return RouteOrigin::ospf;
    case RTPROT_ISIS: return RouteOrigin::isis;
    case RTPROT_RIP: return RouteOrigin::rip;
    case kStaticRouteProtocol: return RouteOrigin::installed;
    default: return RouteOrigin::other;
  }
}

}  // namespace rackway::control
