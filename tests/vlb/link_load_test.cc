// SPDX-License-Identifier: Apache-2.0
#include "vlb/link_load.hh"

#include <gtest/gtest.h>

#include <cmath>

namespace rackway::vlb {
namespace {

constexpr double kRate = 8e9;  // 1000 octets a microsecond

TEST(LinkLoad, IsTheShareOfTheRate) {
  for (const double share : {0.0, 0.25, 0.5, 1.0, 1.2}) {
    LinkLoad load(kRate);
    Load now = 0;
    for (std::uint64_t i = 0; i < 50; ++i) {
      now = load.at(static_cast<std::uint64_t>(1e6 * share) * i, 0, static_cast<Time>(i * 1000));
    }
    EXPECT_EQ(now, static_cast<Load>(200 * share)) << share;
  }
}

TEST(LinkLoad, WhatIsRefusedWasWantedToo) {
  LinkLoad load(kRate);
  Load now = 0;
  for (std::uint64_t i = 0; i < 50; ++i) {
    now = load.at(1'000'000 * i, 100'000 * i, static_cast<Time>(i * 1000));
  }
  EXPECT_EQ(now, 220);
  for (std::uint64_t i = 0; i < 50; ++i) {
    now = load.at(50'000'000 + 9'000'000 * i, 5'000'000, static_cast<Time>(50'000 + i * 1000));
  }
  EXPECT_EQ(now, 255);  // the most that there is
}

TEST(LinkLoad, FollowsInTwoMilliseconds) {
  LinkLoad load(kRate);
  EXPECT_EQ(load.at(0, 0, 0), 0);
  EXPECT_EQ(load.at(2'000'000, 0, 2000), static_cast<Load>(200 * (1 - std::exp(-1.0)) + 0.5));
  EXPECT_EQ(load.at(2'000'000, 0, 4000),
            static_cast<Load>(200 * (1 - std::exp(-1.0)) * std::exp(-1.0) + 0.5));
}

TEST(LinkLoad, StepsOfAnyLengthGiveTheSame) {
  LinkLoad fine(kRate), coarse(kRate);
  Load last_fine = 0, last_coarse = 0;
  for (std::uint64_t i = 0; i <= 4000; ++i) {
    last_fine = fine.at(700 * i, 0, static_cast<Time>(i));
    if (i % 400 == 0) last_coarse = coarse.at(700 * i, 0, static_cast<Time>(i));
  }
  EXPECT_NEAR(last_fine, last_coarse, 1);
}

TEST(LinkLoad, NothingHappensInNoTimeOrBackwards) {
  LinkLoad load(kRate);
  (void)load.at(0, 0, 5000);
  const Load before = load.at(1'000'000, 0, 6000);
  EXPECT_EQ(load.at(9'000'000, 0, 6000), before);
  EXPECT_EQ(load.at(9'000'000, 0, 5500), before);
}

TEST(LinkLoad, TheClockMayComeAround) {
  LinkLoad load(kRate);
  (void)load.at(0, 0, 0xffff'fc18);
  EXPECT_EQ(load.at(1'000'000, 0, 0), static_cast<Load>(200 * (1 - std::exp(-0.5)) + 0.5));
}

TEST(LinkLoad, WithoutARateARefusalIsWhatCounts) {
  LinkLoad load;
  Load now = load.at(0, 0, 0);
  for (Time at = 1000; at < 20'000; at += 1000) now = load.at(std::uint64_t{at} * 1000, 0, at);
  EXPECT_EQ(now, 0);
  for (Time at = 20'000; at < 50'000; at += 1000) now = load.at(std::uint64_t{at} * 1000, at, at);
  EXPECT_EQ(now, 220);
}

}  // namespace
}  // namespace rackway::vlb
