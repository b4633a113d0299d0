// SPDX-License-Identifier: Apache-2.0
// Counts packets on the core that forwards them and writes down, after a warm-up, how many passed
// in how many TSC cycles, window after window; at the end also what the ports say of packets
// received and sent in that time. On the way of a burst it is one addition and one comparison. One
// thread, once in a process.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rackway::bench {

struct MeterSetup {
  std::string result;  // file that appears, whole, when the last window is over
  double warm_up_seconds{};
  double window_seconds{};
  unsigned windows{};
};

class ThroughputMeter {
 public:
  explicit ThroughputMeter(MeterSetup setup);

  void count(std::uint32_t packets) noexcept {
    packets_ += packets;
    if (packets_ >= next_look_) [[unlikely]]
      look();
  }

  // Called on the counting thread when the result is there.
  std::function<void()> when_over;

 private:
  struct Point {
    std::uint64_t cycles, packets;
    double cpu_seconds;  // of this thread, to know whether it had the core for itself
  };
  struct Ports {
    std::uint64_t received, sent;
  };
  static constexpr std::uint64_t kLookEvery = 1 << 15;

  void look();
  [[nodiscard]] Point point() const;
  void finish() const;
  [[nodiscard]] static Ports ports();

  MeterSetup setup_;
  std::uint64_t warm_up_, window_;  // TSC cycles
  std::uint64_t packets_ = 0, next_look_ = 1;
  std::uint64_t first_ = 0;  // when the first packet came
  std::vector<Point> points_;
  Ports before_{};
};

}  // namespace rackway::bench
