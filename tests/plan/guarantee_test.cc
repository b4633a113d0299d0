// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/guarantee.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tests/plan/naive_loads.hh"
#include "topo/plan/butterfly_shape.hh"

namespace rackway::plan {
namespace {

constexpr NodeId node(int i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

using Matrix = std::vector<std::vector<double>>;

Matrix to_matrix(std::size_t nodes, const std::vector<Demand>& demands) {
  Matrix matrix(nodes, std::vector<double>(nodes, 0));
  for (const auto& demand : demands) matrix[demand.from.value][demand.to.value] += demand.gbps;
  return matrix;
}

// The worst load of each direction over all permutations of the nodes with external ports, which
// are the corners of what is admissible if all rates are equal.
std::vector<double> worst_by_trying(const FabricModel& model, const SteeringSplit& split,
                                    const Failures& failures) {
  const NaiveLoads loads(model, split, failures);
  const auto living = living_nodes(model, failures);
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < model.nodes(); ++i) {
    if (living[i] && model.rates[i] > 0) ends.push_back(i);
  }
  auto order = ends;
  std::vector<double> worst(2 * model.links.size(), 0);
  do {
    Matrix matrix(model.nodes(), std::vector<double>(model.nodes(), 0));
    for (std::size_t i = 0; i < ends.size(); ++i) matrix[ends[i]][order[i]] = model.rates[ends[i]];
    const auto under = loads.under(matrix);
    for (std::size_t d = 0; d < worst.size(); ++d) worst[d] = std::max(worst[d], under[d]);
  } while (std::next_permutation(order.begin(), order.end()));
  return worst;
}

void expect_equal(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-9) << i;
}

// The matrix is admissible and loads the link as it says.
void expect_attained(const FabricModel& model, const SteeringSplit& split, const Guarantee& found) {
  const auto matrix = to_matrix(model.nodes(), found.matrix);
  for (std::size_t i = 0; i < model.nodes(); ++i) {
    double sent = 0, received = 0;
    for (std::size_t j = 0; j < model.nodes(); ++j) {
      sent += matrix[i][j];
      received += matrix[j][i];
    }
    EXPECT_LE(sent, model.rates[i] + 1e-9);
    EXPECT_LE(received, model.rates[i] + 1e-9);
  }
  const auto loads = NaiveLoads(model, split, found.failures).under(matrix);
  EXPECT_NEAR(loads[direction(found.link, found.a_to_b)], found.load, 1e-9);
  EXPECT_NEAR(model.links[found.link].gbps / found.load, found.fraction, 1e-9);
}

TEST(Guarantee, AMeshNeedsLinksOf2rByN) {
  for (const std::size_t n : {2u, 3u, 4u, 5u, 8u, 17u, 64u}) {
    const auto model = full_mesh(n, 10, 20.0 / n);
    const auto found = guarantee(model, valiant(model));
    EXPECT_NEAR(found.fraction, 1, 1e-9) << n;
    if (n <= 8) expect_attained(model, valiant(model), found);
  }
}

TEST(Guarantee, DeadNodesLeave2rByTheLiving) {
  const auto model = full_mesh(9, 10, 1);
  for (unsigned k = 0; k <= 7; ++k) {
    Failures failures;
    for (unsigned i = 0; i < k; ++i) failures.nodes.push_back(node(static_cast<int>(i)));
    EXPECT_NEAR(guarantee(model, valiant(model), failures).fraction, (9.0 - k) / 20, 1e-9) << k;
    const auto all = guarantee_surviving(model, valiant(model), {k, 0, k});
    ASSERT_TRUE(all);
    EXPECT_NEAR(all->fraction, (9.0 - k) / 20, 1e-9) << k;
  }
}

// Without the link a-b that pair has N-2 relays; a third node sees 1/(N-2) of it and 1/N of
// another.
TEST(Guarantee, ADeadLinkCostsALittleMoreThanADeadNode) {
  for (const std::size_t n : {4u, 6u, 16u, 40u}) {
    const auto model = full_mesh(n, 10, 1);
    const auto found = guarantee_surviving(model, valiant(model), {1, 1, 1});
    ASSERT_TRUE(found);
    const double by_node = 2.0 / (n - 1), by_link = 1.0 / (n - 2) + 1.0 / n;
    EXPECT_NEAR(found->fraction, 1 / (10 * std::max(by_node, by_link)), 1e-9) << n;
    EXPECT_EQ(found->failures.links.size(), 1u);
    EXPECT_EQ(found->looked_at, 3u);
    EXPECT_EQ(found->stands_for, 1 + n + n * (n - 1) / 2);
    if (n <= 6) expect_attained(model, valiant(model), *found);
  }
}

TEST(Guarantee, UnequalNodesNeed2RiRjByTheSum) {
  auto model = full_mesh(5, 0, 1);
  model.rates = {40, 10, 20, 10, 20};
  const auto loads = worst_loads(model, valiant(model));
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    const double a = model.rates[model.links[i].a.value], b = model.rates[model.links[i].b.value];
    // As long as both can send and receive all they can elsewhere or to each other.
    EXPECT_NEAR(loads[direction(i, true)], 2 * a * b / 100, 1e-9);
    EXPECT_NEAR(loads[direction(i, false)], 2 * a * b / 100, 1e-9);
  }
}

TEST(Guarantee, DirectRoutingGuaranteesOneLink) {
  const auto model = full_mesh(8, 10, 2.5);
  const auto found = guarantee(model, fixed_share(model, 0));
  EXPECT_NEAR(found.fraction, 0.25, 1e-9);
  ASSERT_EQ(found.matrix.size(), 1u);
  EXPECT_DOUBLE_EQ(found.matrix[0].gbps, 10);
}

TEST(Guarantee, IsTheWorstOfAllMatrices) {
  std::mt19937 random(3);
  for (int round = 0; round < 40; ++round) {
    const std::size_t n = 3 + random() % 4;
    auto model = full_mesh(n, 10, 1);
    auto split = round % 3 == 0 ? fixed_share(model, 0.25) : valiant(model);
    for (auto& weight : split.weights) weight = 1.0 + random() % 3;
    Failures failures;
    if (n > 3 && random() % 2 == 0) failures.nodes.push_back(node(static_cast<int>(random() % n)));
    if (random() % 2 == 0) failures.links.push_back(random() % model.links.size());
    if (guarantee(model, split, failures).cut_off) continue;
    expect_equal(worst_loads(model, split, failures), worst_by_trying(model, split, failures));
    expect_attained(model, split, guarantee(model, split, failures));
  }
}

TEST(Guarantee, IsTheWorstOfAllMatricesOfAnyGraph) {
  std::mt19937 random(4);
  for (int round = 0; round < 30; ++round) {
    const std::size_t n = 4 + random() % 3;
    FabricModel model;
    model.one_hop = false;
    model.rates.assign(n, 10);
    model.rates[0] = 0;  // a relay
    for (std::size_t i = 0; i < n; ++i) {
      model.links.push_back({node(static_cast<int>(i)), node(static_cast<int>((i + 1) % n)), 5});
    }
    model.links.push_back({node(0), node(2), 7});
    const auto split = round % 3 == 0 ? fixed_share(model, 0.5) : valiant(model);
    Failures failures;
    if (random() % 2 == 0) failures.links.push_back(random() % model.links.size());
    expect_equal(worst_loads(model, split, failures), worst_by_trying(model, split, failures));
    expect_attained(model, split, guarantee(model, split, failures));
  }
}

TEST(Guarantee, NoRandomMatrixIsWorseThanThatOfUnequalRates) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> share(0, 1);
  auto model = full_mesh(5, 0, 1);
  model.rates = {90, 10, 20, 10, 5};  // one has more than half
  const auto split = valiant(model);
  const auto worst = worst_loads(model, split);
  const NaiveLoads naive(model, split, {});
  for (int round = 0; round < 2000; ++round) {
    auto sent = model.rates, received = model.rates;
    Matrix matrix(5, std::vector<double>(5, 0));
    for (int step = 0; step < 40; ++step) {
      const auto i = random() % 5, j = random() % 5;
      if (i == j) continue;
      const double gbps = std::min(sent[i], received[j]) * (step < 20 ? share(random) : 1);
      matrix[i][j] += gbps;
      sent[i] -= gbps;
      received[j] -= gbps;
    }
    const auto loads = naive.under(matrix);
    for (std::size_t d = 0; d < loads.size(); ++d) ASSERT_LE(loads[d], worst[d] + 1e-9);
  }
}

TEST(Guarantee, TwoNodesWithoutAPathGuaranteeNothing) {
  const auto model = full_mesh(2, 10, 10);
  const auto found = guarantee_surviving(model, valiant(model), {0, 1, 1});
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->cut_off);
  EXPECT_EQ(found->fraction, 0);
  ASSERT_EQ(found->matrix.size(), 1u);
}

TEST(Guarantee, OneNodeNeedsNoLinks) {
  const auto model = full_mesh(1, 10, 0);
  EXPECT_TRUE(std::isinf(guarantee(model, valiant(model)).fraction));
}

TEST(Guarantee, OfAButterflyIsTheWorstOfAllMatrices) {
  for (const Radices& radices : {Radices{2, 2}, Radices{3, 2}}) {
    const auto model = butterfly(radices, 10, 5);
    const auto split = valiant(model);
    for (const Failures& failures : {Failures{}, Failures{{node(1)}, {}}, Failures{{}, {2}}}) {
      ASSERT_TRUE(full_load(model, split, failures));
      expect_equal(worst_loads(model, split, failures), worst_by_trying(model, split, failures));
      expect_attained(model, split, guarantee(model, split, failures));
    }
  }
}

TEST(Guarantee, IsTheSameWithoutRegardToSymmetry) {
  for (auto model : {full_mesh(6, 10, 1), butterfly({3, 2}, 10, 1), butterfly({3, 3}, 10, 1),
                     butterfly({2, 3, 2}, 10, 1)}) {
    for (const Survive& survive : {Survive{1, 1, 1}, Survive{1, 1, 2}, Survive{0, 2, 2}}) {
      const auto found = guarantee_surviving(model, valiant(model), survive);
      ASSERT_TRUE(found);
      auto plain = model;
      plain.symmetry = Symmetry::none;
      const auto all = guarantee_surviving(plain, valiant(plain), survive);
      ASSERT_TRUE(all);
      EXPECT_NEAR(found->fraction, all->fraction, 1e-9);
      EXPECT_EQ(found->stands_for, all->stands_for);
      EXPECT_EQ(all->looked_at, all->stands_for);
      EXPECT_LT(found->looked_at, all->looked_at);
    }
  }
}

TEST(Guarantee, RefusesWhatCanNotBeProvedInSeconds) {
  const auto model = butterfly({8, 8, 8}, 10, 1);
  const auto found = guarantee_surviving(model, valiant(model), {3, 3, 3});
  ASSERT_FALSE(found);
  EXPECT_NE(found.error().message.find("1536 nodes"), std::string::npos);
}

TEST(FullMatrix, SendsAllAndNothingToOneself) {
  auto model = full_mesh(4, 0, 1);
  for (const auto& rates :
       {std::vector<double>{1, 1, 1, 1}, {3, 1, 1, 1}, {5, 4, 3, 2}, {0, 2, 0, 2}}) {
    model.rates = rates;
    const auto demands = full_matrix(model, {});
    ASSERT_TRUE(demands);
    const auto matrix = to_matrix(4, *demands);
    for (std::size_t i = 0; i < 4; ++i) {
      double received = 0;
      for (std::size_t j = 0; j < 4; ++j) received += matrix[j][i];
      EXPECT_NEAR(std::accumulate(matrix[i].begin(), matrix[i].end(), 0.0), rates[i], 1e-9);
      EXPECT_NEAR(received, rates[i], 1e-9);
      EXPECT_EQ(matrix[i][i], 0);
    }
  }
  model.rates = {4, 1, 1, 1};
  EXPECT_FALSE(full_matrix(model, {}));
}

TEST(ButterflyShape, HasTheLinksThatItsRulesSay) {
  const auto model = butterfly({3, 2, 2}, 10, 1);
  EXPECT_EQ(model.nodes(), 36u);
  EXPECT_EQ(model.links.size(), 12u * (3 + 2 + 2));
  std::vector<unsigned> at(model.nodes());
  for (const auto& link : model.links) ++at[link.a.value], ++at[link.b.value];
  for (std::size_t i = 0; i < at.size(); ++i) EXPECT_EQ(at[i], fanout({3, 2, 2}, i / 12));
  const auto two = butterfly({4, 3}, 10, 1);
  EXPECT_EQ(two.links.size(), 12u * (4 + 3 - 1));
  EXPECT_EQ(largest_fanout({4, 3}), 6u);
}

TEST(ButterflyShape, TheSmallestFits) {
  EXPECT_EQ(smallest_butterfly(512, 17, 4096), (Radices{8, 8, 8}));
  EXPECT_EQ(smallest_butterfly(1024, 32, 4096), (Radices{16, 8, 8}));
  EXPECT_EQ(smallest_butterfly(1024, 64, 4096), (Radices{32, 32}));
  EXPECT_FALSE(smallest_butterfly(1024, 3, 4096));
  EXPECT_FALSE(smallest_butterfly(1024, 32, 3071));
}

}  // namespace
}  // namespace rackway::plan
