// SPDX-License-Identifier: Apache-2.0
#include "control/api_order.hh"

#include <nlohmann/json.hpp>

namespace rackway::control {
namespace {

using Json = nlohmann::json;

Result<std::string> set_mode(const std::string& name, VlbOrders& orders) {
  const auto mode = topo::steering_mode(name);
  if (!mode) return fail("no mode " + name + ", only adaptive, direct, valiant, direct-vlb");
  orders.set_mode(*mode);
  return Json{{"show", "cluster"}}.dump();
}

Result<std::string> set_draining(const std::string& name, bool drains,
                                 const topo::ClusterDocument& document, VlbOrders& orders) {
  const auto node = document.find_node(name);
  if (!node) return fail("no node " + name + " in this cluster");
  orders.set_draining(*node, drains);
  return Json{{"show", "nodes"}, {"name", name}}.dump();
}

}  // namespace

std::optional<Result<std::string>> follow_order(const std::string& request,
                                                const topo::ClusterDocument& document,
                                                VlbOrders& orders) {
  const auto parsed = Json::parse(request, nullptr, false);
  if (!parsed.is_object() || !parsed.contains("order")) return std::nullopt;
  if (!parsed["order"].is_string() || !parsed.contains("name") || !parsed["name"].is_string()) {
    return fail(R"(an order is an object like {"order": "drain", "name": "n1"})");
  }
  const auto order = parsed["order"].get<std::string>(), name = parsed["name"].get<std::string>();
  if (order == "vlb-mode") return set_mode(name, orders);
  if (order == "drain") return set_draining(name, true, document, orders);
  if (order == "undrain") return set_draining(name, false, document, orders);
  return fail("no order " + order);
}

std::string refusal(const Error& error) {
  return Json{{"ok", false}, {"error", error.message}}.dump(-1, ' ', false,
                                                            Json::error_handler_t::replace);
}

}  // namespace rackway::control
