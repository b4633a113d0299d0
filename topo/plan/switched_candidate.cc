// SPDX-License-Identifier: Apache-2.0
// Servers around Ethernet switches: each server has a link to each of several planes, and spreads
// over them; a plane is one switch, or leaves and spines without oversubscription where one has too
// few ports. A plane less, or a link to it, leaves the others. No server relays. That flows spread
// evenly over a plane's spines is taken for granted, which makes it look a little better than it
// is.
#include <algorithm>
#include <cmath>

#include "topo/plan/candidates.hh"

namespace rackway::plan {
namespace {

struct Plane {
  unsigned switches{0};
  unsigned cables{0};  // between switches
  std::string text;
};

std::optional<Plane> plane(const SwitchModel& model, unsigned servers) {
  if (servers <= model.ports) return Plane{1, 0, "one " + model.name};
  const unsigned half = model.ports / 2;
  const unsigned leaves = (servers + half - 1) / half;
  if (leaves > model.ports) return std::nullopt;
  const unsigned spines = (leaves * half + model.ports - 1) / model.ports;
  return Plane{
      leaves + spines, leaves * half,
      std::to_string(leaves) + " leaves and " + std::to_string(spines) + " spines " + model.name};
}

}  // namespace

Answer Candidates::switches(const ServerModel& server) const {
  Answer best{std::nullopt, "no switch of the catalogue has enough ports of a fitting rate"};
  const unsigned dead = std::min(wish_.survive.together, wish_.survive.nodes + wish_.survive.links);
  for (const auto ports : ports_per_server(server)) {
    const unsigned servers = (wish_.ports + ports - 1) / ports;
    if (servers == 1) continue;
    const double rate = ports * static_cast<double>(wish_.rate) / 1000;
    for (const auto& model : catalogue_.switches) {
      const auto each = plane(model, servers);
      if (!each) continue;
      const double uplink = static_cast<double>(model.mbps) / 1000;
      const auto planes = static_cast<unsigned>(std::ceil(rate / uplink - 1e-9)) + dead;
      const auto fit = fit_server(catalogue_, server, {ports, wish_.rate, planes, uplink, 1});
      if (!fit.fit || fit.fit->link_rate() != model.mbps) continue;
      Plan plan;
      plan.kind = FabricKind::switches;
      plan.server = server;
      plan.ports_per_server = ports;
      plan.radices = {servers};
      plan.edge = *fit.fit;
      plan.needed_gbps = rate / (planes - dead);
      plan.edge_cores = cores(server, rate, 0);
      if (plan.edge_cores + wish_.reserved_cores > server.cores) continue;
      plan.links = static_cast<std::size_t>(servers) * planes;
      plan.switches =
          std::to_string(planes) + (planes == 1 ? " plane of " : " planes of ") + each->text;
      const unsigned count = planes * each->switches;
      plan.bill.servers = servers;
      plan.bill.cables = servers * planes + planes * each->cables;
      plan.bill.rack_units = servers * server.rack_units + count * model.rack_units;
      plan.bill.price = servers * (server.price + fit.fit->nic_price) + count * model.price +
                        plan.bill.cables * catalogue_.cable_price(model.mbps);
      plan.bill.watts = servers * (server.watts + fit.fit->nic_watts) + count * model.watts;
      const auto cost = cost_of(plan.bill, wish_.objective);
      if (!best.plan || cost < cost_of(best.plan->bill, wish_.objective)) best.plan = plan;
    }
  }
  return best;
}

}  // namespace rackway::plan
