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
