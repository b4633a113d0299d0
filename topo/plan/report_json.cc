// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "topo/plan/plan_files.hh"

namespace rackway::plan {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostDemands = 1000;  // of a matrix that is printed

std::string node_name(NodeId node) {
  return "n" + std::to_string(node.value + 1);
}

Json bill_json(const Bill& bill) {
  return {{"servers", bill.servers},
          {"cables", bill.cables},
          {"price", bill.price},
          {"watts", bill.watts},
          {"rack_units", bill.rack_units}};
}

Json cards_json(const ServerFit& fit) {
  auto cards = Json::array();
  for (const auto& choice : {fit.external, fit.fabric}) {
    if (choice.cards == 0) continue;
    cards.push_back({{"nic", choice.nic->name},
                     {"cards", choice.cards},
                     {"ports_per_card", choice.mode.ports},
                     {"mbps", choice.mode.mbps}});
  }
  return cards;
}

Json guarantee_json(const Guarantee& found, const FabricModel& model) {
  Json json;
  const bool is_bound = std::isfinite(found.fraction) && !model.links.empty();
  json["fraction"] = is_bound ? Json(found.fraction) : Json(nullptr);
  auto nodes = Json::array();
  for (const auto node : found.failures.nodes) nodes.push_back(node_name(node));
  auto links = Json::array();
  for (const auto link : found.failures.links) links.push_back(link);
  json["failed_nodes"] = nodes;
  json["failed_links"] = links;
  json["combinations"] = found.stands_for;
  json["combinations_computed"] = found.looked_at;
  if (!is_bound) return json;
  const auto& link = model.links[found.link];
  json["binding_link"] = found.link;
  json["binding_from"] = node_name(found.a_to_b ? link.a : link.b);
  json["binding_to"] = node_name(found.a_to_b ? link.b : link.a);
  json["load_gbps"] = found.load;
  auto& matrix = json["matrix"] = Json::array();
  for (const auto& demand : found.matrix) {
    if (matrix.size() == kMostDemands) break;
    matrix.push_back(
        {{"from", node_name(demand.from)}, {"to", node_name(demand.to)}, {"gbps", demand.gbps}});
  }
  return json;
}

double price_per_100g(const Plan& plan, Mbps rate) {
  const double gbps = plan.external_ports() * static_cast<double>(rate) / 1000;
  return static_cast<double>(plan.bill.price) / gbps * 100;
}

Json plan_json(const Plan& plan, const Requirement& wish) {
  Json json{{"fabric", kind_text(plan.kind)},
            {"shape", shape_text(plan)},
            {"server", plan.server.name},
            {"edge_servers", plan.edge_servers()},
            {"relay_servers", plan.relay_servers()},
            {"external_ports", plan.external_ports()},
            {"ports_per_server", plan.ports_per_server}};
  json.update(bill_json(plan.bill));
  json["price_per_100_gbps"] = std::llround(price_per_100g(plan, wish.rate));
  json["links"] = plan.links;
  json["link_mbps"] = plan.links == 0 ? 0 : plan.edge.link_rate();
  json["link_needed_gbps"] = plan.needed_gbps;
  json["edge_cards"] = cards_json(plan.edge);
  json["relay_cards"] = cards_json(plan.relay);
  json["edge_forwarding_cores"] = plan.edge_cores;
  json["relay_forwarding_cores"] = plan.relay_cores;
  if (!plan.switches.empty()) json["switches"] = plan.switches;
  return json;
}

Json wish_json(const Requirement& wish) {
  return {{"ports", wish.ports},
          {"growth", wish.growth},
          {"mbps", wish.rate},
          {"servers", wish.servers},
          {"survive_nodes", wish.survive.nodes},
          {"survive_links", wish.survive.links},
          {"survive_together", wish.survive.together},
          {"packets", wish.packets.text},
          {"mean_octets", wish.packets.mean_octets},
          {"core_load", wish.core_load},
          {"reserved_cores", wish.reserved_cores},
          {"cycles",
           {{"ingress", wish.costs.ingress},
            {"relay", wish.costs.relay},
            {"egress", wish.costs.egress},
            {"local", wish.costs.local}}}};
}

}  // namespace

std::string report_json(const Report& report) {
  Json json{{"requirement", wish_json(report.wish)}, {"possible", report.plan.has_value()}};
  if (report.plan) {
    const auto model = report.plan->model(report.wish.rate);
    json["plan"] = plan_json(*report.plan, report.wish);
    json["guarantee"] = {{"intact", guarantee_json(report.intact, model)},
                         {"surviving", guarantee_json(report.surviving, model)}};
    auto& growth = json["growth"] = Json::array();
    for (const auto& step : report.growth) {
      growth.push_back({{"ports", step.ports},
                        {"servers", step.servers},
                        {"cables", step.cables},
                        {"price", step.price},
                        {"fraction", step.fraction}});
    }
  } else {
    json["obstacle"] = report.obstacle;
    json["nearest"] = report.nearest;
  }
  auto& alternatives = json["alternatives"] = Json::array();
  for (const auto& alternative : report.alternatives) {
    Json row{{"server", alternative.server},
             {"fabric", kind_text(alternative.kind)},
             {"why", alternative.why}};
    row["plan"] = alternative.plan ? plan_json(*alternative.plan, report.wish) : Json(nullptr);
    alternatives.push_back(std::move(row));
  }
  return json.dump(2) + "\n";
}

}  // namespace rackway::plan
