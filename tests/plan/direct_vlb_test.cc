// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/direct_vlb.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

namespace rackway::plan {
namespace {

constexpr double kUnequalSlack = 0.05;

using Matrix = std::vector<std::vector<double>>;

// Deals each pair's traffic out as it is written in the header, pair by pair.
class NaiveDirectVlb {
 public:
  NaiveDirectVlb(const FabricModel& model, const Failures& failures)
      : rates_(model.rates), works_(model.nodes(), std::vector<bool>(model.nodes(), false)) {
    const auto living = living_links(model, failures);
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      const auto a = model.links[i].a.value, b = model.links[i].b.value;
      works_[a][b] = works_[b][a] = living[i];
    }
  }

  [[nodiscard]] double load(std::size_t a, std::size_t b, const Matrix& matrix) const {
    double load = 0;
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      for (std::size_t j = 0; j < rates_.size(); ++j) {
        if (i != j) load += of_pair(i, j, matrix[i][j], a, b);
      }
    }
    return load;
  }

  // All orders in which a's and b's traffic can be filled up: the corners of what is admissible.
  [[nodiscard]] double worst(std::size_t a, std::size_t b) const {
    double worst = 0;
    for (const double share : {0.0, 1.0}) {
      const double own = share * std::min({straight(a, b), rates_[a], rates_[b]});
      const double both = own + fill(a, b, own, true) + fill(a, b, own, false);
      worst = std::max(worst, both);
    }
    return worst;
  }

 private:
  [[nodiscard]] double relays(std::size_t i, std::size_t j) const {
    double sum = 0;
    for (std::size_t k = 0; k < rates_.size(); ++k) {
      if (k != i && k != j && works_[i][k] && works_[k][j]) sum += rates_[k];
    }
    return sum;
  }
  [[nodiscard]] double straight(std::size_t i, std::size_t j) const {
    if (!works_[i][j]) return 0;
    const double others = relays(i, j);
    if (others == 0) return 1e9;
    return rates_[i] * rates_[j] / (rates_[i] + rates_[j] + others);
  }
  [[nodiscard]] double of_pair(std::size_t i, std::size_t j, double amount, std::size_t a,
                               std::size_t b) const {
    const double over = std::max(0.0, amount - straight(i, j));
    if (i == a && j == b) return amount - over;
    if (over == 0) return 0;
    const bool first = i == a && b != j && works_[a][b] && works_[b][j];
    const bool second = j == b && a != i && works_[i][a] && works_[a][b];
    return (first ? rates_[b] : second ? rates_[a] : 0) * over / relays(i, j);
  }
  [[nodiscard]] double fill(std::size_t a, std::size_t b, double own, bool from_a) const {
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < rates_.size(); ++i) {
      if (i != a && i != b) others.push_back(i);
    }
    double most = 0;
    do {
      double left = rates_[from_a ? a : b] - own, load = 0;
      for (const auto other : others) {
        const double amount = std::min(left, rates_[other]);
        left -= amount;
        load += from_a ? of_pair(a, other, amount, a, b) : of_pair(other, b, amount, a, b);
      }
      most = std::max(most, load);
    } while (std::next_permutation(others.begin(), others.end()));
    return most;
  }

  std::vector<double> rates_;
  std::vector<std::vector<bool>> works_;
};

Matrix matrix_of(std::size_t nodes, const std::vector<Demand>& demands) {
  Matrix matrix(nodes, std::vector<double>(nodes, 0));
  for (const auto& demand : demands) matrix[demand.from.value][demand.to.value] += demand.gbps;
  return matrix;
}

double sent(const Matrix& matrix, std::size_t node) {
  return std::accumulate(matrix[node].begin(), matrix[node].end(), 0.0);
}

double received(const Matrix& matrix, std::size_t node) {
  double sum = 0;
  for (const auto& row : matrix) sum += row[node];
  return sum;
}

// The matrix is admissible and does what it says, and no order of filling up does more, or not
// much.
void expect_worst(const FabricModel& model, const Failures& failures = {}, double slack = 1e-9) {
  const auto found = direct_vlb_guarantee(model, failures);
  const NaiveDirectVlb naive(model, failures);
  const auto matrix = matrix_of(model.nodes(), found.matrix);
  for (std::size_t i = 0; i < model.nodes(); ++i) {
    EXPECT_LE(sent(matrix, i), model.rates[i] + 1e-9);
    EXPECT_LE(received(matrix, i), model.rates[i] + 1e-9);
  }
  const auto& binding = model.links[found.link];
  const auto from = found.a_to_b ? binding.a : binding.b, to = found.a_to_b ? binding.b : binding.a;
  EXPECT_NEAR(naive.load(from.value, to.value, matrix), found.load, 1e-9);
  double least = 1e9;
  const auto living = living_links(model, failures);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    if (!living[i]) continue;
    const auto& [a, b, gbps] = model.links[i];
    least = std::min(
        {least, gbps / naive.worst(a.value, b.value), gbps / naive.worst(b.value, a.value)});
  }
  EXPECT_GE(found.fraction, least * (1 - 1e-9));
  EXPECT_LE(found.fraction, least * (1 + slack));
}

// Valiant needs 2r/N.
TEST(DirectVlb, NeedsLinksOf3rByN) {
  for (const unsigned n : {4u, 5u, 8u, 31u, 128u}) {
    EXPECT_NEAR(direct_vlb_guarantee(full_mesh(n, 10, 20.0 / n)).fraction, 2.0 / 3, 1e-9) << n;
  }
  EXPECT_NEAR(direct_vlb_guarantee(full_mesh(3, 10, 20.0 / 3)).fraction, 0.5, 1e-9);
  EXPECT_NEAR(direct_vlb_guarantee(full_mesh(2, 10, 10)).fraction, 1, 1e-9);
}

TEST(DirectVlb, IsWorstByAllOrders) {
  for (const std::size_t n : {2u, 3u, 4u, 6u}) {
    expect_worst(full_mesh(n, 10, 5));
    if (n > 2) expect_worst(full_mesh(n, 10, 5), {{}, {0}});
    if (n > 3) expect_worst(full_mesh(n, 10, 5), {{NodeId{1}}, {}});
  }
  std::mt19937 random(7);
  for (int round = 0; round < 60; ++round) {
    auto model = full_mesh(3 + random() % 4, 10, 5);
    for (auto& rate : model.rates) rate = 5.0 * static_cast<double>(1 + random() % 4);
    expect_worst(model, {}, kUnequalSlack);
    expect_worst(model, {{}, {static_cast<std::uint32_t>(random() % model.links.size())}},
                 kUnequalSlack);
  }
}

TEST(DirectVlb, NoRandomMatrixIsWorse) {
  std::mt19937 random(3);
  const auto model = full_mesh(6, 10, 5);
  const NaiveDirectVlb naive(model, {});
  for (int round = 0; round < 500; ++round) {
    Matrix matrix(6, std::vector<double>(6, 0));
    double most = 0;
    for (std::size_t i = 0; i < 6; ++i) {
      for (std::size_t j = 0; j < 6; ++j) {
        if (i != j && random() % 3 == 0) matrix[i][j] = static_cast<double>(random() % 100);
      }
    }
    for (std::size_t i = 0; i < 6; ++i) {
      most = std::max({most, sent(matrix, i), received(matrix, i)});
    }
    for (auto& row : matrix) {
      for (auto& amount : row) amount *= most > 0 ? 10 / most : 0;
    }
    EXPECT_LE(naive.load(0, 1, matrix), 5 + 1e-9);
  }
}

}  // namespace
}  // namespace rackway::plan
