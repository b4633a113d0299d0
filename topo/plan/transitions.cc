// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/transitions.hh"

#include "topo/plan/candidates.hh"

namespace rackway::plan {
namespace {

// Some sizes between those that a mesh can have are not possible, but not so many in a row.
constexpr unsigned kSearchedOn = 256;

Requirement wish_for(const std::string& server, Mbps rate, const PacketMix& packets,
                     unsigned cables_per_link) {
  Requirement wish;
  wish.rate = rate;
  wish.servers = {server};
  wish.objective = Objective::servers;
  wish.packets = packets;
  wish.cables_per_link = cables_per_link;
  return wish;
}

Transition::Point point_of(Candidates& candidates, const ServerModel& model, unsigned ports) {
  const auto mesh = candidates.mesh(model);
  const auto butterfly = candidates.butterfly(model);
  const auto* best = mesh.plan ? &*mesh.plan : nullptr;
  if (butterfly.plan && (best == nullptr || butterfly.plan->bill.servers < best->bill.servers)) {
    best = &*butterfly.plan;
  }
  if (best == nullptr) return {ports, std::nullopt, FabricKind::mesh};
  return {ports, best->bill.servers, best->kind};
}

}  // namespace

Transition::Point transition_point(const Catalogue& catalogue, const std::string& server, Mbps rate,
                                   const PacketMix& packets, unsigned cables_per_link,
                                   unsigned ports) {
  auto wish = wish_for(server, rate, packets, cables_per_link);
  wish.ports = ports;
  UnitLoads loads(wish.survive);
  Candidates candidates(catalogue, wish, loads);
  return point_of(candidates, *catalogue.server(server), ports);
}

Transition transition(const Catalogue& catalogue, const std::string& server, Mbps rate,
                      const PacketMix& packets, unsigned cables_per_link, unsigned most_ports) {
  auto wish = wish_for(server, rate, packets, cables_per_link);
  UnitLoads loads(wish.survive);
  Transition found{server, rate, 0, {}};
  Candidates candidates(catalogue, wish, loads);
  const auto& model = *catalogue.server(server);
  for (wish.ports = 1; wish.ports <= *found.largest_mesh + kSearchedOn; ++wish.ports) {
    if (candidates.mesh(model).plan) found.largest_mesh = wish.ports;
  }
  for (wish.ports = 4; wish.ports <= most_ports; wish.ports *= 2) {
    found.points.push_back(point_of(candidates, model, wish.ports));
  }
  return found;
}

}  // namespace rackway::plan
