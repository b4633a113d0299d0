// SPDX-License-Identifier: Apache-2.0
// What the lookup structures are to reach, per family.
#pragma once

#include <array>
#include <optional>

#include "base/ip_address.hh"
#include "tests/bench/fib/address_patterns.hh"

namespace rackway::bench {

struct FibTargets {
  std::array<double, kPatterns.size()> bursts;                  // times the best peer
  std::array<std::optional<double>, kPatterns.size()> singles;  // times rte_lpm_lookup()
  double lookup_megabytes;  // with up to 64 next hops; under twice that with 10,000
  double build_seconds;
  double updates;  // a second
};

inline constexpr double kSlowestUpdateMilliseconds = 1;
inline constexpr double kReaderUnderFlood = 0.9;  // of its rate at rest

inline constexpr FibTargets kIpv4Targets{
    {3.0, 1.25, 1.0, 3.0}, {3.0, 1.6, std::nullopt, std::nullopt}, 8, 0.5, 1e6};
inline constexpr FibTargets kIpv6Targets{{1.5, 3.2, 2.8, 1.0}, {}, 4, 0.3, 3e5};

[[nodiscard]] inline constexpr const FibTargets& targets(Family family) {
  return family == Family::ipv4 ? kIpv4Targets : kIpv6Targets;
}

}  // namespace rackway::bench
