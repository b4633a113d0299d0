// SPDX-License-Identifier: Apache-2.0
#include "control/settling.hh"

#include <gtest/gtest.h>

namespace rackway::control {
namespace {

using namespace std::chrono_literals;

constexpr auto kQuiet = 100ms;
constexpr auto kLongest = 1000ms;
constexpr std::size_t kFound = 7;  // confirmed by what the kernel had when the controller came

class SettlingTest : public ::testing::Test {
 protected:
  bool due(std::chrono::milliseconds after, std::size_t stale, std::size_t confirmed) {
    return settling_.due(stale, confirmed, start_ + after);
  }

  Settling settling_{kQuiet, kLongest};
  Settling::Clock::time_point start_{std::chrono::hours(1)};
};

TEST_F(SettlingTest, AtOnceWhenNothingIsStale) {
  EXPECT_TRUE(due(0ms, 0, 0));
}

TEST_F(SettlingTest, AsSoonAsNothingIsStale) {
  EXPECT_FALSE(due(0ms, 2, kFound));
  EXPECT_FALSE(due(10ms, 1, kFound + 1));
  EXPECT_TRUE(due(11ms, 0, kFound + 2));
}

TEST_F(SettlingTest, NobodyBeginsSoTheLongestWait) {
  EXPECT_FALSE(due(0ms, 2, kFound));
  EXPECT_FALSE(due(kQuiet, 2, kFound));
  EXPECT_FALSE(due(kLongest - 1ms, 2, kFound));
  EXPECT_TRUE(due(kLongest, 2, kFound));
}

TEST_F(SettlingTest, QuietCountsFromTheLastConfirmation) {
  EXPECT_FALSE(due(0ms, 9, kFound));
  EXPECT_FALSE(due(300ms, 8, kFound + 1));
  EXPECT_FALSE(due(399ms, 7, kFound + 2));
  EXPECT_FALSE(due(498ms, 7, kFound + 2));
  EXPECT_TRUE(due(499ms, 7, kFound + 2));
}

// Seen only when asked: the quiet time begins at the call that finds more.
TEST_F(SettlingTest, AConfirmationCountsFromWhenItIsSeen) {
  EXPECT_FALSE(due(0ms, 9, kFound));
  EXPECT_FALSE(due(500ms, 8, kFound + 1));
  EXPECT_FALSE(due(599ms, 8, kFound + 1));
  EXPECT_TRUE(due(600ms, 8, kFound + 1));
}

TEST_F(SettlingTest, NoConfirmationProlongsTheLongestWait) {
  EXPECT_FALSE(due(0ms, 9, kFound));
  EXPECT_FALSE(due(kLongest - 1ms, 8, kFound + 1));
  EXPECT_TRUE(due(kLongest, 7, kFound + 2));
}

// The controller may have waited for the nodes before.
TEST_F(SettlingTest, TimeCountsFromTheFirstCall) {
  EXPECT_FALSE(due(5000ms, 2, kFound));
  EXPECT_FALSE(due(5000ms + kLongest - 1ms, 2, kFound));
  EXPECT_TRUE(due(5000ms + kLongest, 2, kFound));
}

}  // namespace
}  // namespace rackway::control
