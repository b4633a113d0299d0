// SPDX-License-Identifier: Apache-2.0
// Where routes come from. A source tells of at most one route for a prefix; an origin says what
// kind of route that is, which decides how far it is trusted. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "topo/cluster_document.hh"

namespace rackway::control {

enum class RouteSource : std::uint8_t {
  kernel,    // the kernel's best route, whoever put it there
  document,  // of the cluster document
  added,     // `rackway route add`
  imported,  // `rackway route import`
  fpm,       // what zebra tells as to a forwarding plane (control/fpm)
};
inline constexpr std::size_t kRouteSources = 5;

// Of equal distances the earlier one here wins.
enum class RouteOrigin : std::uint8_t {
  connected,  // the kernel's own: subnets and addresses of interfaces
  kernel,     // put into the kernel by hand: protocols boot and static
  document,
  added,
  installed,  // what the controller itself put into the kernel for the document
  bgp,
  ospf,
  isis,
  rip,
  other,  // any other protocol of a kernel route
  imported,
};

[[nodiscard]] std::string_view to_string(RouteSource source);
[[nodiscard]] std::string_view to_string(RouteOrigin origin);

// The administrative distance: less is better.
[[nodiscard]] std::uint8_t distance_of(RouteOrigin origin, const topo::RouteDistances& distances);

}  // namespace rackway::control
