// SPDX-License-Identifier: Apache-2.0
// One node and one link to a line, so that a document of thousands of links can be read and
// compared.
#include <nlohmann/json.hpp>

#include "topo/plan/management.hh"
#include "topo/plan/plan_files.hh"

namespace rackway::plan {
namespace {

using Json = nlohmann::ordered_json;

std::string node_line(const WiredServer& server, const std::string& rate) {
  Json node{{"name", server.name}};
  auto& ports = node["ports"] = Json::array();
  for (const auto& place : server.external) {
    ports.push_back(
        {{"name", "p" + std::to_string(ports.size())}, {"device", place.device}, {"rate", rate}});
  }
  return node.dump();
}

std::string link_line(const Wiring& wiring, const WiredCable& cable, const std::string& rate) {
  const Json link{{"between", {wiring.servers[cable.a].name, wiring.servers[cable.b].name}},
                  {"devices", {cable.port_a.device, cable.port_b.device}},
                  {"rate", rate}};
  return link.dump();
}

}  // namespace

std::string cluster_json(const Wiring& wiring, const Plan& plan, Mbps rate) {
  const auto port_rate = rate_text(rate), link_rate = rate_text(plan.edge.link_rate());
  const Json controller{{"control", kControlEndpoint}, {"packets", kPacketsEndpoint}};
  std::string text = "{\n  \"name\": \"rack\",\n  \"controller\": " + controller.dump() + ",\n";
  text += "  \"nodes\": [";
  for (std::size_t i = 0; i < wiring.servers.size(); ++i) {
    text += (i == 0 ? "\n    " : ",\n    ") + node_line(wiring.servers[i], port_rate);
  }
  text += "\n  ],\n  \"fabric\": {\"links\": [";
  for (std::size_t i = 0; i < wiring.cables.size(); ++i) {
    text += (i == 0 ? "\n    " : ",\n    ") + link_line(wiring, wiring.cables[i], link_rate);
  }
  return text + "\n  ]}\n}\n";
}

}  // namespace rackway::plan
