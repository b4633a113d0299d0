// SPDX-License-Identifier: Apache-2.0
// How long frames take to the far end of a link, from the time stamps of hellos. Only the way there
// and back can be measured without a common clock. The shortest one seen in some seconds is taken
// for the link without queues, half of it each way; whatever a round takes longer is taken for a
// queue on the way there: too long rather than too short, which is the safe side for the flowlet
// gap. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "vlb/flowlet_table.hh"

namespace rackway::vlb {

class LinkDelay {
 public:
  // A hello came that echoes a stamp of ours; all times but echo_held are of our clock.
  void echoed(Time stamp, Time echo_held, Time now) noexcept {
    const Time away = now - stamp;
    if (away > kAbsurd || echo_held > away) return;  // stale, or not true
    if (distrusts_ && static_cast<std::int32_t>(stamp - trusted_from_) < 0) return;
    distrusts_ = false;
    const Time round = away - echo_held;
    if (now - window_began_ >= kWindow) {
      shortest_before_ = now - window_began_ >= 2 * kWindow ? kNone : shortest_;
      shortest_ = kNone;
      window_began_ = now;
    }
    shortest_ = std::min(shortest_, round);
    const Time base = std::min(shortest_, shortest_before_);
    one_way_ = static_cast<std::uint16_t>(std::min<Time>(round - base / 2, kMost));
  }
  void forget() noexcept { *this = {}; }
  // This node did not run until now: what was on its way meanwhile has waited for it.
  void distrust_before(Time now) noexcept {
    distrusts_ = true;
    trusted_from_ = now;
  }

  // Microseconds; 0 before the first echo, kMost if more.
  [[nodiscard]] std::uint16_t one_way() const noexcept { return one_way_; }

  static constexpr Time kMost = std::numeric_limits<std::uint16_t>::max();

 private:
  static constexpr Time kNone = std::numeric_limits<Time>::max();
  static constexpr Time kWindow = 4'000'000;
  static constexpr Time kAbsurd = 60'000'000;

  Time window_began_ = 0;
  Time shortest_ = kNone, shortest_before_ = kNone;  // of this window and the one before it
  std::uint16_t one_way_ = 0;
  bool distrusts_ = false;
  Time trusted_from_ = 0;  // while distrusts_
};

}  // namespace rackway::vlb
