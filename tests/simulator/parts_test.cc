// SPDX-License-Identifier: Apache-2.0
// The pieces that the simulation is put together from.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>

#include "vlb/simulator/cores.hh"
#include "vlb/simulator/event_queue.hh"
#include "vlb/simulator/frame_queue.hh"
#include "vlb/simulator/line.hh"

namespace rackway::simulator {
namespace {

TEST(EventQueue, InOrderOfTimeThenKey) {
  std::mt19937 random(1);
  EventQueue queue;
  std::vector<std::pair<Picoseconds, std::uint32_t>> expected, taken;
  Picoseconds now = 0;
  for (int round = 0; round < 20'000; ++round) {
    if (queue.empty() || random() % 3 != 0) {
      const Event event{now + static_cast<Picoseconds>(random() % 50),
                        static_cast<std::uint32_t>(random() % 1000)};
      queue.push(event);
      expected.emplace_back(event.at, event.key);
    } else {
      const auto least = std::min_element(expected.begin(), expected.end());
      const Event event = queue.pop();
      ASSERT_EQ(std::pair(event.at, event.key), *least);
      *least = expected.back();
      expected.pop_back();
      now = event.at;
    }
    ASSERT_EQ(queue.size(), expected.size());
  }
}

TEST(FramePool, QueuesShareItAndKeepTheirOrder) {
  std::mt19937 random(2);
  FramePool pool;
  std::vector<FrameQueue> queues(5);
  std::vector<std::deque<std::pair<std::uint32_t, Picoseconds>>> expected(5);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const auto q = random() % 5;
    ASSERT_EQ(queues[q].empty(), expected[q].empty());
    if (random() % 2 == 0) {
      Frame frame{};
      frame.sequence = i;
      pool.push(queues[q], frame, i * 10);
      expected[q].emplace_back(i, i * 10);
    } else if (!expected[q].empty()) {
      ASSERT_EQ(pool.first_at(queues[q]), expected[q].front().second);
      ASSERT_EQ(pool.pop(queues[q]).sequence, expected[q].front().first);
      expected[q].pop_front();
    }
  }
  std::size_t left = 0;
  for (const auto& queue : expected) left += queue.size();
  EXPECT_EQ(pool.used(), left);
}

// 100 octets with preamble and gap take 1 us at 960 Mb/s.
const LineModel kSlow{960e6, 10 * traffic::kMicrosecond, 360};

TEST(Line, FramesWaitForThoseInFront) {
  Line line(kSlow);
  using traffic::kMicrosecond;
  EXPECT_EQ(line.send(100, 0), 11 * kMicrosecond);
  EXPECT_EQ(line.send(100, 0), 12 * kMicrosecond);
  EXPECT_EQ(line.waiting(0), 2 * kMicrosecond);
  EXPECT_EQ(line.send(100, kMicrosecond / 2), 13 * kMicrosecond);
  EXPECT_EQ(line.send(100, 20 * kMicrosecond), 31 * kMicrosecond);
  EXPECT_EQ(line.carried(), 4 * kMicrosecond);
  EXPECT_EQ(line.longest_wait(), 3 * kMicrosecond / 2);
  EXPECT_DOUBLE_EQ(line.mean_wait(), 2.5 * kMicrosecond / 4);
}

TEST(Line, DropsWhatDoesNotFit) {
  Line line(kSlow);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(line.send(100, 0));
  EXPECT_FALSE(line.send(100, 0));
  EXPECT_FALSE(line.send(1, traffic::kMicrosecond / 10));
  EXPECT_EQ(line.dropped(), 2u);
  EXPECT_TRUE(line.send(100, traffic::kMicrosecond));
  EXPECT_EQ(line.take_asked(), traffic::time_on_cable(100, line.ps_per_octet()) * 5 +
                                   traffic::time_on_cable(1, line.ps_per_octet()));
  EXPECT_EQ(line.take_asked(), 0);
  line.clear(traffic::kMicrosecond);
  EXPECT_EQ(line.waiting(traffic::kMicrosecond), 0);
}

TEST(Cores, EachTakesItsFlowsInTurn) {
  Cores cores(2, 3);
  EXPECT_EQ(cores.serve(0, 10, 0), 10);
  EXPECT_EQ(cores.serve(2, 10, 0), 20);
  EXPECT_EQ(cores.serve(1, 10, 0), 10);
  EXPECT_EQ(cores.serve(0, 10, 100), 110);
  EXPECT_EQ(cores.used(), 40);
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(cores.serve(0, 10, 100));
  EXPECT_FALSE(cores.serve(0, 10, 100));  // three wait
  EXPECT_TRUE(cores.serve(1, 10, 100));
}

}  // namespace
}  // namespace rackway::simulator
