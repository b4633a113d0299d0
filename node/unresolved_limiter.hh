// SPDX-License-Identifier: Apache-2.0
// How many packets to neighbours who are not resolved the kernel gets to see: for each destination
// a burst, so that a neighbour who is forgotten for a moment loses nothing, and then a few a
// second; and only so many new destinations a second. The kernel keeps an entry for each, for up to
// 18 s if nobody answers, and from 512 on (gc_thresh2) it drops live neighbours as well. The
// destinations seen last lie in a table of fixed size by their hash. A bucket is one number, the
// instant at which it is full again (the generic cell rate algorithm of ITU-T I.371). Belongs to
// one forwarding core; the time is the caller's, in ticks of any clock that never goes back.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace rackway::node {

class UnresolvedLimiter {
 public:
  static constexpr std::uint64_t kPerSecond = 3, kBurst = 256;        // of a destination
  static constexpr std::uint64_t kNewPerSecond = 20, kNewBurst = 40;  // destinations

  explicit UnresolvedLimiter(std::uint64_t ticks_per_second)
      : interval_(ticks_per_second / kPerSecond), new_interval_(ticks_per_second / kNewPerSecond) {}

  // True if one more packet to this destination may pass.
  [[nodiscard]] bool take(std::uint32_t destination_hash, std::uint64_t now) noexcept {
    Destination& last = table_[slot_of(destination_hash)];
    if (last.hash == destination_hash && last.full_at > now) {
      return take(last.full_at, now, interval_, kBurst);
    }
    if (!take(new_full_at_, now, new_interval_, kNewBurst)) return false;
    last = {destination_hash, now + interval_};
    return true;
  }

 private:
  struct Destination {
    std::uint32_t hash{};
    std::uint64_t full_at{};
  };
  static constexpr unsigned kSlotBits = 10;

  static bool take(std::uint64_t& full_at, std::uint64_t now, std::uint64_t interval,
                   std::uint64_t burst) noexcept {
    const std::uint64_t from = std::max(full_at, now);
    if (from - now > interval * (burst - 1)) return false;
    full_at = from + interval;
    return true;
  }
  static std::size_t slot_of(std::uint32_t hash) noexcept {
    constexpr std::uint32_t kFactor = 0x9e3779b1;  // odd, and otherwise of no meaning
    return hash * kFactor >> (32 - kSlotBits);
  }

  std::uint64_t interval_, new_interval_;  // ticks in which a token comes
  std::uint64_t new_full_at_{0};
  std::array<Destination, std::size_t{1} << kSlotBits> table_{};
};

}  // namespace rackway::node
