// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/full_load.hh"

#include <algorithm>
#include <numeric>

#include "topo/plan/shortest_ways.hh"

namespace rackway::plan {
namespace {

std::vector<double> living_rates(const FabricModel& model, const Failures& failures) {
  auto rates = model.rates;
  for (const auto node : failures.nodes) rates[node.value] = 0;
  return rates;
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

bool has_full_matrix(const std::vector<double>& rates) {
  return !rates.empty() && 2 * *std::max_element(rates.begin(), rates.end()) <= sum(rates);
}

}  // namespace

std::optional<FullLoad> full_load(const FabricModel& model, const SteeringSplit& split,
                                  const Failures& failures) {
  const auto rates = living_rates(model, failures);
  const bool applies = split.mode == SteeringSplit::Mode::valiant && !model.one_hop;
  if (!applies || !has_full_matrix(rates)) return std::nullopt;
  auto weights = split.weights;
  for (const auto node : failures.nodes) weights[node.value] = 0;
  const double all = sum(weights);
  FullLoad load{std::vector<double>(2 * model.links.size(), 0)};
  const ShortestWays ways(model, failures);
  for (std::size_t t = 0; t < model.nodes(); ++t) {
    if (rates[t] <= 0 && weights[t] <= 0) continue;
    const auto distances = ways.to(NodeId{static_cast<NodeId::rep>(t)});
    // To t as a relay goes its share of all that enters; to t as the egress its rate, from relays.
    std::vector<double> amounts(model.nodes());
    for (std::size_t i = 0; i < model.nodes(); ++i) {
      amounts[i] = (rates[i] * weights[t] + weights[i] * rates[t]) / all;
      if (amounts[i] > 0 && distances.hops[i] == ShortestWays::kFar) load.cut_off = true;
    }
    ways.send(distances, amounts, [&](Direction d, double gbps) { load.loads[d] += gbps; });
  }
  return load;
}

std::optional<std::vector<Demand>> full_matrix(const FabricModel& model, const Failures& failures) {
  const auto rates = living_rates(model, failures);
  if (!has_full_matrix(rates)) return std::nullopt;
  // All rates lie on a circle side by side; everybody sends to what is half a turn further on.
  const double all = sum(rates);
  std::vector<Demand> matrix;
  double from_begin = 0;
  for (std::size_t i = 0; i < rates.size(); from_begin += rates[i++]) {
    for (const double turn : {0.0, all}) {
      double to_begin = turn - all / 2;
      for (std::size_t j = 0; j < rates.size(); to_begin += rates[j++]) {
        const double begin = std::max(from_begin, to_begin);
        const double end = std::min(from_begin + rates[i], to_begin + rates[j]);
        if (i == j || end - begin <= 1e-9 * all) continue;
        matrix.push_back({NodeId{static_cast<NodeId::rep>(i)}, NodeId{static_cast<NodeId::rep>(j)},
                          end - begin});
      }
    }
  }
  return matrix;
}

}  // namespace rackway::plan
