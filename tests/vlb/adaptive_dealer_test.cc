// SPDX-License-Identifier: Apache-2.0
#include "vlb/adaptive_dealer.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace rackway::vlb::testing {
namespace {

// Path 1 is straight, 2 to 4 are over relays.
struct Dealt {
  std::array<PathIndex, kPlaces> places{};
  std::vector<PathState> states{4, {.alive = true, .open = true, .load = 0, .delay = 0}};
  std::vector<double> weights{0, 1, 1, 1};
  AdaptiveDealer dealer{1};

  Dealt& hold(PathIndex path, std::size_t count) {
    for (auto& place : places) {
      if (place != 0 || count == 0) continue;
      place = path;
      --count;
    }
    return *this;
  }
  void close(PathIndex path) {
    states[path - 1u] = {};
    dealer.leave_closed({.places = places,
                         .range = {.first = 1, .relays = 2, .end = 5},
                         .states = states,
                         .weights = weights,
                         .straight_at_least = 0.5});
  }
  [[nodiscard]] auto held(PathIndex path) const {
    return std::count(places.begin(), places.end(), path);
  }
};

TEST(LeaveClosed, OfADeadRelaysPlacesOnlyAsManyGoStraightAsFit) {
  Dealt of;
  of.hold(1, 128).hold(2, 64).hold(3, 64);
  of.states[0].load = 0.75f;  // of its 128 places; with 25.6 more it is full
  of.close(2);
  EXPECT_EQ(of.held(2), 0);
  EXPECT_EQ(of.held(1), 128 + 25);
  EXPECT_EQ(of.held(3) + of.held(4), 64 + 39);
  EXPECT_GT(of.held(4), 16);  // the one that had none gets more of them
}

TEST(LeaveClosed, AFullStraightPathGetsNone) {
  Dealt of;
  of.hold(1, 200).hold(2, 56);
  of.states[0].load = 0.95f;
  of.close(2);
  EXPECT_EQ(of.held(1), 200);
  EXPECT_EQ(of.held(3) + of.held(4), 56);
}

TEST(LeaveClosed, WithoutARelayAllGoesStraight) {
  Dealt of;
  of.hold(1, 200).hold(2, 56);
  of.states[0].load = 0.95f;
  of.states[2] = of.states[3] = {};
  of.close(2);
  EXPECT_EQ(of.held(1), 256);
}

TEST(LeaveClosed, AtFirstAllGoesStraight) {
  Dealt of;
  of.close(2);
  EXPECT_EQ(of.held(1), 256);
}

TEST(LeaveClosed, ADeadStraightPathsPlacesGoOverRelaysEvenly) {
  Dealt of;
  of.hold(1, 256);
  of.close(1);
  for (const PathIndex relay : {2, 3, 4}) EXPECT_NEAR(static_cast<double>(of.held(relay)), 85, 8);
}

TEST(LeaveClosed, NothingOpenHoldsNothing) {
  Dealt of;
  of.hold(1, 100).hold(2, 156);
  of.states.assign(4, {});
  of.close(1);
  EXPECT_EQ(of.held(0), 256);
}

}  // namespace
}  // namespace rackway::vlb::testing
