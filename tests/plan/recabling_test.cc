// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/recabling.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "topo/plan/butterfly_shape.hh"
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

// As the planner numbers them: first those with external ports.
NamedCluster butterfly_of(const Radices& radices, double rate) {
  const auto model = butterfly(radices, rate, 1);
  NamedCluster cluster;
  const auto name = [](std::size_t node) { return "n" + std::to_string(node); };
  for (std::size_t i = 0; i < model.nodes(); ++i) cluster.rates[name(i)] = model.rates[i];
  for (const auto& link : model.links) {
    cluster.links.emplace_back(name(link.a.value), name(link.b.value));
  }
  return cluster;
}

double guaranteed(const Radices& radices, double rate, double link) {
  const auto model = butterfly(radices, rate, link);
  return std::min(1.0, guarantee(model, valiant(model)).fraction);
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
  auto used = links;
  auto rates = from.rates;
  const auto renew_rate = [&](const std::string& name) {
    const auto at = to.rates.find(name);
    rates[name] = at == to.rates.end() ? 0 : at->second;
  };
  for (const auto& step : found.steps) {
    const auto link = ends(step.a, step.b);
    switch (step.what) {
      case What::add_link:
        EXPECT_TRUE(links.insert(link).second);
        EXPECT_TRUE(used.insert(link).second);
        break;
      case What::remove_link:
        EXPECT_EQ(links.erase(link), 1u);
        used.erase(link);
        break;
      case What::lay_cable: EXPECT_TRUE(links.insert(link).second); break;
      case What::use_link:
        EXPECT_TRUE(links.contains(link));
        EXPECT_TRUE(used.insert(link).second);
        break;
      case What::change_over:
        used = wanted;
        for (const auto& name : list) renew_rate(name);
        for (const auto& each : wanted) EXPECT_TRUE(links.contains(each));
        break;
      case What::open_ports:
      case What::close_ports: renew_rate(step.a);
    }
    FabricModel model;
    model.one_hop = one_hop;
    for (const auto& name : list) model.rates.push_back(rates[name]);
    for (const auto& [a, b] : used) {
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
  EXPECT_EQ(used, wanted);
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

std::size_t count(const Recabling& found, What what) {
  return static_cast<std::size_t>(
      std::count_if(found.steps.begin(), found.steps.end(),
                    [&](const RecablingStep& step) { return step.what == what; }));
}

// Four nodes of 10 need links of 5 in a mesh and of 6.25 in a 2-ary 2-fly.
TEST(Recabling, AMeshBecomesAButterflyBesideIt) {
  const auto from = mesh(4, 10), to = butterfly_of({2, 2}, 10);
  const RecablingRules rules{8, 1, 3};
  const auto found = recable(from, to, rules);
  expect_sound(from, to, rules, found, false);
  EXPECT_EQ(count(found, What::lay_cable), 12u);
  EXPECT_EQ(count(found, What::change_over), 1u);
  EXPECT_EQ(count(found, What::remove_link), 6u);
  EXPECT_EQ(found.steps.size(), 19u);
  EXPECT_DOUBLE_EQ(found.least, 1);
}

TEST(Recabling, AButterflyGetsMoreStagesAndWider) {
  for (const auto& radices : {Radices{3, 2}, Radices{2, 2, 2}, Radices{3, 3}, Radices{4, 4}}) {
    for (const bool grows : {true, false}) {
      auto from = butterfly_of({2, 2}, 10), to = butterfly_of(radices, 10);
      if (!grows) std::swap(from, to);
      const double least = std::min(guaranteed({2, 2}, 10, 5), guaranteed(radices, 10, 5));
      const RecablingRules rules{5, least, 8};
      const auto found = recable(from, to, rules);
      expect_sound(from, to, rules, found, false);
      EXPECT_NEAR(found.least, least, 1e-9);
      EXPECT_EQ(count(found, What::change_over), 1u);
    }
  }
}

// A node of the mesh has 8 links and needs 5 ports for the butterfly's.
TEST(Recabling, WithFewerSparePortsOldLinksGoFirst) {
  const auto from = mesh(9, 10), to = butterfly_of({3, 3}, 10);
  for (const auto& [spare, least] : {std::pair{0u, 0.5}, {1u, 1.0}, {5u, 1.0}}) {
    const RecablingRules rules{10, 0.5, spare};
    const auto found = recable(from, to, rules);
    expect_sound(from, to, rules, found, false);
    EXPECT_NEAR(found.least, least, 1e-9) << spare;
    const auto first_removed =
        std::find_if(found.steps.begin(), found.steps.end(), [](const RecablingStep& step) {
          return step.what == What::remove_link || step.what == What::change_over;
        });
    EXPECT_EQ(first_removed->what, spare == 5 ? What::change_over : What::remove_link);
  }
}

TEST(Recabling, WhatIsNotPossibleSaysHowManySparePortsWouldDo) {
  const auto from = mesh(4, 10), to = butterfly_of({2, 2}, 10);
  const auto found = recable(from, to, {8, 0.9, 0});
  EXPECT_FALSE(found.possible);
  EXPECT_TRUE(found.tried_all);
  EXPECT_EQ(
      found.why_not,
      "the best that is refused is to disconnect n2 and n3, which leaves 0.873, less than "
      "0.900; with 3 spare ports at each node all new cables can be laid beside the old ones");
  const RecablingRules fewer{8, 0.9, 2}, enough{8, 1, 3};
  expect_sound(from, to, fewer, recable(from, to, fewer), false);
  expect_sound(from, to, enough, recable(from, to, enough), false);
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
