// SPDX-License-Identifier: Apache-2.0
// Names of the kernel's route protocols (RTPROT_*), for people.
#pragma once

#include <cstdint>
#include <string>

namespace rackway::control {

// "kernel", "boot", "static", "bgp", "rackway" for our own static routes, or the number.
[[nodiscard]] std::string protocol_name(std::uint8_t protocol);

}  // namespace rackway::control
