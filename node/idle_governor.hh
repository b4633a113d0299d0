// SPDX-License-Identifier: Apache-2.0
// How long a core that found nothing to do should rest before it looks again. Under load it never
// rests; in a pause between packets it naps, so that a reply finds it awake soon; idle for longer
// it sleeps in long steps, which cost next to nothing. In busy mode it never sleeps.
#pragma once

#include <cstdint>

namespace rackway::node {

class IdleGovernor {
 public:
  // ticks_per_us: of the clock that now is read from (TSC).
  IdleGovernor(bool busy, std::uint64_t ticks_per_us) : busy_(busy), ticks_per_us_(ticks_per_us) {}

  void worked(std::uint64_t now) noexcept { last_work_ = now; }

  // Microseconds to sleep, 0 for none.
  [[nodiscard]] std::uint32_t rest(std::uint64_t now) const noexcept {
    const std::uint64_t idle_us = (now - last_work_) / ticks_per_us_;
    if (busy_ || idle_us < kSpinUs) return 0;
    return idle_us < kNapForUs ? kNapUs : kSleepUs;
  }

  static constexpr std::uint32_t kSpinUs = 20;
  static constexpr std::uint32_t kNapForUs = 3'000;
  static constexpr std::uint32_t kNapUs = 25;
  static constexpr std::uint32_t kSleepUs = 400;

 private:
  bool busy_;
  std::uint64_t ticks_per_us_;
  std::uint64_t last_work_ = 0;
};

}  // namespace rackway::node
