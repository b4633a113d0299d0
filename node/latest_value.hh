// SPDX-License-Identifier: Apache-2.0
// The latest value that one thread has for another: a triple buffer. The writer never waits, the
// reader finds the newest whole value or nothing new; values in between are lost. Of the three
// copies one is the writer's, one the reader's, and one between them, which they swap for theirs.
// Copies are assigned, so that vectors of one size allocate nothing after the first times.
// One writer thread, one reader thread.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace rackway::node {

template <class Value>
class LatestValue {
 public:
  // Writer.
  void publish(const Value& value) {
    copies_[written_] = value;
    written_ = between_.exchange(written_ | kNew, std::memory_order_acq_rel) & kIndex;
  }

  // Reader: the newest value if it has not been taken yet, else null. Valid until the next take().
  // A load of what is hardly ever written, when there is nothing new.
  [[nodiscard]] const Value* take() noexcept {
    if ((between_.load(std::memory_order_relaxed) & kNew) == 0) return nullptr;
    taken_ = between_.exchange(taken_, std::memory_order_acq_rel) & kIndex;
    return &copies_[taken_];
  }

 private:
  static constexpr std::uint8_t kIndex = 3, kNew = 4;

  std::array<Value, 3> copies_{};
  // Release of the own copy and acquire of the other's in one, at both sides.
  alignas(64) std::atomic<std::uint8_t> between_{1};
  alignas(64) std::uint8_t written_{0};
  alignas(64) std::uint8_t taken_{2};
};

}  // namespace rackway::node
