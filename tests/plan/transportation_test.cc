// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/transportation.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace rackway::plan {
namespace {

using Matrix = std::vector<std::vector<double>>;

std::vector<WeightedPair> pairs_of(const Matrix& weights) {
  std::vector<WeightedPair> pairs;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    for (std::uint32_t j = 0; j < weights[i].size(); ++j) {
      if (weights[i][j] != 0) pairs.push_back({i, j, weights[i][j]});
    }
  }
  return pairs;
}

// Every way to give the units of the sources, one after the other, to sinks with room, or to none.
double best_by_trying(const Matrix& weights, std::vector<int> supply, std::vector<int>& demand,
                      std::size_t source = 0) {
  while (source < supply.size() && supply[source] == 0) ++source;
  if (source == supply.size()) return 0;
  --supply[source];
  double best = best_by_trying(weights, supply, demand, source);
  for (std::size_t j = 0; j < demand.size(); ++j) {
    if (demand[j] == 0 || weights[source][j] == 0) continue;
    --demand[j];
    best = std::max(best, weights[source][j] + best_by_trying(weights, supply, demand, source));
    ++demand[j];
  }
  return best;
}

TEST(Transportation, NothingToMove) {
  EXPECT_EQ(best_transport({}, {}, {}).value, 0);
  const std::vector<double> none{0, 0};
  const std::vector<WeightedPair> pairs{{0, 1, 5}};
  EXPECT_EQ(best_transport(none, none, pairs).value, 0);
}

TEST(Transportation, TakesBackWhatStandsInTheWay) {
  // The best single pair is 0-0, but the best two are 0-1 and 1-0.
  const std::vector<double> ones{1, 1};
  const auto transport = best_transport(ones, ones, pairs_of({{5, 4}, {4, 0}}));
  EXPECT_DOUBLE_EQ(transport.value, 8);
  ASSERT_EQ(transport.shipments.size(), 2u);
}

TEST(Transportation, PairsThatAreNamedTwiceAddUp) {
  const std::vector<double> two{2};
  const std::vector<WeightedPair> pairs{{0, 0, 0.25}, {0, 0, 0.5}};
  EXPECT_DOUBLE_EQ(best_transport(two, two, pairs).value, 1.5);
}

TEST(Transportation, IsTheBestOfAllAssignments) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 6;
    Matrix weights(n, std::vector<double>(n));
    for (auto& row : weights) {
      for (auto& weight : row) weight = random() % 3 == 0 ? 0 : static_cast<double>(random() % 20);
    }
    std::vector<std::size_t> order(n);
    std::iota(order.begin(), order.end(), std::size_t{0});
    double best = 0;
    do {
      double value = 0;
      for (std::size_t i = 0; i < n; ++i) value += weights[i][order[i]];
      best = std::max(best, value);
    } while (std::next_permutation(order.begin(), order.end()));
    const std::vector<double> ones(n, 1);
    EXPECT_NEAR(best_transport(ones, ones, pairs_of(weights)).value, best, 1e-9);
  }
}

TEST(Transportation, IsTheBestOfAllDivisionsOfUnequalRates) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 3, m = 1 + random() % 3;
    Matrix weights(n, std::vector<double>(m));
    for (auto& row : weights) {
      for (auto& weight : row) weight = static_cast<double>(random() % 10);
    }
    std::vector<int> supply(n), demand(m);
    for (auto& units : supply) units = static_cast<int>(random() % 4);
    for (auto& units : demand) units = static_cast<int>(random() % 4);
    const std::vector<double> s(supply.begin(), supply.end()), d(demand.begin(), demand.end());
    const auto transport = best_transport(s, d, pairs_of(weights));
    EXPECT_NEAR(transport.value, best_by_trying(weights, supply, demand), 1e-9);
    std::vector<double> given(n), taken(m);
    double value = 0;
    for (const auto& [from, to, amount] : transport.shipments) {
      given[from] += amount;
      taken[to] += amount;
      value += amount * weights[from][to];
    }
    EXPECT_NEAR(value, transport.value, 1e-9);
    for (std::size_t i = 0; i < n; ++i) EXPECT_LE(given[i], s[i] + 1e-9);
    for (std::size_t j = 0; j < m; ++j) EXPECT_LE(taken[j], d[j] + 1e-9);
  }
}

}  // namespace
}  // namespace rackway::plan
