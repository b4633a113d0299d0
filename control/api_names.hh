// SPDX-License-Identifier: Apache-2.0
// What the API calls nodes, ports, interfaces and kinds of groups, and a group's next hops as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "control/api.hh"

namespace rackway::control {

[[nodiscard]] const char* kind_text(fib::GroupKind kind);

class ApiNames {
 public:
  // Must outlive this.
  explicit ApiNames(const ApiView& view) : view_(view) {}

  // A FIB taken over from the nodes may name nodes and ports that the document lacks: by number.
  [[nodiscard]] std::string node(NodeId node) const;
  [[nodiscard]] std::string port(NodeId node, PortId port) const;
  // As the kernel names it, where it has it.
  [[nodiscard]] std::string interface(InterfaceRef interface) const;
  // {node, port, interface, address, mac, weight} of each member.
  [[nodiscard]] nlohmann::ordered_json next_hops(const fib::Group& group) const;

 private:
  [[nodiscard]] bool has(NodeId node) const { return node.value < view_.document.nodes.size(); }
  const ApiView& view_;
};

}  // namespace rackway::control
