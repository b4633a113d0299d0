// SPDX-License-Identifier: Apache-2.0
#include "node/wake_up.hh"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <thread>
#include <vector>

namespace rackway::node {
namespace {

// Only a lost wake-up takes that long.
constexpr int kLostMs = 30'000;

bool waits(const WakeUp& wake, int milliseconds = 0) {
  pollfd wait{.fd = wake.fd(), .events = POLLIN, .revents = 0};
  return ::poll(&wait, 1, milliseconds) == 1;
}

TEST(WakeUp, CostsNothingWhileTheConsumerIsAwake) {
  WakeUp wake;
  wake.notify();
  EXPECT_FALSE(waits(wake));
  wake.about_to_sleep();
  wake.awake(false);
  wake.notify();
  EXPECT_FALSE(waits(wake));
}

TEST(WakeUp, ASleeperIsWokenOnce) {
  WakeUp wake;
  wake.about_to_sleep();
  EXPECT_FALSE(waits(wake));
  wake.notify();
  wake.notify();
  wake.notify();
  EXPECT_TRUE(waits(wake));
  wake.awake(true);
  EXPECT_FALSE(waits(wake));
  wake.notify();
  EXPECT_FALSE(waits(wake));
}

TEST(WakeUp, AWakeUpThatWasNotWaitedForIsSeenByTheNextSleep) {
  WakeUp wake;
  wake.about_to_sleep();
  wake.notify();
  wake.awake(false);  // the queue was not empty after all
  wake.about_to_sleep();
  EXPECT_TRUE(waits(wake));
  wake.awake(true);
  wake.about_to_sleep();
  EXPECT_FALSE(waits(wake));
  wake.notify();
  EXPECT_TRUE(waits(wake));
}

// The queue is a number, written and read without any order of its own: what the two sides see of
// it is up to WakeUp alone. With one item at a time the consumer sleeps before nearly every one.
void run_stress(int producers, std::uint64_t items_each, bool one_at_a_time) {
  WakeUp wake;
  std::atomic<std::uint64_t> queued{0}, taken{0};
  std::atomic<bool> lost{false};
  const std::uint64_t all = items_each * static_cast<std::uint64_t>(producers);
  std::vector<std::thread> threads;
  for (int p = 0; p < producers; ++p) {
    threads.emplace_back([&] {
      for (std::uint64_t i = 0; i < items_each && !lost; ++i) {
        const auto mine = queued.fetch_add(1, std::memory_order_relaxed) + 1;
        wake.notify();
        while (one_at_a_time && taken.load(std::memory_order_relaxed) < mine && !lost) {
          std::this_thread::yield();
        }
      }
    });
  }
  std::uint64_t seen = 0, slept = 0;
  while (seen < all && !lost) {
    wake.about_to_sleep();
    const bool sleeps = queued.load(std::memory_order_relaxed) == seen;
    const bool woken = sleeps && waits(wake, kLostMs);
    lost = sleeps && !woken;
    wake.awake(woken);
    slept += sleeps ? 1 : 0;
    seen = queued.load(std::memory_order_relaxed);
    taken.store(seen, std::memory_order_relaxed);
  }
  for (auto& thread : threads) thread.join();
  EXPECT_FALSE(lost) << seen << " of " << all << " after " << slept << " sleeps";
  EXPECT_GT(slept, 0u);
}

TEST(WakeUp, NoneIsLostOneByOne) {
  run_stress(1, 50'000, true);
}

TEST(WakeUp, NoneIsLostFromSeveralProducers) {
  run_stress(3, 20'000, true);
}

TEST(WakeUp, NoneIsLostInAStream) {
  run_stress(2, 200'000, false);
}

}  // namespace
}  // namespace rackway::node
