// SPDX-License-Identifier: Apache-2.0
#include "control/rib/route_origin.hh"

namespace rackway::control {

std::string_view to_string(RouteSource source) {
  switch (source) {
    case RouteSource::kernel: return "kernel";
    case RouteSource::fpm: return "fpm";
    case RouteSource::document: return "document";
    case RouteSource::added: return "added";
    case RouteSource::imported: return "imported";
  }
  return "?";
}

std::string_view to_string(RouteOrigin origin) {
  switch (origin) {
    case RouteOrigin::connected: return "connected";
    case RouteOrigin::kernel: return "kernel";
    case RouteOrigin::document: return "document";
    case RouteOrigin::added: return "added";
    case RouteOrigin::installed: return "installed";
    case RouteOrigin::bgp: return "bgp";
    case RouteOrigin::ospf: return "ospf";
    case RouteOrigin::isis: return "isis";
    case RouteOrigin::rip: return "rip";
    case RouteOrigin::other: return "other";
    case RouteOrigin::imported: return "imported";
  }
  return "?";
}

std::uint8_t distance_of(RouteOrigin origin, const topo::RouteDistances& distances) {
  switch (origin) {
    case RouteOrigin::connected: return 0;
    case RouteOrigin::kernel: return distances.kernel;
    case RouteOrigin::document:
    case RouteOrigin::installed: return distances.document;
    case RouteOrigin::added: return distances.added;
    case RouteOrigin::bgp: return distances.bgp;
    case RouteOrigin::ospf: return distances.ospf;
    case RouteOrigin::isis: return distances.isis;
    case RouteOrigin::rip: return distances.rip;
    case RouteOrigin::other: return distances.other;
    case RouteOrigin::imported: return distances.imported;
  }
  return 255;
}

}  // namespace rackway::control
