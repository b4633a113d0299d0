// SPDX-License-Identifier: Apache-2.0
// The loads of a fabric's links under one traffic matrix, the slow and obvious way: every packet
// stream is walked by itself. What the planner's guarantee is compared with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "topo/plan/fabric_model.hh"
#include "topo/plan/steering_split.hh"

namespace rackway::plan {

class NaiveLoads {
 public:
  NaiveLoads(const FabricModel& model, const SteeringSplit& split, const Failures& failures)
      : model_(model), split_(split) {
    nodes_ = living_nodes(model, failures);
    links_ = living_links(model, failures);
    for (std::size_t t = 0; t < model.nodes(); ++t) hops_.push_back(hops_to(t));
  }

  // matrix[i][j] in Gb/s.
  std::vector<double> under(const std::vector<std::vector<double>>& matrix) const {
    std::vector<double> loads(2 * model_.links.size(), 0);
    for (std::size_t i = 0; i < matrix.size(); ++i) {
      for (std::size_t j = 0; j < matrix.size(); ++j) {
        if (i != j && matrix[i][j] > 0) spread(loads, i, j, matrix[i][j]);
      }
    }
    return loads;
  }

 private:
  bool works(std::size_t from, std::size_t to) const {
    if (!model_.one_hop) return hops_[to][from] < kFar;
    return from == to || hops_[to][from] == 1;
  }

  void spread(std::vector<double>& loads, std::size_t i, std::size_t j, double gbps) const {
    const bool is_valiant = split_.mode == SteeringSplit::Mode::valiant;
    std::vector<std::size_t> relays;
    double all = 0;
    for (std::size_t k = 0; k < model_.nodes(); ++k) {
      if (!nodes_[k] || split_.weights[k] <= 0 || (!is_valiant && (k == i || k == j))) continue;
      if (!works(i, k) || !works(k, j)) continue;
      relays.push_back(k);
      all += split_.weights[k];
    }
    double relayed = is_valiant ? 1 : split_.relay_share;
    if (!works(i, j)) relayed = 1;
    if (relays.empty()) relayed = 0;
    walk(loads, i, j, gbps * (1 - relayed));
    for (const auto k : relays) {
      walk(loads, i, k, gbps * relayed * split_.weights[k] / all);
      walk(loads, k, j, gbps * relayed * split_.weights[k] / all);
    }
  }

  void walk(std::vector<double>& loads, std::size_t from, std::size_t to, double gbps) const {
    if (from == to || gbps <= 0) return;
    std::vector<std::pair<std::size_t, std::size_t>> next;  // node, direction
    for (std::size_t l = 0; l < model_.links.size(); ++l) {
      const std::size_t a = model_.links[l].a.value, b = model_.links[l].b.value;
      if (!links_[l]) continue;
      if (a == from && hops_[to][b] + 1 == hops_[to][from]) next.emplace_back(b, 2 * l);
      if (b == from && hops_[to][a] + 1 == hops_[to][from]) next.emplace_back(a, 2 * l + 1);
    }
    for (const auto& [node, direction] : next) {
      loads[direction] += gbps / next.size();
      walk(loads, node, to, gbps / next.size());
    }
  }

  std::vector<std::uint32_t> hops_to(std::size_t target) const {
    std::vector<std::uint32_t> hops(model_.nodes(), kFar);
    hops[target] = 0;
    for (std::size_t round = 0; round < model_.nodes(); ++round) {
      for (std::size_t l = 0; l < model_.links.size(); ++l) {
        if (!links_[l]) continue;
        auto& a = hops[model_.links[l].a.value];
        auto& b = hops[model_.links[l].b.value];
        a = std::min(a, b + 1);
        b = std::min(b, a + 1);
      }
    }
    return hops;
  }

  static constexpr std::uint32_t kFar = 1000;
  const FabricModel& model_;
  const SteeringSplit& split_;
  std::vector<bool> nodes_, links_;
  std::vector<std::vector<std::uint32_t>> hops_;  // by target
};

}  // namespace rackway::plan
