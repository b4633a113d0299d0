// SPDX-License-Identifier: Apache-2.0
#include "fib/rcu.hh"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace rackway::fib {
namespace {

TEST(Rcu, SynchronizeWithoutReadersReturns) {
  rcu::synchronize();
}

TEST(Rcu, SynchronizeDoesNotWaitForAReaderThatIsOffline) {
  std::atomic<bool> offline{false};
  std::atomic<bool> done{false};
  std::thread reader([&] {
    rcu::ReaderThread registration;
    registration.offline();
    offline = true;
    while (!done) std::this_thread::yield();
    registration.online();
  });
  while (!offline) std::this_thread::yield();
  rcu::synchronize();  // hangs if it waits: the reader ends only after it
  done = true;
  reader.join();
}

TEST(Rcu, SynchronizeDoesNotWaitForAReaderThatIsGone) {
  std::thread([] { rcu::ReaderThread registration; }).join();
  rcu::synchronize();
}

// The plain int is safe only if synchronize() waits for the quiescent state after the last read.
TEST(Rcu, SynchronizeWaitsForTheQuiescentState) {
  int plain = 1;
  std::atomic<int*> shared{&plain};
  std::atomic<bool> reading{false};
  std::atomic<bool> seen_after_unpublish{false};
  std::thread reader([&] {
    rcu::ReaderThread registration;
    const int* held = shared.load();
    reading = true;
    while (shared.load() != nullptr) std::this_thread::yield();
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    EXPECT_EQ(*held, 1);
    seen_after_unpublish = true;
    registration.quiescent();
  });
  while (!reading) std::this_thread::yield();
  shared = nullptr;
  rcu::synchronize();
  EXPECT_TRUE(seen_after_unpublish);
  plain = 2;
  reader.join();
}

TEST(Rcu, AThreadMayRegisterAgain) {
  std::thread([] {
    { rcu::ReaderThread registration; }
    rcu::ReaderThread registration;
    registration.quiescent();
  }).join();
  rcu::synchronize();
}

}  // namespace
}  // namespace rackway::fib
