// SPDX-License-Identifier: Apache-2.0
#include "vlb/traffic/traffic_matrix.hh"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace rackway::traffic {
namespace {

constexpr NodeId node(std::size_t i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

const std::vector<double> kEqual(5, 10e9);
const std::vector<double> kUnequal = {10e9, 40e9, 0, 10e9, 25e9, 100e9};

double rate(const TrafficMatrix& matrix, std::size_t from, std::size_t to) {
  for (const auto& demand : matrix.from(node(from))) {
    if (demand.egress == node(to)) return demand.rate;
  }
  return 0;
}

TEST(TrafficMatrix, LoadIsTheLargestShareOfANodesRate) {
  const std::vector<double> rates = {10, 20, 40};
  TrafficMatrix matrix(3);
  EXPECT_EQ(matrix.load(rates), 0);
  matrix.add(node(2), node(0), 5);
  EXPECT_DOUBLE_EQ(matrix.load(rates), 0.5);  // leaves at 0
  matrix.add(node(1), node(2), 18);
  EXPECT_DOUBLE_EQ(matrix.load(rates), 0.9);  // enters at 1
  EXPECT_DOUBLE_EQ(matrix.scaled(0.5).load(rates), 0.45);
  EXPECT_DOUBLE_EQ(matrix.total(), 23);
  EXPECT_TRUE(std::isinf(matrix.load(std::vector<double>{0, 20, 40})));
}

TEST(TrafficMatrix, EveryKindIsAdmissibleAndFillsSomeNode) {
  for (const auto& rates : {kEqual, kUnequal}) {
    for (const auto kind : kMatrixKinds) {
      const auto matrix = make_matrix(kind, rates, 3);
      EXPECT_NEAR(matrix.load(rates), 1, 1e-9) << name_of(kind);
    }
  }
}

TEST(TrafficMatrix, NothingWithoutNodesOrWithOne) {
  for (const auto kind : kMatrixKinds) {
    EXPECT_EQ(make_matrix(kind, std::vector<double>{}, 1).total(), 0);
    EXPECT_EQ(make_matrix(kind, std::vector<double>{10}, 1).total(), 0);
    EXPECT_EQ(make_matrix(kind, std::vector<double>{0, 10, 0}, 1).total(), 0);
  }
}

TEST(TrafficMatrix, WithinNodesUsesAllRatesUp) {
  const auto matrix = within_nodes(kUnequal);
  EXPECT_NEAR(matrix.load(kUnequal), 1, 1e-12);
  for (std::size_t i = 0; i < kUnequal.size(); ++i) {
    EXPECT_EQ(matrix.entering(node(i)), kUnequal[i]);
    EXPECT_EQ(rate(matrix, i, i), kUnequal[i]);
  }
}

TEST(TrafficMatrix, Uniform) {
  const auto matrix = uniform(kEqual);
  for (std::size_t from = 0; from < 5; ++from) {
    for (std::size_t to = 0; to < 5; ++to) {
      EXPECT_DOUBLE_EQ(rate(matrix, from, to), from == to ? 0 : 2.5e9);
    }
  }
}

TEST(TrafficMatrix, PermutationIsOfAllNodesAndNobodyToItself) {
  std::set<std::vector<int>> seen;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto matrix = permutation(kEqual, seed);
    std::vector<int> to;
    for (std::size_t from = 0; from < 5; ++from) {
      ASSERT_EQ(matrix.from(node(from)).size(), 1u);
      to.push_back(matrix.from(node(from))[0].egress.value);
      EXPECT_NE(to.back(), static_cast<int>(from));
    }
    EXPECT_EQ(std::set<int>(to.begin(), to.end()).size(), 5u);
    for (const auto out : matrix.leaving()) EXPECT_DOUBLE_EQ(out, 10e9);
    seen.insert(to);
  }
  EXPECT_GT(seen.size(), 10u);
}

TEST(TrafficMatrix, HotSpotIsWithinItsPortRate) {
  const auto matrix = hot_spot(kEqual, node(2));
  for (std::size_t from = 0; from < 5; ++from) {
    EXPECT_DOUBLE_EQ(matrix.entering(node(from)), from == 2 ? 0 : 2.5e9);
  }
  EXPECT_DOUBLE_EQ(matrix.leaving()[2], 10e9);
}

TEST(TrafficMatrix, WorstForDirectRoutingPairsNodesOfLikeRate) {
  const auto even = worst_direct(std::vector<double>{1, 8, 2, 9});
  EXPECT_EQ(rate(even, 3, 1), 8);
  EXPECT_EQ(rate(even, 1, 3), 8);
  EXPECT_EQ(rate(even, 2, 0), 1);
  EXPECT_EQ(rate(even, 0, 2), 1);
  const auto odd = worst_direct(kEqual);
  for (std::size_t from = 0; from < 5; ++from) {
    EXPECT_DOUBLE_EQ(odd.entering(node(from)), 10e9);
    EXPECT_DOUBLE_EQ(odd.leaving()[from], 10e9);
  }
  EXPECT_DOUBLE_EQ(worst_direct(std::vector<double>{5, 5, 5}).total(), 15);
}

TEST(TrafficMatrix, GravityIsInProportionToBothEnds) {
  const auto matrix = gravity(kUnequal);
  EXPECT_NEAR(rate(matrix, 1, 4) / rate(matrix, 0, 3), 40. * 25 / (10 * 10), 1e-9);
  EXPECT_EQ(matrix.from(node(2)).size(), 0u);  // a pure relay
  EXPECT_EQ(matrix.leaving()[2], 0);
}

TEST(TrafficMatrix, NamesGoThereAndBack) {
  for (const auto kind : kMatrixKinds) EXPECT_EQ(matrix_kind(name_of(kind)), kind);
  EXPECT_EQ(matrix_kind("nothing"), std::nullopt);
}

}  // namespace
}  // namespace rackway::traffic
