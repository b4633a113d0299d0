// SPDX-License-Identifier: Apache-2.0
// One direction of a cable with the queue in front of it, or an external port's output. A queue
// that is served in order at a constant rate needs no events of its own: when it will be empty says
// how much is in it, and when a frame put in now will have left. Drop tail: a frame that does not
// fit behind what waits is lost. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "vlb/traffic/virtual_time.hh"

namespace rackway::simulator {

using traffic::Picoseconds;

struct LineModel {
  double rate{10e9};  // bits/s
  Picoseconds delay{5 * traffic::kMicrosecond};
  std::uint32_t buffer{512 * 1024};  // octets, with what is on its way out
};

class Line {
 public:
  explicit Line(const LineModel& model)
      : ps_per_octet_(traffic::picoseconds_per_octet(model.rate)),
        delay_(model.delay),
        room_(static_cast<Picoseconds>(model.buffer * ps_per_octet_)) {}

  // When the frame is at the far end; nothing if there was no room. `now` is never less than
  // before.
  std::optional<Picoseconds> send(unsigned octets, Picoseconds now) {
    const Picoseconds on_cable = traffic::time_on_cable(octets, ps_per_octet_);
    const Picoseconds waits = waiting(now);
    asked_ += on_cable;
    if (waits + on_cable > room_) {
      ++dropped_;
      return std::nullopt;
    }
    carried_ += on_cable;
    ++frames_;
    waited_ += waits;
    longest_wait_ = std::max(longest_wait_, waits);
    empty_at_ = now + waits + on_cable;
    return empty_at_ + delay_;
  }

  // What waits is lost (the caller forgets the frames).
  void clear(Picoseconds now) { empty_at_ = now; }
  // Forgets what was counted.
  void count_anew() {
    carried_ = waited_ = longest_wait_ = 0;
    frames_ = dropped_ = 0;
  }

  // How long a frame put in now would wait.
  [[nodiscard]] Picoseconds waiting(Picoseconds now) const {
    return std::max<Picoseconds>(0, empty_at_ - now);
  }
  [[nodiscard]] Picoseconds delay() const { return delay_; }
  [[nodiscard]] double ps_per_octet() const { return ps_per_octet_; }
  // Time on the cable of all frames that wanted to go, since asked last.
  [[nodiscard]] Picoseconds take_asked() {
    const Picoseconds asked = asked_;
    asked_ = 0;
    return asked;
  }

  // Since counted anew.
  [[nodiscard]] Picoseconds carried() const { return carried_; }  // time on the cable
  [[nodiscard]] std::uint64_t frames() const { return frames_; }
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] Picoseconds longest_wait() const { return longest_wait_; }
  // Mean over the frames.
  [[nodiscard]] double mean_wait() const {
    return frames_ == 0 ? 0 : static_cast<double>(waited_) / static_cast<double>(frames_);
  }

 private:
  double ps_per_octet_;
  Picoseconds delay_;
  Picoseconds room_;  // the buffer, as the time it takes to send it
  Picoseconds empty_at_{0};
  Picoseconds asked_{0}, carried_{0}, waited_{0}, longest_wait_{0};
  std::uint64_t frames_{0}, dropped_{0};
};

}  // namespace rackway::simulator
