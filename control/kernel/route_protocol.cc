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

}  // namespace rackway::control
