// SPDX-License-Identifier: Apache-2.0
#include "control/cli/sim_adversary.hh"

#include <algorithm>
#include <map>

#include "topo/plan/direct_vlb.hh"
#include "topo/plan/full_load.hh"
#include "topo/plan/guarantee.hh"

namespace rackway::cli {
namespace {

constexpr double kGigabit = 1e9;
// Matchings of a mesh, one for each link, take some ten seconds.
constexpr std::size_t kMostInMesh = 128, kMostOtherwise = 400;

plan::FabricModel model_of(const simulator::Scenario& scenario) {
  plan::FabricModel model;
  std::vector<topo::LinkEnds> ends;
  for (const auto& node : scenario.nodes) model.rates.push_back(node.external_rate / kGigabit);
  for (const auto& link : scenario.links) {
    model.links.push_back({link.ends.a, link.ends.b, link.line.rate / kGigabit});
    ends.push_back(link.ends);
  }
  model.one_hop = topo::is_full_mesh(model.nodes(), ends);
  return model;
}

plan::Failures failures_of(const simulator::Scenario& scenario) {
  auto faults = scenario.faults;
  std::stable_sort(faults.begin(), faults.end(),
                   [](const auto& a, const auto& b) { return a.at < b.at; });
  std::map<std::uint32_t, bool> nodes, links;
  for (const auto& fault : faults) {
    (fault.of == simulator::Fault::Of::node ? nodes : links)[fault.number] = fault.works;
  }
  plan::Failures failures;
  for (const auto& [node, works] : nodes) {
    if (!works) failures.nodes.push_back(NodeId{static_cast<std::uint16_t>(node)});
  }
  for (const auto& [link, works] : links) {
    if (!works) failures.links.push_back(link);
  }
  return failures;
}

bool all_are_equal(const plan::FabricModel& model) {
  const auto same_rate = [&](double rate) { return rate == model.rates.front(); };
  const auto same_link = [&](const auto& link) { return link.gbps == model.links.front().gbps; };
  return std::all_of(model.rates.begin(), model.rates.end(), same_rate) &&
         std::all_of(model.links.begin(), model.links.end(), same_link);
}

using Amounts = std::map<std::pair<std::uint16_t, std::uint16_t>, double>;

// What nodes can still send and receive, each to the next ones that can.
void fill_up(Amounts& amounts, std::vector<double> rates) {
  auto supply = rates, demand = std::move(rates);
  for (const auto& [pair, amount] : amounts) {
    supply[pair.first] -= amount;
    demand[pair.second] -= amount;
  }
  const auto nodes = supply.size();
  for (std::size_t from = 0; from < nodes; ++from) {
    const double little = supply[from] * 1e-9;
    for (std::size_t i = 1; i < nodes && supply[from] > little; ++i) {
      const auto to = (from + i) % nodes;
      const double amount = std::min(supply[from], demand[to]);
      if (amount <= little) continue;
      amounts[{static_cast<std::uint16_t>(from), static_cast<std::uint16_t>(to)}] += amount;
      supply[from] -= amount;
      demand[to] -= amount;
    }
  }
}

traffic::TrafficMatrix matrix_of(const std::vector<plan::Demand>& demands,
                                 std::vector<double> rates) {
  Amounts amounts;
  for (const auto& [from, to, gbps] : demands) amounts[{from.value, to.value}] += gbps;
  traffic::TrafficMatrix matrix(rates.size());
  fill_up(amounts, std::move(rates));
  for (const auto& [pair, gbps] : amounts) {
    matrix.add(NodeId{pair.first}, NodeId{pair.second}, gbps * kGigabit);
  }
  return matrix;
}

// Equal nodes: what loads the link to the next node most (topo/plan/direct_vlb.hh), for all nodes
// at once. To the next what goes straight, the rest to the third, so that nothing crosses two of
// those links; of three nodes all to the second.
traffic::TrafficMatrix worst_direct_vlb(const std::vector<double>& rates) {
  const auto nodes = static_cast<std::uint16_t>(rates.size());
  traffic::TrafficMatrix matrix(nodes);
  const auto behind = [nodes](int from, int by) {
    return NodeId{static_cast<std::uint16_t>((from + by) % nodes)};
  };
  for (std::uint16_t i = 0; i < nodes; ++i) {
    const double rate = rates[i] * kGigabit, straight = nodes > 3 ? rate / nodes : 0;
    matrix.add(NodeId{i}, behind(i, 1), nodes > 2 ? straight : rate);
    if (nodes > 2) matrix.add(NodeId{i}, behind(i, nodes > 3 ? 3 : 2), rate - straight);
  }
  return matrix;
}

// An error if it takes too long.
Result<plan::Guarantee> guarantee_of(const plan::FabricModel& model, const plan::Failures& failures,
                                     topo::SteeringMode mode) {
  const bool direct = mode == topo::SteeringMode::direct;
  if ((direct || model.one_hop) && model.nodes() > (model.one_hop ? kMostInMesh : kMostOtherwise)) {
    return fail("the worst matrix of " + std::to_string(model.nodes()) +
                " nodes that are not alike takes too long to find; take another --matrix");
  }
  const auto split = direct ? plan::fixed_share(model, 0) : plan::valiant(model);
  auto found = plan::guarantee(model, split, failures);
  const bool is_fixed = mode == topo::SteeringMode::direct_vlb && model.one_hop;
  if (is_fixed && !found.cut_off) return plan::direct_vlb_guarantee(model, failures);
  return found;
}

}  // namespace

Result<traffic::TrafficMatrix> adversarial_matrix(const simulator::Scenario& scenario,
                                                  topo::SteeringMode mode) {
  const auto model = model_of(scenario);
  const auto failures = failures_of(scenario);
  const bool direct = mode == topo::SteeringMode::direct;
  auto rates = model.rates;
  for (const auto node : failures.nodes) rates[node.value] = 0;
  const bool nothing_failed = failures.nodes.empty() && failures.links.empty();
  if (model.one_hop && nothing_failed && all_are_equal(model)) {
    // All links are alike. Direct: any pairs. Valiant: whatever uses all rates up.
    if (direct) return traffic::worst_direct(simulator::rates_of(scenario.nodes));
    if (mode == topo::SteeringMode::direct_vlb) return worst_direct_vlb(rates);
    return matrix_of({}, std::move(rates));
  }
  const auto found = guarantee_of(model, failures, mode);
  if (!found) return tl::unexpected(found.error());
  if (found->cut_off) return fail("some two nodes have no path, so that any matrix is the worst");
  return matrix_of(found->matrix, std::move(rates));
}

}  // namespace rackway::cli
