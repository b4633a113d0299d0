// SPDX-License-Identifier: Apache-2.0
// The management network that generated files take for granted: 10.255.0.0/16, the controller at
// 10.255.0.254, nodes from 10.255.0.1 on, 250 to each /24.
#pragma once

#include <cstddef>
#include <string>

namespace rackway::plan {

inline constexpr const char* kControllerAddress = "10.255.0.254";
inline constexpr const char* kControlEndpoint = "tcp://10.255.0.254:7600";
inline constexpr const char* kPacketsEndpoint = "tcp://10.255.0.254:7601";

[[nodiscard]] inline std::string management_address(std::size_t node) {
  return "10.255." + std::to_string(node / 250) + "." + std::to_string(node % 250 + 1);
}

}  // namespace rackway::plan
