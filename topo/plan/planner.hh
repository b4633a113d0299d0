// SPDX-License-Identifier: Apache-2.0
// Finds the cheapest cluster that meets a requirement: for each server model, each number of
// external ports a server may have, full meshes and butterflies; link rates from the guarantee,
// NICs from the slots, cores from the cost of a packet in each role. All servers of a cluster are
// of one model, all external ports and all links alike. Deterministic. Says why alternatives lost,
// and when nothing meets the requirement, what stands in the way and what would be possible
// instead.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "topo/plan/butterfly_shape.hh"
#include "topo/plan/guarantee.hh"
#include "topo/plan/requirement.hh"
#include "topo/plan/server_fit.hh"

namespace rackway::plan {

enum class FabricKind : std::uint8_t { mesh, butterfly, switches };

struct Bill {
  std::uint64_t price{0}, watts{0};
  unsigned rack_units{0}, servers{0}, cables{0};
};

// A cluster that meets the requirement. Switched ones are for comparison: `switches` says of what.
struct Plan {
  FabricKind kind{FabricKind::mesh};
  ServerModel server;
  unsigned ports_per_server{0};
  Radices radices;  // one: a full mesh of so many
  ServerFit edge, relay;
  double needed_gbps{0};  // that a link has to carry at worst
  unsigned edge_cores{0}, relay_cores{0};
  std::size_t links{0};
  Bill bill;
  std::string switches;  // "2 planes of one 32x100g"

  [[nodiscard]] std::size_t edge_servers() const { return positions(radices); }
  [[nodiscard]] std::size_t relay_servers() const { return bill.servers - edge_servers(); }
  [[nodiscard]] unsigned external_ports() const {
    return static_cast<unsigned>(edge_servers()) * ports_per_server;
  }
  [[nodiscard]] FabricModel model(Mbps rate) const;
};

struct Alternative {
  std::string server;
  FabricKind kind;
  std::optional<Plan> plan;  // the best of its kind
  std::string why;           // it lost, or is not possible
};

// The plan on its way, at a number of ports of the requirement's growth.
struct GrowthStep {
  unsigned ports;
  std::size_t servers, cables;
  std::uint64_t price;  // of all that is there
  double fraction;      // guaranteed, with all failures that are to be survived
};

struct Report {
  Requirement wish;
  std::optional<Plan> plan;
  std::vector<Alternative> alternatives;  // the plan's own among them
  Guarantee intact{}, surviving{};        // of the plan
  std::vector<GrowthStep> growth;         // the plan itself at the end; empty if it is not to grow
  std::string obstacle;                   // without a plan: what stands in the way
  std::vector<std::string> nearest;       // and what would be possible instead
};

[[nodiscard]] Report make_plan(const Catalogue& catalogue, const Requirement& wish);

[[nodiscard]] std::string kind_text(FabricKind kind);
// "full mesh of 16", "butterfly 8 x 8 x 8".
[[nodiscard]] std::string shape_text(const Plan& plan);
[[nodiscard]] double cost_of(const Bill& bill, Objective objective);

}  // namespace rackway::plan
