// SPDX-License-Identifier: Apache-2.0
#include "control/peer_conduct.hh"

#include <gtest/gtest.h>

namespace rackway::control::testing {
namespace {

using namespace std::chrono_literals;

constexpr NodeId kBad{1}, kGood{0};
const PeerConduct::Clock::time_point kNow{1h};

TEST(PeerConduct, NobodyIsIgnoredAtFirst) {
  PeerConduct conduct(2);
  EXPECT_FALSE(conduct.passes_over(kBad, false, kNow));
  EXPECT_FALSE(conduct.is_ignored(kBad));
  EXPECT_EQ(conduct.ignored(kBad), 0u);
}

TEST(PeerConduct, WhoIsBlamedIsIgnoredUntilAHelloThatIsNotTooEarly) {
  PeerConduct conduct(2);
  conduct.blame(kBad, PeerFault::malformed, kNow);
  EXPECT_TRUE(conduct.passes_over(kBad, false, kNow + 1h));
  EXPECT_TRUE(conduct.passes_over(kBad, true, kNow + 999ms));
  EXPECT_TRUE(conduct.is_ignored(kBad));
  EXPECT_FALSE(conduct.passes_over(kBad, true, kNow + 1s));
  EXPECT_FALSE(conduct.is_ignored(kBad));
  EXPECT_FALSE(conduct.passes_over(kBad, false, kNow + 1s));
  EXPECT_EQ(conduct.ignored(kBad), 2u);
}

TEST(PeerConduct, FaultsAreCountedByNodeAndKind) {
  PeerConduct conduct(2);
  conduct.blame(kBad, PeerFault::oversized, kNow);
  conduct.blame(kBad, PeerFault::oversized, kNow);
  conduct.note(kGood, PeerFault::other_name);
  EXPECT_EQ(conduct.count(kBad, PeerFault::oversized), 2u);
  EXPECT_EQ(conduct.count(kGood, PeerFault::other_name), 1u);
  EXPECT_EQ(conduct.count(kBad, PeerFault::malformed), 0u);
  EXPECT_EQ(conduct.count(kGood, PeerFault::oversized), 0u);
  EXPECT_FALSE(conduct.is_ignored(kGood));
}

}  // namespace
}  // namespace rackway::control::testing
