// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/unit_loads.hh"

#include <algorithm>

#include "topo/plan/guarantee.hh"

namespace rackway::plan {
namespace {

// What arrives at a node over the fabric, without what is for it, it passes on.
void add_relayed(const FabricModel& model, const Failures& failures, UnitLoad& load) {
  const auto loads = worst_loads(model, valiant(model), failures);
  std::vector<double> arriving(model.nodes(), 0);
  for (std::size_t i = 0; i < model.links.size(); ++i) {
    arriving[model.links[i].b.value] += loads[direction(i, true)];
    arriving[model.links[i].a.value] += loads[direction(i, false)];
  }
  for (std::size_t i = 0; i < model.nodes(); ++i) {
    auto& most = model.rates[i] > 0 ? load.edge_relay : load.relay;
    most = std::max(most, arriving[i] - model.rates[i]);
  }
}

std::string dead_text(const Failures& failures) {
  std::string text;
  const auto add = [&](std::size_t count, const std::string& what) {
    if (count == 0) return;
    text += (text.empty() ? "" : " and ") + std::to_string(count) + " dead " + what +
            (count == 1 ? "" : "s");
  };
  add(failures.nodes.size(), "server");
  add(failures.links.size(), "link");
  return text;
}

// Of what the others exchange, each gets its share. Fewer servers relay less.
double relayed_in_mesh(double servers) {
  return std::max(0.0, (servers - 2) / servers);
}

}  // namespace

const UnitLoad& UnitLoads::of(const Radices& radices) {
  const auto [at, is_new] = known_.try_emplace(radices);
  if (is_new) at->second = compute(radices);
  return at->second;
}

UnitLoad UnitLoads::compute(const Radices& radices) const {
  UnitLoad load;
  if (radices.size() == 1 && survive_.together == 0) {
    load.link = radices[0] > 1 ? 2.0 / radices[0] : 0;
    load.edge_relay = relayed_in_mesh(radices[0]);
    return load;
  }
  const auto model = butterfly(radices, 1, 1);
  if (model.nodes() <= survive_.nodes) {
    load.why_not = "all of " + std::to_string(model.nodes()) + " servers may die at once";
    return load;
  }
  const auto found = guarantee_surviving(model, valiant(model), survive_);
  if (!found) {
    load.why_not = found.error().message;
    return load;
  }
  if (found->cut_off) {
    load.why_not = dead_text(found->failures) + " can leave two servers without a path";
    return load;
  }
  load.link = 1 / found->fraction;
  if (radices.size() == 1) {
    load.edge_relay = relayed_in_mesh(radices[0]);
    return load;
  }
  add_relayed(model, {}, load);
  add_relayed(model, found->failures, load);
  return load;
}

double least_link_load(const Radices& radices, const Survive& survive) {
  if (radices.size() > 1) return 1.0 / *std::min_element(radices.begin(), radices.end());
  const double left = static_cast<double>(radices[0]) - survive.nodes;
  return left > 1 ? 2 / left : 0;
}

}  // namespace rackway::plan
