// SPDX-License-Identifier: Apache-2.0
#include "vlb/places.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace rackway::vlb {
namespace {

std::size_t held(const std::array<PathIndex, kPlaces>& places, PathIndex path) {
  return static_cast<std::size_t>(std::count(places.begin(), places.end(), path));
}

TEST(Places, AreDealtInProportion) {
  std::array<PathIndex, kPlaces> places{};
  deal_by_weight(places, 7, std::vector<double>{3, 0, 1});
  EXPECT_EQ(held(places, 7), 192u);
  EXPECT_EQ(held(places, 8), 0u);
  EXPECT_EQ(held(places, 9), 64u);
}

TEST(Places, WithoutAnyWeightNobodyHasOne) {
  std::array<PathIndex, kPlaces> places;
  places.fill(3);
  deal_by_weight(places, 3, std::vector<double>{0, 0});
  EXPECT_EQ(held(places, 0), kPlaces);
  deal_by_weight(places, 3, std::vector<double>{});
  EXPECT_EQ(held(places, 0), kPlaces);
}

TEST(Places, NoMoreThanNeededChangeHands) {
  std::mt19937 random(4);
  std::array<PathIndex, kPlaces> places{};
  for (int round = 0; round < 2000; ++round) {
    std::vector<double> weights(1 + random() % 300);
    for (auto& weight : weights) weight = random() % 4 == 0 ? 0 : random() % 1000;
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (sum == 0) continue;
    const auto before = places;
    const auto first = static_cast<PathIndex>(1 + random() % 5);
    deal_by_weight(places, first, weights);
    std::size_t kept = 0, could_stay = 0;
    for (std::size_t i = 0; i < kPlaces; ++i) kept += before[i] == places[i] ? 1 : 0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const auto path = static_cast<PathIndex>(first + i);
      ASSERT_LT(std::abs(static_cast<double>(held(places, path)) - kPlaces * weights[i] / sum), 1);
      could_stay += std::min(held(places, path), held(before, path));
    }
    ASSERT_EQ(kept, could_stay);
    ASSERT_EQ(held(places, 0), 0u);
  }
}

}  // namespace
}  // namespace rackway::vlb
