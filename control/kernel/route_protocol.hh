// SPDX-License-Identifier: Apache-2.0
// Names of the kernel's route protocols (RTPROT_*), for people.
#pragma once

#include <cstdint>
#include <string>

#include "control/rib/route_origin.hh"

namespace rackway::control {

// "kernel", "boot", "static", "bgp", "rackway" for our own static routes, or the number.
[[nodiscard]] std::string protocol_name(std::uint8_t protocol);

// A protocol that FRR's zebra gives to routes of its daemons, when it puts them into the kernel and
// when it tells them to a forwarding plane.
[[nodiscard]] bool is_of_zebra(std::uint8_t protocol);

// How far such a route is trusted.
[[nodiscard]] RouteOrigin origin_of_protocol(std::uint8_t protocol);

}  // namespace rackway::control
