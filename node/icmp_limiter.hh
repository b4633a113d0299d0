// SPDX-License-Identifier: Apache-2.0
// How many ICMP errors a node sends: a token bucket for each external port that packets came in by
// and each family (RFC 1812 4.3.2.8, RFC 4443 2.4 (f)). The families are apart so that a scan over
// IPv4 does not take IPv6, whose routers do not fragment, its path MTU discovery.
// A bucket is one number, the instant at which it is full again (the generic cell rate algorithm of
// ITU-T I.371), so that nothing is lost to rounding however often it is asked.
// Belongs to one forwarding core; the time is the caller's, in ticks of any clock that never goes
// back.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/id.hh"
#include "base/ip_address.hh"

namespace rackway::node {

// Both at least 1. The default is enough for the traceroutes and the path MTU discovery of many
// hosts at once, and at most 10 Mbit/s of IPv6 answers.
struct IcmpRate {
  std::uint64_t per_second = 1'000;
  std::uint64_t burst = 100;
};

class IcmpLimiter {
 public:
  IcmpLimiter(std::size_t ports, std::uint64_t ticks_per_second, IcmpRate rate = {})
      : interval_(ticks_per_second / rate.per_second),
        tolerance_(interval_ * (rate.burst - 1)),
        full_at_(ports) {}

  // Takes a token if there is one.
  [[nodiscard]] bool take(PortId port, Family family, std::uint64_t now) noexcept {
    std::uint64_t& full_at = full_at_[port.value][family == Family::ipv4 ? 0 : 1];
    const std::uint64_t from = std::max(full_at, now);
    if (from - now > tolerance_) return false;
    full_at = from + interval_;
    return true;
  }

 private:
  std::uint64_t interval_;   // ticks in which a token comes
  std::uint64_t tolerance_;  // how far ahead of the clock a bucket may be for one more
  std::vector<std::array<std::uint64_t, 2>> full_at_;
};

}  // namespace rackway::node
