// SPDX-License-Identifier: Apache-2.0
#include "control/cli/transitions_json.hh"

#include <nlohmann/json.hpp>

namespace rackway::cli {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const plan::Transition::Point& point) {
  if (!point.servers) {
    return {{"ports", point.ports}, {"servers", nullptr}, {"fabric", nullptr}};
  }
  const bool is_mesh = point.kind == plan::FabricKind::mesh;
  return {{"ports", point.ports},
          {"servers", *point.servers},
          {"fabric", is_mesh ? "mesh" : "butterfly"}};
}

}  // namespace

std::string transitions_json(const std::vector<plan::Transition>& transitions) {
  Json all = Json::array();
  for (const auto& transition : transitions) {
    Json one{{"server", transition.server}, {"mbps", transition.rate}};
    if (transition.largest_mesh) one["largest_mesh"] = *transition.largest_mesh;
    one["points"] = Json::array();
    for (const auto& point : transition.points) one["points"].push_back(json_of(point));
    all.push_back(std::move(one));
  }
  return Json{{"transitions", std::move(all)}}.dump(2) + "\n";
}

}  // namespace rackway::cli
