// SPDX-License-Identifier: Apache-2.0
#include "control/api_names.hh"

namespace rackway::control {

const char* kind_text(fib::GroupKind kind) {
  switch (kind) {
    case fib::GroupKind::forward: return "forward";
    case fib::GroupKind::local: return "local";
    case fib::GroupKind::glean: return "glean";
    case fib::GroupKind::blackhole: return "blackhole";
    case fib::GroupKind::unreachable: return "unreachable";
    case fib::GroupKind::prohibit: return "prohibit";
    case fib::GroupKind::broadcast: return "broadcast";
  }
  return "?";
}

std::string ApiNames::node(NodeId node) const {
  return has(node) ? view_.document.nodes[node.value].name : std::to_string(node.value);
}

std::string ApiNames::port(NodeId node, PortId port) const {
  const bool known = has(node) && port.value < view_.document.nodes[node.value].ports.size();
  return this->node(node) + "-" +
         (known ? view_.document.nodes[node.value].ports[port.value].name
                : std::to_string(port.value));
}

std::string ApiNames::interface(InterfaceRef interface) const {
  if (const auto* link = view_.builder.link_of(interface)) {
    if (!link->name.empty()) return link->name;
  }
  const auto name = port(interface.node, interface.port);
  return interface.vlan == VlanId{} ? name : name + "." + std::to_string(interface.vlan.value);
}

nlohmann::ordered_json ApiNames::next_hops(const fib::Group& group) const {
  auto next_hops = nlohmann::ordered_json::array();
  for (const auto& member : group.members) {
    const auto* adjacency = view_.coordinator.content().find(member.adjacency);
    const auto at = member.adjacency.node;
    next_hops.push_back({{"node", node(at)},
                         {"port", port(at, adjacency->port)},
                         {"interface", interface({at, adjacency->port, adjacency->vlan})},
                         {"address", adjacency->next_hop.to_string()},
                         {"mac", adjacency->destination.to_string()},
                         {"weight", member.weight}});
  }
  return next_hops;
}

}  // namespace rackway::control
