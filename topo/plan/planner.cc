// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/planner.hh"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "topo/plan/candidates.hh"

namespace rackway::plan {
namespace {

std::string percent_more(double cost, double best) {
  return std::to_string(std::llround(100 * (cost / best - 1))) + "%";
}

std::string objective_text(Objective objective) {
  switch (objective) {
    case Objective::price: return "price";
    case Objective::watts: return "power";
    case Objective::rack_units: return "rack units";
    case Objective::servers: return "servers";
  }
  return "";
}

bool is_allowed(FabricChoice choice, FabricKind kind) {
  if (choice == FabricChoice::any) return true;
  return (choice == FabricChoice::mesh) == (kind == FabricKind::mesh);
}

struct Found {
  std::vector<Alternative> alternatives;
  const Alternative* best{nullptr};
  std::string obstacle;
};

// All alternatives, and the best of those that may be chosen. Without one, the obstacle is that of
// the attempt that came closest.
Found search(const Catalogue& catalogue, const Requirement& wish, UnitLoads& loads) {
  Found found;
  int closest = -1;
  Candidates candidates(catalogue, wish, loads);
  for (const auto& name : wish.servers) {
    const auto& server = *catalogue.server(name);
    for (const auto kind : {FabricKind::mesh, FabricKind::butterfly, FabricKind::switches}) {
      const bool chosen = kind == FabricKind::switches || is_allowed(wish.fabric, kind);
      if (!chosen) {
        found.alternatives.push_back({name, kind, std::nullopt, "not wanted"});
        continue;
      }
      auto answer = kind == FabricKind::mesh        ? candidates.mesh(server)
                    : kind == FabricKind::butterfly ? candidates.butterfly(server)
                                                    : candidates.switches(server);
      if (!answer.plan && kind != FabricKind::switches && answer.closeness > closest) {
        closest = answer.closeness;
        found.obstacle = answer.why_not;
      }
      if (answer.plan) answer.why_not = "for comparison only";
      found.alternatives.push_back({name, kind, std::move(answer.plan), answer.why_not});
    }
  }
  for (const auto& alternative : found.alternatives) {
    if (!alternative.plan || alternative.kind == FabricKind::switches) continue;
    const auto cost = cost_of(alternative.plan->bill, wish.objective);
    if (found.best == nullptr || cost < cost_of(found.best->plan->bill, wish.objective)) {
      found.best = &alternative;
    }
  }
  return found;
}

void say_why_they_lost(Found& found, const Requirement& wish) {
  const double best = cost_of(found.best->plan->bill, wish.objective);
  for (auto& alternative : found.alternatives) {
    if (!alternative.plan) continue;
    const double cost = cost_of(alternative.plan->bill, wish.objective);
    if (&alternative == found.best) {
      alternative.why = "chosen";
    } else if (alternative.kind == FabricKind::switches) {
      alternative.why =
          (cost < best ? "chosen is " + percent_more(best, cost) : percent_more(cost, best)) +
          " more " + objective_text(wish.objective) + "; for comparison only";
    } else if (cost == best) {
      alternative.why = "the same " + objective_text(wish.objective);
    } else {
      alternative.why = percent_more(cost, best) + " more " + objective_text(wish.objective);
    }
  }
}

std::string outcome(const Plan& plan, const Requirement& wish) {
  return std::to_string(wish.ports) + " ports of " + rate_text(wish.rate) + ": " +
         shape_text(plan) + ", " + std::to_string(plan.bill.servers) + " x " + plan.server.name;
}

// The best plan for a wish, or nothing.
std::optional<Plan> quick(const Catalogue& catalogue, const Requirement& wish) {
  UnitLoads loads(wish.survive);
  const auto found = search(catalogue, wish, loads);
  if (found.best == nullptr) return std::nullopt;
  return found.best->plan;
}

// Steps down until something is possible, then up again as far as it goes.
std::optional<std::string> fewer_ports(const Catalogue& catalogue, const Requirement& wish) {
  auto less = wish;
  unsigned impossible = wish.ports, possible = 0;
  std::optional<std::string> fewer;
  const auto try_it = [&](unsigned ports) {
    less.ports = ports;
    less.growth = wish.growth;
    std::erase_if(less.growth, [&](unsigned before) { return before >= ports; });
    const auto plan = quick(catalogue, less);
    (plan ? possible : impossible) = ports;
    if (plan) fewer = outcome(*plan, less);
  };
  while (possible == 0 && impossible > 1) try_it(impossible - std::max(1u, impossible / 5));
  while (possible > 0 && possible + 1 < impossible) try_it(possible + (impossible - possible) / 2);
  return fewer;
}

// Each gives up one thing, and no more of it than it must.
std::vector<std::string> nearest_plans(const Catalogue& catalogue, const Requirement& wish) {
  std::vector<std::string> nearest;
  for (unsigned together = wish.survive.together; together-- > 0;) {
    auto less = wish;
    less.survive = {std::min(wish.survive.nodes, together), std::min(wish.survive.links, together),
                    together};
    if (const auto plan = quick(catalogue, less)) {
      nearest.push_back("surviving " + std::to_string(together) + " failures, " +
                        outcome(*plan, less));
      break;
    }
  }
  if (wish.fabric != FabricChoice::any) {
    auto any = wish;
    any.fabric = FabricChoice::any;
    if (const auto plan = quick(catalogue, any)) {
      nearest.push_back("with any fabric, " + outcome(*plan, any));
    }
  }
  if (!wish.growth.empty()) {
    auto at_once = wish;
    at_once.growth.clear();
    if (const auto plan = quick(catalogue, at_once)) {
      nearest.push_back("without growing, " + outcome(*plan, at_once));
    }
  }
  if (const auto fewer = fewer_ports(catalogue, wish)) {
    nearest.push_back("with fewer ports, " + *fewer);
  }
  std::set<Mbps, std::greater<>> rates;
  for (const auto& name : wish.servers) {
    for (const auto& nic : catalogue.server(name)->nics) {
      for (const auto& mode : catalogue.nic(nic)->modes) {
        if (mode.mbps < wish.rate) rates.insert(mode.mbps);
      }
    }
  }
  for (const auto rate : rates) {
    auto slower = wish;
    slower.rate = rate;
    const auto plan = quick(catalogue, slower);
    if (!plan) continue;
    nearest.push_back("with slower ports, " + outcome(*plan, slower));
    break;
  }
  return nearest;
}

std::vector<GrowthStep> growth_of(const Catalogue& catalogue, const Plan& plan,
                                  const Requirement& wish) {
  std::vector<GrowthStep> steps;
  auto counts = wish.growth;
  if (!counts.empty()) counts.push_back(wish.ports);
  for (const auto ports : counts) {
    auto smaller = plan;
    const auto servers = (ports + plan.ports_per_server - 1) / plan.ports_per_server;
    smaller.radices = {servers};
    const auto model = smaller.model(wish.rate);
    const auto found = guarantee_surviving(model, valiant(model), wish.survive);
    const auto cables = model.links.size();
    // Each server comes with all its cards; only its cables come later.
    const auto price = servers * (plan.server.price + plan.edge.nic_price) +
                       cables * catalogue.cable_price(plan.edge.fabric.mode.mbps);
    steps.push_back({ports, servers, cables, price, found ? found->fraction : 0});
  }
  return steps;
}

}  // namespace

FabricModel Plan::model(Mbps rate) const {
  return butterfly(radices, ports_per_server * static_cast<double>(rate) / 1000,
                   static_cast<double>(edge.link_rate()) / 1000);
}

Report make_plan(const Catalogue& catalogue, const Requirement& wish) {
  Report report{wish};
  UnitLoads loads(wish.survive);
  auto found = search(catalogue, wish, loads);
  if (found.best == nullptr) {
    report.alternatives = std::move(found.alternatives);
    report.obstacle = found.obstacle;
    report.nearest = nearest_plans(catalogue, wish);
    return report;
  }
  say_why_they_lost(found, wish);
  report.plan = found.best->plan;
  report.alternatives = std::move(found.alternatives);
  const auto model = report.plan->model(wish.rate);
  report.intact = guarantee(model, valiant(model));
  const auto surviving = guarantee_surviving(model, valiant(model), wish.survive);
  report.surviving = surviving ? *surviving : report.intact;  // the search proved it before
  report.growth = growth_of(catalogue, *report.plan, wish);
  return report;
}

std::string kind_text(FabricKind kind) {
  switch (kind) {
    case FabricKind::mesh: return "mesh";
    case FabricKind::butterfly: return "butterfly";
    case FabricKind::switches: return "switches";
  }
  return "";
}

std::string shape_text(const Plan& plan) {
  if (plan.kind == FabricKind::switches) {
    return std::to_string(plan.bill.servers) + " around " + plan.switches;
  }
  if (plan.radices.size() == 1) {
    return plan.radices[0] == 1 ? "one server" : "full mesh of " + std::to_string(plan.radices[0]);
  }
  std::string text = "butterfly ";
  for (std::size_t i = 0; i < plan.radices.size(); ++i) {
    text += (i == 0 ? "" : "x") + std::to_string(plan.radices[i]);
  }
  return text;
}

double cost_of(const Bill& bill, Objective objective) {
  // Equal ones are told apart by price.
  const double price = static_cast<double>(bill.price);
  switch (objective) {
    case Objective::price: return price;
    case Objective::watts: return static_cast<double>(bill.watts) + price * 1e-12;
    case Objective::rack_units: return bill.rack_units + price * 1e-12;
    case Objective::servers: return bill.servers + price * 1e-12;
  }
  return price;
}

}  // namespace rackway::plan
