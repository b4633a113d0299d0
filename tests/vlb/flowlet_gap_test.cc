// SPDX-License-Identifier: Apache-2.0
#include "vlb/flowlet_gap.hh"

#include <gtest/gtest.h>

namespace rackway::vlb {
namespace {

TEST(FlowletGap, IsTheMostUntilSomethingIsKnown) {
  FlowletGap gap({100, 9000});
  EXPECT_EQ(gap.gap(), 9000u);
  EXPECT_EQ(gap.see(FlowletGap::kUnknown, 1000), 9000u);
  EXPECT_EQ(gap.see(800, 1000), 1000u);
  EXPECT_EQ(gap.see(FlowletGap::kUnknown, 1000), 9000u);
}

TEST(FlowletGap, StaysWithinItsBounds) {
  FlowletGap gap({100, 9000});
  EXPECT_EQ(gap.see(0, 1), 100u);
  EXPECT_EQ(gap.see(79, 1), 100u);
  EXPECT_EQ(gap.see(400, 1), 500u);
  EXPECT_EQ(gap.see(60'000, 1), 9000u);
  EXPECT_EQ(gap.see(131'068, 1), 9000u);
}

TEST(FlowletGap, RemembersAPeakForAboutASecond) {
  FlowletGap gap({0, 100'000});
  EXPECT_EQ(gap.see(800, 1000), 1000u);
  for (int i = 0; i < 100; ++i) (void)gap.see(0, 1000);
  EXPECT_NEAR(gap.gap(), 905, 2);  // a tenth of a second
  for (int i = 0; i < 900; ++i) (void)gap.see(0, 1000);
  EXPECT_NEAR(gap.gap(), 368, 2);
  EXPECT_EQ(gap.see(0, 20'000'000), 0u);
}

}  // namespace
}  // namespace rackway::vlb
