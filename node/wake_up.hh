// SPDX-License-Identifier: Apache-2.0
// Wakes a thread that waits for a queue, at the cost of a system call only when it really sleeps.
// The consumer calls about_to_sleep(), looks at its queue once more, waits on fd(), then awake().
// The producer fills the queue and calls notify(). One consumer, any number of producers.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

#include "base/unique_fd.hh"

namespace rackway::node {

class WakeUp {
 public:
  WakeUp() : fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}

  // Sequentially consistent on both sides: either the consumer sees what was queued before
  // notify(), or the producer sees that it sleeps.
  void about_to_sleep() noexcept {
    asleep_.store(true, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }
  // readable: what waiting on fd() said; only then is there something to drain.
  void awake(bool readable) noexcept {
    asleep_.store(false, std::memory_order_relaxed);
    if (!readable) return;
    std::uint64_t drained;
    [[maybe_unused]] const auto n = ::read(fd_.get(), &drained, sizeof drained);
  }
  void notify() noexcept {
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (!asleep_.load(std::memory_order_relaxed)) return;
    if (!asleep_.exchange(false, std::memory_order_relaxed)) return;
    const std::uint64_t one = 1;
    [[maybe_unused]] const auto n = ::write(fd_.get(), &one, sizeof one);
  }
  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
  std::atomic<bool> asleep_{false};
};

}  // namespace rackway::node
