// SPDX-License-Identifier: Apache-2.0
// How many ICMP errors a node sends: a token bucket for each external port that packets came in by
// and each family (RFC 1812 4.3.2.8, RFC 4443 2.4 (f)). The families are apart so that a scan over
// IPv4 does not take IPv6, whose routers do not fragment, its path MTU discovery.
// Belongs to one forwarding core, which has its part of the node's rate.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/id.hh"
#include "base/ip_address.hh"
#include "node/token_bucket.hh"

namespace rackway::node {

// Enough for the traceroutes and the path MTU discovery of many hosts at once, and at most
// 10 Mbit/s of IPv6 answers.
inline constexpr TokenRate kIcmpRate{.per_second = 1'000, .burst = 100};

class IcmpLimiter {
 public:
  IcmpLimiter(std::size_t ports, Pace pace, TokenRate rate = kIcmpRate)
      : tokens_(rate, pace), buckets_(ports) {}

  // Takes a token if there is one.
  [[nodiscard]] bool take(PortId port, Family family, std::uint64_t now) noexcept {
    return buckets_[port.value][family == Family::ipv4 ? 0 : 1].take(tokens_, now);
  }

 private:
  Tokens tokens_;
  std::vector<std::array<TokenBucket, 2>> buckets_;
};

}  // namespace rackway::node
