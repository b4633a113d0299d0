// SPDX-License-Identifier: Apache-2.0
// The ways that frames take through a fabric in which some things are dead for good and all nodes
// know it: steering's paths, and from there on what vlb::Onward does, without a table of it in each
// node, since of 4,096 nodes the tables would take longer than everything else. Immutable.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "topo/fabric_table.hh"
#include "vlb/path_list.hh"
#include "vlb/simulator/scenario.hh"

namespace rackway::simulator {

class FluidRoutes {
 public:
  // Dead is what the scenario's faults leave dead in the end. Its own links and nodes are copied.
  explicit FluidRoutes(const Scenario& scenario);

  [[nodiscard]] std::size_t nodes() const { return tables_.size(); }
  [[nodiscard]] std::size_t cables() const { return ends_.size(); }  // as simulator::Cable
  [[nodiscard]] NodeId from(std::uint32_t cable) const { return ends_[cable ^ 1]; }
  [[nodiscard]] NodeId to(std::uint32_t cable) const { return ends_[cable]; }
  [[nodiscard]] const topo::FabricTable& table(NodeId node) const { return tables_[node.value]; }
  [[nodiscard]] bool works(NodeId node) const { return works_[node.value]; }
  // Of a node's local link: the one that leaves.
  [[nodiscard]] std::uint32_t leaving(NodeId node, std::uint16_t link) const {
    const auto number = tables_[node.value].local_links()[link].number;
    return 2 * number + (ends_[2 * number] == node ? 1 : 0);
  }

  // New flowlets may take that path, see PathList::state().
  [[nodiscard]] bool is_open(NodeId ingress, const vlb::Path& path, NodeId egress) const;
  // Calls visit(cable) for each cable on the way. False if it ends somewhere else.
  template <class Visit>
  bool walk(NodeId ingress, const vlb::Path& path, NodeId egress, Visit&& visit) const {
    Step step{path.target, path.link};
    NodeId at = ingress;
    for (unsigned budget = tables_[ingress.value].hop_budget();; --budget) {
      const auto cable = leaving(at, step.link);
      visit(cable);
      at = to(cable);
      if (at == egress) return true;
      if (budget == 0) return false;
      step = onward(at, step.target == at ? egress : step.target, ingress);
      if (step.link == vlb::kNoLink) return false;
    }
  }
  // A neighbour's best own link towards a node, for those who ask what it says in its hellos; calls
  // visit(cable) for each that is alive.
  template <class Visit>
  void for_each_way(NodeId at, NodeId target, Visit&& visit) const {
    for (const auto link : tables_[at.value].links_to(target)) {
      if (is_alive(at, link)) visit(leaving(at, link));
    }
  }

 private:
  struct Step {
    NodeId target;
    std::uint16_t link;
  };

  void find_dead(const Scenario& scenario);
  [[nodiscard]] bool is_alive(NodeId node, std::uint16_t link) const {
    return all_alive_ || alive_[tables_[node.value].local_links()[link].number];
  }
  [[nodiscard]] bool leg_is_alive(NodeId node, std::uint16_t link, NodeId target) const;
  [[nodiscard]] bool has_way(NodeId node, NodeId target) const;
  // As a relay does it, with a detour where it needs one.
  [[nodiscard]] Step onward(NodeId at, NodeId target, NodeId ingress) const {
    const auto links = tables_[at.value].links_to(target);
    if (all_alive_ && !links.empty()) return {target, links[target.value % links.size()]};
    return onward_around(at, target, ingress);
  }
  [[nodiscard]] Step onward_around(NodeId at, NodeId target, NodeId ingress) const;

  std::vector<topo::FabricTable> tables_;
  std::vector<NodeId> ends_;  // by cable: its far end
  std::vector<bool> works_;   // by node
  std::vector<bool> alive_;   // by link
  bool all_alive_{true};
};

}  // namespace rackway::simulator
