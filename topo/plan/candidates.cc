// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/candidates.hh"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace rackway::plan {
namespace {

// How far an attempt came.
enum Closeness {
  kNoPorts = 0,
  kNoShape = 1000,
  kNoSlots = 2000,
  kNoCores = 3000,
  kNoSurvival = 4000
};

// Servers of a mesh beside those that the ports need: they let links be slower.
constexpr unsigned kMoreServers = 3;

unsigned divided_up(unsigned a, unsigned b) {
  return (a + b - 1) / b;
}

double gbps(Mbps mbps) {
  return static_cast<double>(mbps) / 1000;
}

Answer better(Answer best, Answer next, Objective objective) {
  if (best.plan && next.plan) {
    const auto was = cost_of(best.plan->bill, objective), is = cost_of(next.plan->bill, objective);
    return is < was ? next : best;
  }
  if (best.plan || next.plan) return best.plan ? best : next;
  return next.closeness > best.closeness || best.why_not.empty() ? next : best;
}

}  // namespace

// Only those that make a difference to the number of servers.
std::vector<unsigned> Candidates::ports_per_server(const ServerModel& server) const {
  std::vector<unsigned> counts;
  for (unsigned ports = 1; ports <= std::min(server.external_ports, wish_.ports); ++ports) {
    const auto servers = divided_up(wish_.ports, ports);
    const auto enough = divided_up(wish_.ports, servers);
    if (counts.empty() || counts.back() != enough) counts.push_back(enough);
  }
  return counts;
}

std::vector<Candidates::Shape> Candidates::meshes(const ServerModel& server) const {
  std::vector<Shape> shapes;
  for (const auto ports : ports_per_server(server)) {
    const auto servers = divided_up(wish_.ports, ports);
    for (unsigned more = 0; more <= kMoreServers; ++more) {
      shapes.push_back({ports, {servers + more}});
    }
  }
  return shapes;
}

std::vector<Candidates::Shape> Candidates::butterflies(const ServerModel& server) const {
  std::set<Mbps> rates;
  for (const auto& name : server.nics) {
    for (const auto& mode : catalogue_.nic(name)->modes) rates.insert(mode.mbps);
  }
  std::vector<Shape> shapes;
  for (const auto ports : ports_per_server(server)) {
    for (const auto rate : rates) {
      const auto most = most_links(catalogue_, server, ports, wish_.rate, rate);
      // No stage can do with fewer ways than its share of the traffic takes; failures add to that.
      const auto least =
          static_cast<unsigned>(std::ceil(ports * gbps(wish_.rate) / gbps(rate) * (1 + 1e-9)));
      for (const unsigned more : {0u, 1u, 2u}) {
        const auto servers = divided_up(wish_.ports, ports);
        if (auto radices =
                smallest_butterfly(servers, most, kMaxNodes, std::max(2u, least + more))) {
          shapes.push_back({ports, std::move(*radices)});
        }
      }
    }
  }
  return shapes;
}

Answer Candidates::mesh(const ServerModel& server) {
  return best_of(server, FabricKind::mesh, meshes(server));
}

Answer Candidates::butterfly(const ServerModel& server) {
  if (!wish_.growth.empty())
    return {std::nullopt, "a butterfly does not grow by servers", kNoPorts};
  const auto shapes = butterflies(server);
  if (!shapes.empty()) return best_of(server, FabricKind::butterfly, shapes);
  const auto port = fit_server(catalogue_, server, {1, wish_.rate, 0, 0, 1});
  if (!port.fit) return {std::nullopt, port.why_not, kNoPorts};
  return {std::nullopt,
          "no butterfly of at most " + std::to_string(kMaxNodes) +
              " servers (the fabric tag's 12 " +
              "bits) has room for the ports with the links that fit " + server.name,
          kNoShape};
}

// First all shapes with the least that their links need; then, the cheapest first, with what they
// need exactly, as long as they can be cheaper than the best.
Answer Candidates::best_of(const ServerModel& server, FabricKind kind,
                           const std::vector<Shape>& shapes) {
  Answer best;
  std::vector<std::pair<double, const Shape*>> order;
  for (const auto& shape : shapes) {
    UnitLoad least;
    least.link = least_link_load(shape.radices, wish_.survive);
    auto answer = build(server, kind, shape, least);
    if (answer.plan) {
      order.emplace_back(cost_of(answer.plan->bill, wish_.objective), &shape);
    } else {
      best = better(std::move(best), std::move(answer), wish_.objective);
    }
  }
  std::stable_sort(order.begin(), order.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  for (const auto& [cost, shape] : order) {
    if (best.plan && cost_of(best.plan->bill, wish_.objective) <= cost) break;
    const auto load = load_of(*shape);
    auto answer = load.why_not.empty() ? build(server, kind, *shape, load)
                                       : Answer{std::nullopt, load.why_not, kNoSurvival};
    best = better(std::move(best), std::move(answer), wish_.objective);
  }
  return best;
}

// A mesh that is to grow needs links as fast as when it is smallest.
UnitLoad Candidates::load_of(const Shape& shape) {
  auto load = loads_.of(shape.radices);
  for (const auto ports : wish_.growth) {
    const auto& before = loads_.of({divided_up(ports, shape.ports_per_server)});
    if (!before.why_not.empty()) {
      load.why_not = "with " + std::to_string(ports) + " ports, " + before.why_not;
    }
    load.link = std::max(load.link, before.link);
  }
  return load;
}

unsigned Candidates::cores(const ServerModel& server, double external_gbps,
                           double relayed_gbps) const {
  const auto& costs = wish_.costs;
  const double fabric = external_gbps * (costs.ingress + costs.egress);
  const double alone = external_gbps * costs.local;  // all from one of its ports to another
  const double cycles =
      (std::max(fabric, alone) + relayed_gbps * costs.relay) * wish_.packets.packets_per_gbps();
  return static_cast<unsigned>(std::ceil(cycles / (server.mhz * 1e6 * wish_.core_load) - 1e-9));
}

Answer Candidates::build(const ServerModel& server, FabricKind kind, const Shape& shape,
                         const UnitLoad& load) const {
  Plan plan;
  plan.kind = kind;
  plan.server = server;
  plan.ports_per_server = shape.ports_per_server;
  plan.radices = shape.radices;
  const double rate = shape.ports_per_server * gbps(wish_.rate);
  plan.needed_gbps = rate * load.link;
  if (kind == FabricKind::mesh && shape.radices[0] > kMaxNodes) {
    return {std::nullopt,
            std::to_string(shape.radices[0]) + " servers are more than the " +
                std::to_string(kMaxNodes) + " that a cluster can have",
            kNoShape};
  }
  const FitDemand demand{shape.ports_per_server, wish_.rate, largest_fanout(shape.radices),
                         plan.needed_gbps, wish_.cables_per_link};
  auto edge = fit_server(catalogue_, server, demand);
  if (!edge.fit) {
    const int missing = static_cast<int>(std::min(edge.slots_missing, 999u));
    return {std::nullopt, edge.why_not, kNoSlots - missing};
  }
  plan.edge = *edge.fit;
  if (shape.radices.size() > 1) {
    // Relays take the edge servers' NICs for links, so that both ends of a cable are alike.
    auto links_only = demand;
    links_only.external_ports = 0;
    auto relay = fit_server(catalogue_, server, links_only);
    if (!relay.fit) return {std::nullopt, relay.why_not, kNoSlots};
    if (relay.fit->link_rate() != plan.edge.link_rate()) {
      links_only.link_gbps = gbps(plan.edge.link_rate());
      relay = fit_server(catalogue_, server, links_only);
      if (!relay.fit || relay.fit->link_rate() != plan.edge.link_rate()) {
        return {std::nullopt, "edge and relay servers find no NICs of the same rate", kNoSlots};
      }
    }
    plan.relay = *relay.fit;
  }
  plan.edge_cores = cores(server, rate, rate * load.edge_relay);
  plan.relay_cores = plan.radices.size() > 1 ? cores(server, 0, rate * load.relay) : 0;
  const auto most = std::max(plan.edge_cores, plan.relay_cores);
  const auto usable = server.cores - std::min(server.cores, wish_.reserved_cores);
  if (most > usable) {
    return {std::nullopt,
            std::to_string(shape.ports_per_server) + " ports of " + rate_text(wish_.rate) +
                " a server takes " + std::to_string(most) + " cores, " + server.name + " has " +
                std::to_string(usable) + " for forwarding",
            kNoCores};
  }
  add_up(plan);
  return {plan, ""};
}

void Candidates::add_up(Plan& plan) const {
  const auto edges = plan.edge_servers(), stages = plan.radices.size();
  std::size_t ends = 0;
  for (std::size_t stage = 0; stage < stages; ++stage) {
    ends += edges * fanout(plan.radices, stage);
  }
  plan.links = ends / 2;
  auto& bill = plan.bill;
  bill.servers = static_cast<unsigned>(stages * edges);
  const auto relays = bill.servers - edges;
  bill.cables = static_cast<unsigned>(plan.links * plan.edge.cables_per_link);
  bill.rack_units = bill.servers * plan.server.rack_units;
  bill.price = bill.servers * plan.server.price + edges * plan.edge.nic_price +
               relays * plan.relay.nic_price;
  bill.watts = bill.servers * plan.server.watts + edges * plan.edge.nic_watts +
               relays * plan.relay.nic_watts;
  if (plan.links > 0)
    bill.price += bill.cables * catalogue_.cable_price(plan.edge.fabric.mode.mbps);
}

}  // namespace rackway::plan
