// SPDX-License-Identifier: Apache-2.0
// A table of routes as l3fwd's rule files write it, "RPREFIX/LENGTH PORT", with our next hop behind
// the port, where l3fwd does not look: one file for both programs.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/ip_address.hh"
#include "fib/table_route.hh"

namespace rackway::bench {

inline constexpr std::uint32_t kPorts = 4;

// Next hops count from 0 here.
struct FileRoute {
  IpPrefix prefix;
  std::uint32_t next_hop;
};

// The port that a next hop is behind.
[[nodiscard]] constexpr std::uint32_t port_of(std::uint32_t next_hop) {
  return next_hop % kPorts;
}

// Both throw std::runtime_error.
void write_table(std::span<const FileRoute> routes, const std::string& path);
[[nodiscard]] std::vector<FileRoute> read_table_file(const std::string& path);

}  // namespace rackway::bench
