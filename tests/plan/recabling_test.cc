// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/recabling.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "topo/plan/guarantee.hh"

namespace rackway::plan {
namespace {

using What = RecablingStep::What;

NamedCluster mesh(int nodes, double rate) {
  NamedCluster cluster;
  for (int i = 0; i < nodes; ++i) {
    cluster.rates["n" + std::to_string(i)] = rate;
    for (int j = 0; j < i; ++j) {
      cluster.links.emplace_back("n" + std::to_string(j), "n" + std::to_string(i));
    }
  }
  return cluster;
}

NamedCluster ring(const std::vector<std::string>& order, double rate) {
  NamedCluster cluster;
  for (std::size_t i = 0; i < order.size(); ++i) {
    cluster.rates[order[i]] = rate;
    cluster.links.emplace_back(order[i], order[(i + 1) % order.size()]);
  }
  return cluster;
}

// Takes the steps one by one, with its own reckoning of degrees and guarantee.
void expect_sound(const NamedCluster& from, const NamedCluster& to, const RecablingRules& rules,
                  const Recabling& found, bool one_hop) {
  ASSERT_TRUE(found.possible) << found.why_not;
  std::set<std::string> names;
  for (const auto& [name, rate] : from.rates) names.insert(name);
  for (const auto& [name, rate] : to.rates) names.insert(name);
  const std::vector<std::string> list(names.begin(), names.end());
  const auto number = [&](const std::string& name) {
    return NodeId{
        static_cast<std::uint16_t>(std::find(list.begin(), list.end(), name) - list.begin())};
  };
  const auto ends = [](const std::string& a, const std::string& b) { return std::minmax(a, b); };
  const auto degree = [](const auto& links, const std::string& name) {
    return std::count_if(links.begin(), links.end(), [&](const auto& link) {
      return link.first == name || link.second == name;
    });
  };
  std::set<std::pair<std::string, std::string>> links, wanted;
  for (const auto& [a, b] : from.links) links.insert(ends(a, b));
  for (const auto& [a, b] : to.links) wanted.insert(ends(a, b));
  const auto before = links;
  auto rates = from.rates;
  for (const auto& step : found.steps) {
    if (step.what == What::add_link) {
      EXPECT_TRUE(links.insert(ends(step.a, step.b)).second);
    }
    if (step.what == What::remove_link) {
      EXPECT_EQ(links.erase(ends(step.a, step.b)), 1u);
    }
    if (step.b.empty()) {
      const auto at = to.rates.find(step.a);
      rates[step.a] = at == to.rates.end() ? 0 : at->second;
    }
    FabricModel model;
    model.one_hop = one_hop;
    for (const auto& name : list) model.rates.push_back(rates[name]);
    for (const auto& [a, b] : links) {
      model.links.push_back({number(a), number(b), rules.link_gbps});
    }
    const auto fraction = std::min(1.0, guarantee(model, valiant(model)).fraction);
    EXPECT_GE(fraction, rules.keep - 1e-9) << step_text(step);
    EXPECT_NEAR(fraction, step.fraction, 1e-9) << step_text(step);
    for (const auto& name : list) {
      EXPECT_LE(degree(links, name),
                std::max(degree(before, name), degree(wanted, name)) + rules.spare_ports);
    }
  }
  EXPECT_EQ(links, wanted);
  for (const auto& [name, rate] : to.rates) EXPECT_EQ(rates[name], rate);
}

TEST(Recabling, NothingToDo) {
  const auto found = recable(mesh(3, 10), mesh(3, 10), {10, 1});
  EXPECT_TRUE(found.possible);
  EXPECT_TRUE(found.steps.empty());
}

TEST(Recabling, AMeshGrowsServerByServer) {
  const auto from = mesh(4, 10), to = mesh(7, 10);
  const RecablingRules rules{5, 1};
  const auto found = recable(from, to, rules);
  expect_sound(from, to, rules, found, true);
  EXPECT_EQ(found.steps.size(), 15u + 3);
  EXPECT_DOUBLE_EQ(found.least, 1);
}

TEST(Recabling, AMeshShrinksFirstClosingPorts) {
  const auto from = mesh(5, 10), to = mesh(3, 10);
  const RecablingRules rules{7, 1};
  const auto found = recable(from, to, rules);
  expect_sound(from, to, rules, found, true);
  EXPECT_EQ(found.steps.front().what, What::close_ports);
}

TEST(Recabling, ARingIsTurnedIntoAnotherWithSparePorts) {
  const auto from = ring({"a", "b", "c", "d"}, 10), to = ring({"a", "c", "b", "d"}, 10);
  const RecablingRules rules{10, 0.6, 1};
  expect_sound(from, to, rules, recable(from, to, rules), false);
}

TEST(Recabling, WithoutASparePortTheGuaranteeWouldDrop) {
  const auto from = ring({"a", "b", "c", "d"}, 10), to = ring({"a", "c", "b", "d"}, 10);
  const auto found = recable(from, to, {10, 0.6, 0});
  EXPECT_FALSE(found.possible);
  EXPECT_TRUE(found.tried_all);
  EXPECT_NE(found.why_not.find("to disconnect"), std::string::npos) << found.why_not;
  EXPECT_NE(found.why_not.find("less than 0.600"), std::string::npos) << found.why_not;
  // With nothing to keep there is an order.
  const RecablingRules rules{10, 0, 0};
  expect_sound(from, to, rules, recable(from, to, rules), false);
}

TEST(Recabling, AnEndThatDoesNotKeepItIsNamed) {
  EXPECT_EQ(recable(mesh(4, 10), mesh(6, 10), {4, 1}).why_not,
            "the cluster before it guarantees 0.800 itself, less than 1.000");
  EXPECT_EQ(recable(mesh(6, 10), mesh(4, 10), {4, 1}).why_not,
            "the cluster after it guarantees 0.800 itself, less than 1.000");
}

TEST(Recabling, IsTheSameEveryTime) {
  const auto one = recable(mesh(3, 10), mesh(5, 10), {10, 1});
  const auto two = recable(mesh(3, 10), mesh(5, 10), {10, 1});
  ASSERT_EQ(one.steps.size(), two.steps.size());
  for (std::size_t i = 0; i < one.steps.size(); ++i) {
    EXPECT_EQ(step_text(one.steps[i]), step_text(two.steps[i]));
  }
}

}  // namespace
}  // namespace rackway::plan
