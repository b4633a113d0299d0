// SPDX-License-Identifier: Apache-2.0
#include "topo/fabric_check.hh"

#include <algorithm>

#include "topo/json_reader.hh"

namespace rackway::topo {
namespace {

constexpr NodeId node_id(std::size_t node) {
  return NodeId{static_cast<std::uint16_t>(node)};
}

// Relays on a way over a third node: all nodes of two ways but the ends.
constexpr unsigned relays_of_two_phases(Hops diameter) {
  return diameter == 0 ? 0 : diameter * 2u - 1;
}

class FabricCheck {
 public:
  FabricCheck(std::span<const std::string> names, std::span<const LinkEnds> links)
      : names_(names), graph_(names.size(), links) {
    for (std::size_t node = 0; node < names.size(); ++node) {
      hops_.push_back(graph_.hops_from(node_id(node)));
    }
  }

  [[nodiscard]] const FabricGraph& graph() const { return graph_; }
  [[nodiscard]] Hops diameter() const { return diameter_; }

  // Every node is reached, and none is too far.
  std::optional<FabricFault> distance_fault() {
    for (std::size_t from = 0; from < hops_.size(); ++from) {
      const auto far = std::max_element(hops_[from].begin(), hops_[from].end());
      const auto to = node_id(static_cast<std::size_t>(far - hops_[from].begin()));
      if (*far == kUnreachable) return unreachable(node_id(from), to);
      if (relays_of_two_phases(*far) > kMaxHopBudget) return too_far(node_id(from), to, *far);
      diameter_ = std::max(diameter_, *far);
    }
    return std::nullopt;
  }

  // Frames for whatever target have a way on, and each takes them nearer.
  [[nodiscard]] std::optional<FabricFault> table_fault(NodeId self,
                                                       const FabricTable& table) const {
    if (table.hop_budget() < relays_of_two_phases(diameter_)) return short_budget(self, table);
    for (std::size_t to = 0; to < hops_.size(); ++to) {
      if (to == self.value) continue;
      const auto links = table.links_to(node_id(to));
      if (links.empty()) {
        return fault(self, "has no link for frames to node " + name(node_id(to)));
      }
      for (const auto link : links) {
        const auto peer = table.local_links()[link].peer;
        if (hops_[peer.value][to] + 1u == hops_[self.value][to]) continue;
        return fault(self, "sends frames for node " + name(node_id(to)) + " to node " + name(peer) +
                               ", which is not nearer");
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::string name(NodeId node) const { return in_quotes(names_[node.value]); }

  [[nodiscard]] FabricFault unreachable(NodeId from, NodeId to) const {
    return {to,
            "node " + name(to) + " is not reachable from node " + name(from) + " over the fabric",
            "add a link to it in /fabric/links"};
  }
  [[nodiscard]] FabricFault too_far(NodeId from, NodeId to, Hops hops) const {
    return {to,
            "nodes " + name(from) + " and " + name(to) + " are " + std::to_string(hops) +
                " links apart, so that a way over a third node may pass " +
                std::to_string(relays_of_two_phases(hops)) + " relays; a frame passes at most " +
                std::to_string(kMaxHopBudget),
            "add links in /fabric/links that shorten the way"};
  }
  [[nodiscard]] FabricFault short_budget(NodeId self, const FabricTable& table) const {
    return fault(self, "lets frames pass " + std::to_string(table.hop_budget()) +
                           " relays, and two phases may take " +
                           std::to_string(relays_of_two_phases(diameter_)));
  }
  [[nodiscard]] FabricFault fault(NodeId self, const std::string& what) const {
    return {self, "node " + name(self) + " " + what, "report this as a fault of the program"};
  }

  std::span<const std::string> names_;
  FabricGraph graph_;
  std::vector<std::vector<Hops>> hops_;  // from each node to each
  Hops diameter_ = 0;
};

std::optional<FabricFault> first_fault(FabricCheck& check,
                                       const std::function<FabricTable(NodeId)>& table_of) {
  if (auto found = check.distance_fault()) return found;
  for (std::size_t node = 0; node < check.graph().nodes(); ++node) {
    if (auto found = check.table_fault(node_id(node), table_of(node_id(node)))) return found;
  }
  return std::nullopt;
}

}  // namespace

std::optional<FabricFault> fabric_fault(std::span<const std::string> node_names,
                                        std::span<const LinkEnds> links) {
  FabricCheck check(node_names, links);
  return first_fault(check, [&](NodeId node) {
    return FabricTable(node, check.graph(), links, check.diameter());
  });
}

std::optional<FabricFault> fabric_fault(std::span<const std::string> node_names,
                                        std::span<const LinkEnds> links,
                                        const std::function<FabricTable(NodeId)>& table_of) {
  FabricCheck check(node_names, links);
  return first_fault(check, table_of);
}

}  // namespace rackway::topo
