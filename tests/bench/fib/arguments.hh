// SPDX-License-Identifier: Apache-2.0
// The command line of bench_fib.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <string>
#include <vector>

#include "base/ip_address.hh"
#include "base/result.hh"

namespace rackway::bench {

struct Arguments {
  std::string json;  // file; empty: none
  int core;
  unsigned rounds = 7;
  std::vector<std::uint32_t> next_hops{64, 250, 10'000};
  std::vector<Family> families{Family::ipv4, Family::ipv6};
  bool with_lpm = true;
};

// The exit code if the program is to end: help was asked for, or one line on `err` says what is
// wrong.
[[nodiscard]] tl::expected<Arguments, int> parse_arguments(int argc, char** argv, std::ostream& out,
                                                           std::ostream& err);

}  // namespace rackway::bench
