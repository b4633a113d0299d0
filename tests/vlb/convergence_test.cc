// SPDX-License-Identifier: Apache-2.0
// Steering of all nodes together, on a fluid: that it finds a way for any admissible traffic over
// links that are only as fast as VLB needs, and stays with it.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/vlb/fluid_fabric.hh"

namespace rackway::vlb {
namespace {

using Matrix = FluidFabric::Matrix;
using topo::SteeringMode;

constexpr double kRate = 10e9;

Matrix uniform(std::size_t nodes, double load) {
  Matrix matrix(nodes, std::vector<double>(nodes, load * kRate / static_cast<double>(nodes - 1)));
  for (std::size_t i = 0; i < nodes; ++i) matrix[i][i] = 0;
  return matrix;
}
Matrix ring(std::size_t nodes, double load) {
  Matrix matrix(nodes, std::vector<double>(nodes, 0));
  for (std::size_t i = 0; i < nodes; ++i) matrix[i][(i + 1) % nodes] = load * kRate;
  return matrix;
}
Matrix pairs(std::size_t nodes, double load) {
  Matrix matrix(nodes, std::vector<double>(nodes, 0));
  for (std::size_t i = 0; i < nodes; ++i) matrix[i][i ^ 1] = load * kRate;
  return matrix;
}
Matrix hot_spot(std::size_t nodes, double load) {
  Matrix matrix(nodes, std::vector<double>(nodes, 0));
  for (std::size_t i = 1; i < nodes; ++i)
    matrix[i][0] = load * kRate / static_cast<double>(nodes - 1);
  return matrix;
}
// A few permutations one above the other: every admissible matrix is such a sum (Birkhoff).
Matrix mixed(std::size_t nodes, double load, std::mt19937& random) {
  Matrix matrix(nodes, std::vector<double>(nodes, 0));
  for (double left = load; left > 0;) {
    const double part =
        left < 0.2 ? left : left * (0.2 + 0.6 * static_cast<double>(random() % 100) / 100);
    left -= part;
    std::vector<std::size_t> to(nodes);
    std::iota(to.begin(), to.end(), std::size_t{0});
    std::shuffle(to.begin(), to.end(), random);
    for (std::size_t i = 0; i < nodes; ++i) {
      if (to[i] != i) matrix[i][to[i]] += part * kRate;
    }
  }
  return matrix;
}

FluidFabric mesh(std::size_t nodes, SteeringMode mode) {
  return FluidFabric(std::vector<double>(nodes, kRate), mode);
}

void expect_gets_through(const Matrix& matrix, double least) {
  auto fabric = mesh(matrix.size(), SteeringMode::adaptive);
  fabric.run(matrix, 300);
  const auto result = fabric.measure(matrix, 300);
  EXPECT_GE(result.goodput, least) << matrix.size() << " nodes";
  EXPECT_GE(result.worst_goodput, least - 0.005);
}

TEST(Convergence, AllAdmissibleTrafficGetsThroughAt95Percent) {
  std::mt19937 random(1);
  for (const std::size_t nodes : {4, 8, 16}) {
    for (const auto& matrix : {uniform(nodes, 0.95), ring(nodes, 0.95), pairs(nodes, 0.95),
                               hot_spot(nodes, 0.95), mixed(nodes, 0.95, random)}) {
      expect_gets_through(matrix, 0.999);
    }
  }
  for (int i = 0; i < 10; ++i) expect_gets_through(mixed(6, 0.95, random), 0.999);
}

TEST(Convergence, NearlyAllGetsThroughAtFullLoad) {
  std::mt19937 random(2);
  for (const std::size_t nodes : {4, 8, 16}) {
    for (const auto& matrix : {uniform(nodes, 1), ring(nodes, 1), pairs(nodes, 1),
                               hot_spot(nodes, 1), mixed(nodes, 1, random)}) {
      expect_gets_through(matrix, 0.98);
    }
  }
}

TEST(Convergence, WhatFitsStraightGoesStraight) {
  for (const std::size_t nodes : {4, 8, 16}) {
    for (const auto& matrix : {uniform(nodes, 1), hot_spot(nodes, 1)}) {
      auto fabric = mesh(nodes, SteeringMode::adaptive);
      EXPECT_NEAR(fabric.measure(matrix, 200).straight, 1, 1e-9);
    }
  }
}

TEST(Convergence, AndReturnsThereWhenTrafficChanges) {
  auto fabric = mesh(8, SteeringMode::adaptive);
  fabric.run(ring(8, 0.95), 200);
  EXPECT_LT(fabric.measure(ring(8, 0.95), 10).straight, 0.3);
  fabric.run(uniform(8, 0.95), 400);
  const auto after = fabric.measure(uniform(8, 0.95), 100);
  EXPECT_GE(after.straight, 0.95);
  EXPECT_NEAR(after.goodput, 1, 1e-9);
}

// The other way round it is quick: half of the loss is over in about 10 ms.
TEST(Convergence, FromStraightToSpreadInSomeHundredthsOfASecond) {
  auto fabric = mesh(8, SteeringMode::adaptive);
  fabric.run(uniform(8, 0.95), 100);
  fabric.run(ring(8, 0.95), 50);
  EXPECT_GE(fabric.measure(ring(8, 0.95), 50).goodput, 0.99);
}

TEST(Convergence, ADeadLinkIsGoneAroundAndTakenAgain) {
  auto fabric = mesh(6, SteeringMode::adaptive);
  const auto matrix = uniform(6, 0.6);
  fabric.run(matrix, 50);
  fabric.up[0][1] = fabric.up[1][0] = false;
  fabric.run(matrix, 30);
  const auto without = fabric.measure(matrix, 200);
  EXPECT_GE(without.goodput, 0.9999);
  EXPECT_LT(without.straight, 1);
  fabric.up[0][1] = fabric.up[1][0] = true;
  fabric.run(matrix, 600);
  EXPECT_GE(fabric.measure(matrix, 50).straight, 0.999);
}

TEST(Convergence, UnequalNodes) {
  const std::vector<double> rates{10e9, 40e9, 100e9, 10e9, 25e9, 40e9};
  FluidFabric fabric(rates, SteeringMode::adaptive);
  Matrix matrix(6, std::vector<double>(6, 0));
  matrix[1][5] = matrix[5][1] = 0.95 * 40e9;
  matrix[0][3] = matrix[3][0] = 0.95 * 10e9;
  matrix[2][4] = matrix[4][2] = 0.95 * 25e9;
  fabric.run(matrix, 400);
  EXPECT_GE(fabric.measure(matrix, 300).goodput, 0.999);
}

TEST(Convergence, TwoPhasesByWeightCarryEverythingAtOnce) {
  std::mt19937 random(3);
  for (const std::size_t nodes : {4, 8, 16}) {
    for (const auto& matrix : {uniform(nodes, 1), ring(nodes, 1), mixed(nodes, 1, random)}) {
      auto fabric = mesh(nodes, SteeringMode::valiant);
      // Places are whole: 256 do not divide by the number of paths.
      EXPECT_GE(fabric.measure(matrix, 50).goodput, 0.98);
    }
  }
}

TEST(Convergence, StraightOnlyLosesWhatIsTooMuch) {
  auto fabric = mesh(8, SteeringMode::direct);
  fabric.run(ring(8, 1), 1);
  EXPECT_NEAR(fabric.measure(ring(8, 1), 50).goodput, 0.25, 1e-9);
}

}  // namespace
}  // namespace rackway::vlb
