// SPDX-License-Identifier: Apache-2.0
#include "node/latest_value.hh"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace rackway::node {
namespace {

TEST(LatestValue, EachValueIsTakenOnceAndTheNewestOnly) {
  LatestValue<int> value;
  EXPECT_EQ(value.take(), nullptr);
  value.publish(1);
  ASSERT_NE(value.take(), nullptr);
  EXPECT_EQ(value.take(), nullptr);
  for (int i = 2; i < 10; ++i) value.publish(i);
  const int* newest = value.take();
  ASSERT_NE(newest, nullptr);
  EXPECT_EQ(*newest, 9);
  value.publish(10);
  value.publish(11);
  value.publish(12);
  EXPECT_EQ(*newest, 9);  // stays until the next take()
  newest = value.take();
  ASSERT_NE(newest, nullptr);
  EXPECT_EQ(*newest, 12);
  EXPECT_EQ(value.take(), nullptr);
}

// Whole values, none older than the one before, and the last one arrives.
TEST(LatestValue, BetweenTwoThreads) {
  constexpr std::size_t kLast = 50'000;
  LatestValue<std::vector<std::size_t>> value;
  std::thread writer([&] {
    std::vector<std::size_t> next(17);
    for (std::size_t i = 1; i <= kLast; ++i) {
      next.assign(next.size(), i);
      value.publish(next);
    }
  });
  std::size_t last = 0, torn = 0, back = 0;
  while (last < kLast) {
    const auto* taken = value.take();
    if (taken == nullptr) {
      std::this_thread::yield();
      continue;
    }
    for (const auto element : *taken) torn += element != taken->front() ? 1 : 0;
    back += taken->front() <= last ? 1 : 0;
    last = taken->front();
  }
  writer.join();
  EXPECT_EQ(torn, 0u);
  EXPECT_EQ(back, 0u);
  EXPECT_EQ(value.take(), nullptr);
}

}  // namespace
}  // namespace rackway::node
