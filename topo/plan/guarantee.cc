// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/guarantee.hh"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "topo/plan/link_shares.hh"
#include "topo/plan/transportation.hh"

namespace rackway::plan {
namespace {

// Sets of failures times nodes times links: some ten seconds of one core.
constexpr double kMostWork = 6e9;
constexpr std::size_t kMostSets = 200'000;

std::vector<double> living_rates(const FabricModel& model, const Failures& failures) {
  auto rates = model.rates;
  for (const auto node : failures.nodes) rates[node.value] = 0;
  return rates;
}

std::vector<Demand> to_matrix(const std::vector<Shipment>& shipments) {
  std::vector<Demand> matrix;
  for (const auto& [from, to, amount] : shipments) {
    matrix.push_back(
        {NodeId{static_cast<NodeId::rep>(from)}, NodeId{static_cast<NodeId::rep>(to)}, amount});
  }
  return matrix;
}

std::vector<double> loads_by_matching(const FabricModel& model, const LinkShares& shares,
                                      const std::vector<double>& rates) {
  std::vector<double> loads(2 * model.links.size());
  for (Direction d = 0; d < loads.size(); ++d) {
    loads[d] = best_transport(rates, rates, shares.of(d)).value;
  }
  return loads;
}

// The direction whose load is the largest part of its link's rate.
Direction binding(const FabricModel& model, const std::vector<double>& loads) {
  Direction worst = 0;
  double most = -1;
  for (Direction d = 0; d < loads.size(); ++d) {
    const double part = loads[d] / model.links[d / 2].gbps;
    if (part > most * (1 + 1e-9)) {  // of equal ones the first, whatever the rounding
      most = part;
      worst = d;
    }
  }
  return worst;
}

Guarantee judged(const FabricModel& model, const Failures& failures,
                 const std::vector<double>& loads) {
  const auto worst = loads.empty() ? 0 : binding(model, loads);
  const double load = loads.empty() ? 0 : loads[worst];
  const double fraction =
      load > 0 ? model.links[worst / 2].gbps / load : std::numeric_limits<double>::infinity();
  return {fraction, failures, worst / 2, worst % 2 == 0, load, {}};
}

Guarantee nothing(const Failures& failures, std::vector<Demand> pair) {
  Guarantee none{0, failures, 0, true, 0, std::move(pair)};
  none.cut_off = true;
  return none;
}

std::string many(const FabricModel& model, const std::string& why) {
  return why + " in a fabric of " + std::to_string(model.nodes()) + " nodes and " +
         std::to_string(model.links.size()) + " links, which is more than can be proved in seconds";
}

}  // namespace

std::vector<double> worst_loads(const FabricModel& model, const SteeringSplit& split,
                                const Failures& failures) {
  if (const auto full = full_load(model, split, failures)) return full->loads;
  const auto shares = link_shares(model, split, failures);
  return loads_by_matching(model, *shares, living_rates(model, failures));
}

Guarantee guarantee(const FabricModel& model, const SteeringSplit& split,
                    const Failures& failures) {
  if (const auto full = full_load(model, split, failures)) {
    if (full->cut_off) return nothing(failures, {});
    auto result = judged(model, failures, full->loads);
    if (result.load > 0) result.matrix = *full_matrix(model, failures);
    return result;
  }
  const auto shares = link_shares(model, split, failures);
  if (shares->cut_off()) {
    const auto pair = shares->cut_pair();
    return nothing(failures, to_matrix({{pair.from, pair.to, model.rates[pair.from]}}));
  }
  const auto rates = living_rates(model, failures);
  auto result = judged(model, failures, loads_by_matching(model, *shares, rates));
  if (result.load > 0) {
    const auto worst = direction(result.link, result.a_to_b);
    result.matrix = to_matrix(best_transport(rates, rates, shares->of(worst)).shipments);
  }
  return result;
}

Result<Guarantee> guarantee_surviving(const FabricModel& model, const SteeringSplit& split,
                                      const Survive& survive) {
  const double work =
      static_cast<double>(model.nodes()) * std::max<std::size_t>(1, model.links.size());
  const auto most = static_cast<std::size_t>(
      std::clamp(kMostWork / std::max(1.0, work), 1.0, static_cast<double>(kMostSets)));
  const auto sets = failure_sets(model, survive, most);
  if (!sets) return fail(many(model, sets.error().message));
  Guarantee least{std::numeric_limits<double>::infinity(), {}, 0, true, 0, {}};
  bool is_first = true;
  for (const auto& failures : sets->sets) {
    auto found = guarantee(model, split, failures);
    if (is_first || found.fraction < least.fraction * (1 - 1e-9)) least = std::move(found);
    is_first = false;
  }
  least.looked_at = sets->sets.size();
  least.stands_for = sets->stands_for;
  return least;
}

}  // namespace rackway::plan
