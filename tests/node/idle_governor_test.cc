// SPDX-License-Identifier: Apache-2.0
#include "node/idle_governor.hh"

#include <gtest/gtest.h>

namespace rackway::node {
namespace {

constexpr std::uint64_t kTicksPerUs = 2600;
constexpr std::uint64_t kNow = 1'000'000'000'000;

TEST(IdleGovernor, SpinsThenNapsThenSleeps) {
  struct Case {
    std::uint64_t idle_us;
    std::uint32_t rest_us;
  };
  IdleGovernor governor(false, kTicksPerUs);
  governor.worked(kNow);
  for (const auto& [idle_us, rest_us] :
       {Case{0, 0}, Case{1, 0}, Case{19, 0}, Case{20, 25}, Case{21, 25}, Case{2'999, 25},
        Case{3'000, 400}, Case{3'001, 400}, Case{3'600'000'000, 400}}) {
    EXPECT_EQ(governor.rest(kNow + idle_us * kTicksPerUs), rest_us) << idle_us;
  }
  // One tick short of each step.
  EXPECT_EQ(governor.rest(kNow + 20 * kTicksPerUs - 1), 0u);
  EXPECT_EQ(governor.rest(kNow + 3'000 * kTicksPerUs - 1), 25u);
}

TEST(IdleGovernor, WorkWakesItUp) {
  IdleGovernor governor(false, kTicksPerUs);
  governor.worked(kNow);
  const auto later = kNow + 10'000 * kTicksPerUs;
  EXPECT_EQ(governor.rest(later), 400u);
  governor.worked(later);
  EXPECT_EQ(governor.rest(later), 0u);
  EXPECT_EQ(governor.rest(later + 20 * kTicksPerUs), 25u);
}

TEST(IdleGovernor, WithoutAnyWorkItSleeps) {
  const IdleGovernor governor(false, kTicksPerUs);
  EXPECT_EQ(governor.rest(kNow), 400u);
}

TEST(IdleGovernor, BusyNeverRests) {
  IdleGovernor governor(true, kTicksPerUs);
  EXPECT_EQ(governor.rest(kNow), 0u);
  governor.worked(kNow);
  for (const std::uint64_t idle_us : {0, 20, 3'000, 1'000'000}) {
    EXPECT_EQ(governor.rest(kNow + idle_us * kTicksPerUs), 0u);
  }
}

}  // namespace
}  // namespace rackway::node
