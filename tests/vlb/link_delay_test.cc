// SPDX-License-Identifier: Apache-2.0
#include "vlb/link_delay.hh"

#include <gtest/gtest.h>

namespace rackway::vlb {
namespace {

// A hello that left at `now - held - round` and whose echo comes now.
void round_of(LinkDelay& delay, Time round, Time now, Time held = 3'000) {
  delay.echoed(now - held - round, held, now);
}

TEST(LinkDelay, HalfOfTheShortestRound) {
  LinkDelay delay;
  EXPECT_EQ(delay.one_way(), 0);
  round_of(delay, 100, 1'000'000);
  EXPECT_EQ(delay.one_way(), 50);
}

TEST(LinkDelay, WhatARoundTakesLongerIsAQueueOnTheWayThere) {
  LinkDelay delay;
  round_of(delay, 100, 1'000'000);
  round_of(delay, 400, 1'010'000);
  EXPECT_EQ(delay.one_way(), 350);
  round_of(delay, 100, 1'020'000);
  EXPECT_EQ(delay.one_way(), 50);
}

TEST(LinkDelay, ALongerWayIsLearntInSomeSeconds) {
  LinkDelay delay;
  Time now = 0xffff0000;  // the clock goes over its end
  round_of(delay, 100, now);
  for (int i = 0; i < 1000; ++i) round_of(delay, 1'000, now += 10'000);
  EXPECT_EQ(delay.one_way(), 500);
}

TEST(LinkDelay, IsBoundedAndIgnoresWhatCanNotBe) {
  LinkDelay delay;
  round_of(delay, 500'000, 10'000'000);
  EXPECT_EQ(delay.one_way(), LinkDelay::kMost);
  delay.echoed(20'000'000, 0, 10'000'000);     // from the future
  delay.echoed(9'999'000, 2'000, 10'000'000);  // held for longer than it was away
  EXPECT_EQ(delay.one_way(), LinkDelay::kMost);
}

TEST(LinkDelay, WhatWaitedWhileThisNodeSleptIsNotADelay) {
  LinkDelay delay;
  round_of(delay, 100, 1'000'000);
  delay.distrust_before(4'000'000);
  delay.echoed(1'010'000, 20, 4'000'001);
  EXPECT_EQ(delay.one_way(), 50);
  delay.echoed(4'000'000, 0, 4'000'120);
  EXPECT_EQ(delay.one_way(), 70);
}

}  // namespace
}  // namespace rackway::vlb
