// SPDX-License-Identifier: Apache-2.0
// A token bucket that is one number, the instant at which it is full again (the generic cell rate
// algorithm of ITU-T I.371), so that nothing is lost to rounding however often it is asked. Belongs
// to one forwarding core; the time is the caller's, in ticks of any clock that never goes back.
#pragma once

#include <algorithm>
#include <cstdint>

namespace rackway::node {

// The clock of a core, and how many cores there are: each has an equal part of every rate of the
// node, so that together they keep to it without asking each other.
struct Pace {
  Pace(std::uint64_t per_second, std::uint16_t of_cores = 1)  // NOLINT: a number of ticks is one
      : ticks_per_second(per_second), cores(of_cores) {}
  std::uint64_t ticks_per_second;
  std::uint16_t cores;
};

// Of the whole node; both at least 1.
struct TokenRate {
  std::uint64_t per_second;
  std::uint64_t burst;
};

// One core's part of a rate. Every core's burst is at least one token.
class Tokens {
 public:
  Tokens(TokenRate rate, Pace pace)
      : interval_(pace.ticks_per_second * pace.cores / rate.per_second),
        tolerance_(interval_ * (std::max<std::uint64_t>(rate.burst / pace.cores, 1) - 1)) {}

  // Ticks in which a token comes.
  [[nodiscard]] std::uint64_t interval() const noexcept { return interval_; }
  // How far ahead of the clock a bucket may be for one more.
  [[nodiscard]] std::uint64_t tolerance() const noexcept { return tolerance_; }

 private:
  std::uint64_t interval_, tolerance_;
};

class TokenBucket {
 public:
  TokenBucket() = default;
  // One that lacks a token.
  TokenBucket(const Tokens& tokens, std::uint64_t now) noexcept
      : full_at_(now + tokens.interval()) {}

  // Takes a token if there is one.
  [[nodiscard]] bool take(const Tokens& tokens, std::uint64_t now) noexcept {
    const std::uint64_t from = std::max(full_at_, now);
    if (from - now > tokens.tolerance()) return false;
    full_at_ = from + tokens.interval();
    return true;
  }
  [[nodiscard]] bool full(std::uint64_t now) const noexcept { return full_at_ <= now; }

 private:
  std::uint64_t full_at_{0};
};

}  // namespace rackway::node
