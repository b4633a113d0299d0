// SPDX-License-Identifier: Apache-2.0
// When to sweep the routes that a restarted controller found on the nodes and that nobody has named
// since: at once when there are none left; after a quiet time once routing daemons have begun to
// name theirs again; after the longest wait in any case. What the kernel still had when the
// controller came does not count as beginning: daemons may need a while to get their sessions back.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>

namespace rackway::control {

class Settling {
 public:
  using Clock = std::chrono::steady_clock;

  Settling(std::chrono::milliseconds quiet, std::chrono::milliseconds longest)
      : quiet_(quiet), longest_(longest) {}

  // From the first call with what was found and compared with the kernel once. stale: routes still
  // unnamed; confirmed: those that a kernel route named again, in total.
  [[nodiscard]] bool due(std::size_t stale, std::size_t confirmed, Clock::time_point now) {
    if (!started_) {
      started_ = last_confirmed_ = now;
      confirmed_at_start_ = confirmed_ = confirmed;
    }
    if (confirmed != confirmed_) {
      confirmed_ = confirmed;
      last_confirmed_ = now;
    }
    if (stale == 0 || now >= *started_ + longest_) return true;
    return confirmed_ > confirmed_at_start_ && now >= last_confirmed_ + quiet_;
  }

 private:
  std::chrono::milliseconds quiet_, longest_;
  std::optional<Clock::time_point> started_;
  Clock::time_point last_confirmed_{};
  std::size_t confirmed_at_start_ = 0, confirmed_ = 0;
};

}  // namespace rackway::control
