// SPDX-License-Identifier: Apache-2.0
// For one server model: the best full mesh, the best butterfly, and the best cluster around
// Ethernet switches that meet a requirement, or why there is none. Private to the planner.
#pragma once

#include "topo/plan/planner.hh"
#include "topo/plan/unit_loads.hh"

namespace rackway::plan {

struct Answer {
  std::optional<Plan> plan;
  std::string why_not;  // of the attempt that came closest
  int closeness{0};     // how far it came: the more, the closer
};

class Candidates {
 public:
  Candidates(const Catalogue& catalogue, const Requirement& wish, UnitLoads& loads)
      : catalogue_(catalogue), wish_(wish), loads_(loads) {}

  [[nodiscard]] Answer mesh(const ServerModel& server);
  [[nodiscard]] Answer butterfly(const ServerModel& server);
  [[nodiscard]] Answer switches(const ServerModel& server) const;

 private:
  struct Shape {
    unsigned ports_per_server;
    Radices radices;
  };

  [[nodiscard]] std::vector<unsigned> ports_per_server(const ServerModel& server) const;
  [[nodiscard]] std::vector<Shape> meshes(const ServerModel& server) const;
  [[nodiscard]] std::vector<Shape> butterflies(const ServerModel& server) const;
  [[nodiscard]] Answer best_of(const ServerModel& server, FabricKind kind,
                               const std::vector<Shape>& shapes);
  [[nodiscard]] UnitLoad load_of(const Shape& shape);
  // With links that carry link_load Gb/s for each Gb/s of a server's ports.
  [[nodiscard]] Answer build(const ServerModel& server, FabricKind kind, const Shape& shape,
                             const UnitLoad& load) const;
  [[nodiscard]] unsigned cores(const ServerModel& server, double external_gbps,
                               double relayed_gbps) const;
  void add_up(Plan& plan) const;

  const Catalogue& catalogue_;
  const Requirement& wish_;
  UnitLoads& loads_;
};

}  // namespace rackway::plan
