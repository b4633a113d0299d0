// SPDX-License-Identifier: Apache-2.0
// How many packets to neighbours who are not resolved the kernel gets to see: for each destination
// a burst, so that a neighbour who is forgotten for a moment loses nothing, and then a few a
// second; and only so many new destinations a second. The kernel keeps an entry for each, for up to
// 18 s if nobody answers, and from 512 on (gc_thresh2) it drops live neighbours as well. The
// destinations seen last lie in a table of fixed size by their hash. Belongs to one forwarding
// core, which has its part of the node's rates.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "node/token_bucket.hh"

namespace rackway::node {

class UnresolvedLimiter {
 public:
  static constexpr TokenRate kOfDestination{.per_second = 3, .burst = 256};
  static constexpr TokenRate kNewDestinations{.per_second = 20, .burst = 40};

  explicit UnresolvedLimiter(Pace pace)
      : of_destination_(kOfDestination, pace), new_destinations_(kNewDestinations, pace) {}

  // True if one more packet to this destination may pass.
  [[nodiscard]] bool take(std::uint32_t destination_hash, std::uint64_t now) noexcept {
    Destination& last = table_[slot_of(destination_hash)];
    if (last.hash == destination_hash && !last.bucket.full(now)) {
      return last.bucket.take(of_destination_, now);
    }
    if (!new_ones_.take(new_destinations_, now)) return false;
    last = {destination_hash, {of_destination_, now}};
    return true;
  }

 private:
  struct Destination {
    std::uint32_t hash{};
    TokenBucket bucket;
  };
  static constexpr unsigned kSlotBits = 10;

  static std::size_t slot_of(std::uint32_t hash) noexcept {
    constexpr std::uint32_t kFactor = 0x9e3779b1;  // odd, and otherwise of no meaning
    return hash * kFactor >> (32 - kSlotBits);
  }

  Tokens of_destination_, new_destinations_;
  TokenBucket new_ones_;
  std::array<Destination, std::size_t{1} << kSlotBits> table_{};
};

}  // namespace rackway::node
