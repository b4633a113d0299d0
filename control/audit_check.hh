// SPDX-License-Identifier: Apache-2.0
// What an audit has found so far, of one thing that it looks at: a row of `rackway show audit`.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace rackway::control {

struct AuditCheck {
  using Clock = std::chrono::steady_clock;

  std::uint64_t runs{};                   // to an end
  std::uint64_t differences{};            // runs that found any
  std::uint64_t repaired{};               // differences after which a run found none
  std::uint64_t unfinished{};             // runs that came to no end
  std::optional<Clock::time_point> last;  // when the last one ended, either way
  std::string result{"none yet"};
  bool differs{};  // the last that came to an end found a difference

  void note_unfinished(const std::string& why, Clock::time_point now) {
    ++unfinished;
    last = now;
    result = why;
  }
  // True when it is equal again.
  bool note_equal(Clock::time_point now) {
    ++runs;
    last = now;
    result = "equal";
    if (!differs) return false;
    differs = false;
    ++repaired;
    return true;
  }
  void note_difference(const std::string& what, Clock::time_point now) {
    ++runs;
    ++differences;
    last = now;
    result = "differs: " + what;
    differs = true;
  }
};

}  // namespace rackway::control
