// SPDX-License-Identifier: Apache-2.0
#include "vlb/link_liveness.hh"

#include <gtest/gtest.h>

namespace rackway::vlb {
namespace {

constexpr std::uint64_t kOurs = 0xa, kTheirs = 0xb;
constexpr Time kInterval = 10'000, kDetection = 30'000;

// One end, and a far end that says what the test wants.
struct LinkLivenessTest : ::testing::Test {
  LinkLiveness link{HelloTiming{kInterval, 3}, kOurs};
  Time now = 0xfffff000;  // so that every test sees the clock go over its end
  Hello far{.sender = NodeId{1},
            .receiver = NodeId{0},
            .boot_id = kTheirs,
            .timing = {kInterval, 3},
            .ready = true};

  LinkLiveness::Heard hello(std::uint64_t hears) {
    far.hears = hears;
    ++far.sequence;
    const auto how = link.hear(far, now);
    link.advance(now);
    return how;
  }
  // Silence, in steps as the node takes them.
  void pass(Time microseconds) {
    for (Time passed = 0; passed < microseconds; passed += 1'000) {
      now += 1'000;
      link.advance(now);
    }
  }
  void talk(Time microseconds, std::uint64_t hears = kOurs) {
    for (Time passed = 0; passed < microseconds; passed += kInterval) {
      pass(kInterval);
      hello(hears);
    }
  }
  void come_up() {
    link.carrier(true, now);
    hello(0);
    pass(1'000);
    hello(kOurs);
    ASSERT_EQ(link.state(), LinkState::up);
  }
};

TEST_F(LinkLivenessTest, StartsUnheard) {
  EXPECT_EQ(link.state(), LinkState::never_heard);
  link.carrier(true, now);
  pass(1'000'000);
  EXPECT_EQ(link.state(), LinkState::never_heard);
}

TEST_F(LinkLivenessTest, IsUpOnceTheFarEndHearsThisOne) {
  link.carrier(true, now);
  hello(0);
  EXPECT_EQ(link.state(), LinkState::opening);
  hello(kOurs);
  EXPECT_EQ(link.state(), LinkState::up);
}

TEST_F(LinkLivenessTest, WhatTheFarEndHeardBeforeOurRestartDoesNotCount) {
  link.carrier(true, now);
  hello(0x999);
  EXPECT_EQ(link.state(), LinkState::opening);
}

TEST_F(LinkLivenessTest, SilenceForTheDetectionTimeIsDown) {
  come_up();
  pass(kDetection - 1'000);
  EXPECT_EQ(link.state(), LinkState::up);
  pass(1'000);
  EXPECT_EQ(link.state(), LinkState::down);
}

TEST_F(LinkLivenessTest, TheFarEndsOwnIntervalCounts) {
  far.timing = {100'000, 5};
  come_up();
  pass(499'000);
  EXPECT_EQ(link.state(), LinkState::up);
  pass(1'000);
  EXPECT_EQ(link.state(), LinkState::down);
}

TEST_F(LinkLivenessTest, NotHeardByTheFarEndIsOneWayAtOnce) {
  come_up();
  talk(100'000);
  pass(1'000);
  hello(0);
  EXPECT_EQ(link.state(), LinkState::one_way);
  hello(kOurs);
  EXPECT_EQ(link.state(), LinkState::up);
}

TEST_F(LinkLivenessTest, NeverHeardByTheFarEndIsOneWayOnceItHadTheTime) {
  link.carrier(true, now);
  hello(0);
  talk(20'000, 0);
  EXPECT_EQ(link.state(), LinkState::opening);
  talk(20'000, 0);
  EXPECT_EQ(link.state(), LinkState::one_way);
}

TEST_F(LinkLivenessTest, WithoutACarrierItIsDownAtOnce) {
  come_up();
  link.carrier(false, now);
  EXPECT_EQ(link.state(), LinkState::down);
  link.carrier(true, now);
  EXPECT_EQ(link.state(), LinkState::down);
  hello(kOurs);
  EXPECT_EQ(link.state(), LinkState::up);
}

TEST_F(LinkLivenessTest, ARestartOfTheFarEndIsSeenAndIsNoFault) {
  come_up();
  for (int i = 0; i < 10; ++i) {
    far.boot_id = 0x100u + static_cast<unsigned>(i);
    far.sequence = 0;
    EXPECT_EQ(hello(0), LinkLiveness::Heard::restarted);
    EXPECT_EQ(link.state(), LinkState::opening);
    EXPECT_EQ(hello(kOurs), LinkLiveness::Heard::good);
    EXPECT_EQ(link.state(), LinkState::up);
  }
}

TEST_F(LinkLivenessTest, AFarEndThatDiesAndReturnsIsNoFaultOfTheLink) {
  come_up();
  for (int i = 0; i < 10; ++i) {
    pass(kDetection);
    ASSERT_EQ(link.state(), LinkState::down);
    far.boot_id = 0x100u + static_cast<unsigned>(i);
    far.sequence = 0;
    EXPECT_EQ(hello(0), LinkLiveness::Heard::restarted);
    hello(kOurs);
    ASSERT_EQ(link.state(), LinkState::up);
  }
}

TEST_F(LinkLivenessTest, OlderHellosAreNotBelieved) {
  come_up();
  far.sequence -= 2;
  far.hears = 0;
  EXPECT_EQ(link.hear(far, now), LinkLiveness::Heard::stale);
  ++far.sequence;
  EXPECT_EQ(link.hear(far, now), LinkLiveness::Heard::stale);
  EXPECT_EQ(link.state(), LinkState::up);
}

TEST_F(LinkLivenessTest, SleepIsNoSilence) {
  come_up();
  now += 10'000'000;
  link.slept(10'000'000, now);
  link.advance(now);
  EXPECT_EQ(link.state(), LinkState::up);
  // The far end has given us up meanwhile; that does not make it one-way.
  pass(1'000);
  hello(0);
  EXPECT_EQ(link.state(), LinkState::opening);
  hello(kOurs);
  EXPECT_EQ(link.state(), LinkState::up);
}

TEST_F(LinkLivenessTest, AfterSleepSilenceCountsAgain) {
  come_up();
  now += 10'000'000;
  link.slept(10'000'000, now);
  pass(kDetection);
  EXPECT_EQ(link.state(), LinkState::down);
}

TEST_F(LinkLivenessTest, TheThirdFailureInARowIsHeldDownAndEachLongerOne) {
  come_up();
  for (int failure = 0; failure < 2; ++failure) {
    pass(kDetection);
    hello(kOurs);
    ASSERT_EQ(link.state(), LinkState::up) << failure;
  }
  for (Time held : {1'000'000u, 2'000'000u, 4'000'000u}) {
    pass(kDetection - 1'000);
    ASSERT_EQ(link.state(), LinkState::up);
    pass(1'000);
    EXPECT_EQ(link.state(), LinkState::down);
    pass(1'000);
    EXPECT_EQ(link.state(), LinkState::flapping);
    EXPECT_TRUE(link.holds());
    talk(held - 50'000);
    EXPECT_EQ(link.state(), LinkState::flapping);
    talk(60'000);
    EXPECT_EQ(link.state(), LinkState::up);
  }
}

TEST_F(LinkLivenessTest, HeldForAMinuteAtMost) {
  come_up();
  for (int failure = 0; failure < 40; ++failure) {
    pass(kDetection);
    hello(kOurs);
    Time held = 0;
    for (; !link.up(); held += kInterval) talk(kInterval);
    ASSERT_LE(held, LinkLiveness::kLongestHold + kInterval);
    EXPECT_EQ(held + kInterval >= LinkLiveness::kLongestHold, failure >= 8) << failure;
    talk(1'000'000);
  }
}

TEST_F(LinkLivenessTest, TimeWithoutAFaultClearsTheRecord) {
  come_up();
  for (int failure = 0; failure < 10; ++failure) {
    pass(kDetection);
    hello(kOurs);
    ASSERT_EQ(link.state(), LinkState::up) << failure;
    talk(LinkLiveness::kCleanAfter + 20'000);
  }
}

TEST_F(LinkLivenessTest, WhatTheFarEndHoldsIsHeldHereToo) {
  come_up();
  pass(1'000);
  far.held = true;
  hello(kOurs);
  EXPECT_EQ(link.state(), LinkState::flapping);
  EXPECT_FALSE(link.holds());
  far.held = false;
  hello(kOurs);
  EXPECT_EQ(link.state(), LinkState::up);
}

TEST_F(LinkLivenessTest, SaysWhomItHearsAndWhenItLastDid) {
  Hello said{};
  link.describe(said, now);
  EXPECT_EQ(said.hears, 0u);
  far.stamp = 77;
  come_up();
  pass(2'000);
  link.describe(said, now);
  EXPECT_EQ(said.hears, kTheirs);
  EXPECT_EQ(said.echo, 77u);
  EXPECT_EQ(said.echo_held, 2'000u);
  pass(kDetection);
  link.describe(said, now);
  EXPECT_EQ(said.hears, 0u);
}

}  // namespace
}  // namespace rackway::vlb
