// SPDX-License-Identifier: Apache-2.0
#include "control/cli/sim_fluid_report.hh"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace rackway::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kGigabit = 1e9;

Json line(const simulator::FluidLine& line, const topo::ClusterDocument& document) {
  return {{"from", document.nodes[line.from.value].name},
          {"to", document.nodes[line.to.value].name},
          {"load", line.load},
          {"asked", line.asked}};
}

}  // namespace

std::string fluid_text(const simulator::FluidReport& report) {
  std::string text = fmt::format(
      "traffic     {:.3f} Gb/s offered, {:.3f} Gb/s arrived\n"
      "goodput     {:.4f} %\n"
      "straight    {:.2f} %\n"
      "links       mean load {:.2f} %, fullest {:.2f} %\n",
      report.offered / kGigabit, report.delivered / kGigabit, report.goodput() * 100,
      report.straight_share() * 100, report.mean_link_load() * 100,
      report.largest_link_load() * 100);
  for (const auto& [what, lost] : {std::pair{"link_full", report.lost_on_links},
                                   {"port_full", report.lost_at_ports},
                                   {"no_path", report.lost_without_path}}) {
    if (lost > report.offered * 1e-6) {
      text += fmt::format("dropped     {:.3f} Gb/s {}\n", lost / kGigabit, what);
    }
  }
  if (!report.is_settled) text += "settled     no, some shares still go to and fro\n";
  return text;
}

std::string fluid_json(const simulator::FluidReport& report,
                       const topo::ClusterDocument& document) {
  Json json{{"offered", report.offered},
            {"arrived", report.delivered},
            {"goodput", report.goodput()},
            {"straight", report.straight_share()},
            {"dropped",
             {{"no_path", report.lost_without_path},
              {"link_full", report.lost_on_links},
              {"port_full", report.lost_at_ports}}},
            {"steps", report.steps},
            {"settled", report.is_settled}};
  json["links"] = Json::array();
  for (const auto& each : report.links) json["links"].push_back(line(each, document));
  json["ports"] = Json::array();
  for (const auto& each : report.ports) json["ports"].push_back(line(each, document));
  return json.dump(2) + "\n";
}

}  // namespace rackway::cli
