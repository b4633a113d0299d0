// SPDX-License-Identifier: Apache-2.0
// What the fluid's dealer does in a step is what the product's does on average over its draws.
#include "vlb/simulator/fluid_dealer.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "vlb/adaptive_dealer.hh"

namespace rackway::simulator {
namespace {

constexpr double kElapsed = 1000;

struct Shares {
  std::vector<float> straight, relays;
  bool operator==(const Shares&) const = default;
};

struct Loads {
  std::vector<float> straight, relays, weights;
};

Shares step(const Loads& loads, Shares shares, double straight_at_least) {
  FluidDealer dealer;
  dealer.step({shares.straight, shares.relays, loads.straight, loads.relays, loads.weights,
               straight_at_least},
              kElapsed);
  return shares;
}

// A row of 256 places with these shares, in a list of paths that begins at 1.
std::vector<vlb::PathIndex> places_of(const Shares& shares) {
  std::vector<vlb::PathIndex> places;
  vlb::PathIndex path = 1;
  for (const auto* kind : {&shares.straight, &shares.relays}) {
    for (const float share : *kind) {
      places.insert(places.end(), static_cast<std::size_t>(share * 256 + 0.5f), path);
      ++path;
    }
  }
  return places;
}

std::vector<double> average_step(const Loads& loads, const Shares& shares,
                                 double straight_at_least) {
  constexpr int kRuns = 4000;
  const auto straight = static_cast<vlb::PathIndex>(shares.straight.size());
  const auto all = static_cast<vlb::PathIndex>(straight + shares.relays.size());
  std::vector<vlb::PathState> states;
  std::vector<double> weights(straight, 0);
  for (const float load : loads.straight) states.push_back({true, true, load, 0});
  for (const float load : loads.relays) states.push_back({true, true, load, 0});
  weights.insert(weights.end(), loads.weights.begin(), loads.weights.end());
  std::vector<double> mean(all);
  for (int run = 0; run < kRuns; ++run) {
    auto places = places_of(shares);
    vlb::AdaptiveDealer dealer(static_cast<std::uint64_t>(run) * 7919 + 1);
    const vlb::AdaptiveDealer::Row row{
        vlb::Places(places.data(), vlb::kPlaces),
        {1, static_cast<vlb::PathIndex>(1 + straight), static_cast<vlb::PathIndex>(1 + all)},
        states,
        weights,
        straight_at_least};
    dealer.step(row, kElapsed);
    for (const auto path : places) mean[path - 1u] += 1.0 / 256 / kRuns;
  }
  return mean;
}

// Loads are a multiple of 0.05 apart, so that no two are nearly as much as makes a difference.
Loads random_loads(std::mt19937& random, std::size_t straight, std::size_t relays) {
  const auto load = [&] { return 0.4f + 0.05f * static_cast<float>(random() % 17); };
  Loads loads;
  for (std::size_t i = 0; i < straight; ++i) loads.straight.push_back(load());
  for (std::size_t i = 0; i < relays; ++i) {
    loads.relays.push_back(load());
    loads.weights.push_back(static_cast<float>(1 + random() % 3));
  }
  return loads;
}

Shares random_shares(std::mt19937& random, std::size_t straight, std::size_t relays) {
  std::vector<std::uint32_t> places(straight + relays, 0);
  for (int i = 0; i < 16; ++i) places[random() % places.size()] += 16;
  Shares shares;
  for (std::size_t i = 0; i < places.size(); ++i) {
    (i < straight ? shares.straight : shares.relays).push_back(static_cast<float>(places[i]) / 256);
  }
  return shares;
}

TEST(FluidDealer, AStepIsTheAverageOfTheDealersSteps) {
  std::mt19937 random(5);
  for (int round = 0; round < 40; ++round) {
    const std::size_t straight = 1 + random() % 2, relays = 1 + random() % 6;
    const auto loads = random_loads(random, straight, relays);
    const auto before = random_shares(random, straight, relays);
    const double at_least = random() % 2 == 0 ? 0.1 : 0.4;
    const auto expected = average_step(loads, before, at_least);
    const auto after = step(loads, before, at_least);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const bool is_straight = i < straight;
      const float share = is_straight ? after.straight[i] : after.relays[i - straight];
      const float was = is_straight ? before.straight[i] : before.relays[i - straight];
      EXPECT_NEAR(share - was, expected[i] - was, 0.006) << "round " << round << " path " << i;
    }
  }
}

TEST(FluidDealer, NothingIsLostOrMade) {
  std::mt19937 random(6);
  for (int round = 0; round < 300; ++round) {
    const std::size_t straight = 1 + random() % 3, relays = random() % 30;
    const auto after =
        step(random_loads(random, straight, relays), random_shares(random, straight, relays), 0.2);
    double sum = std::accumulate(after.straight.begin(), after.straight.end(), 0.0);
    sum = std::accumulate(after.relays.begin(), after.relays.end(), sum);
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST(FluidDealer, IsContentWhileThereIsRoom) {
  EXPECT_TRUE(FluidDealer::is_content(std::vector<float>{0.9f}));
  EXPECT_FALSE(FluidDealer::is_content(std::vector<float>{0.91f}));
  EXPECT_TRUE(FluidDealer::is_content(std::vector<float>{0.6f, 0.1f}));
  EXPECT_FALSE(FluidDealer::is_content(std::vector<float>{0.61f, 0.1f}));
}

}  // namespace
}  // namespace rackway::simulator
