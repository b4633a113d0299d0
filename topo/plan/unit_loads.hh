// SPDX-License-Identifier: Apache-2.0
// What a shape of fabric costs whatever the rates are: the worst load of a link, and how much a
// server has to relay, for each Gb/s of a server's external ports, all combinations of failures
// considered. Computed once for each shape, by the guarantee.
#pragma once

#include <map>
#include <string>

#include "topo/plan/butterfly_shape.hh"
#include "topo/plan/failure_sets.hh"

namespace rackway::plan {

struct UnitLoad {
  double link{0};        // Gb/s
  double edge_relay{0};  // Gb/s that a server with external ports passes on for others
  double relay{0};       // Gb/s that one without passes on
  std::string why_not;   // empty, or why the shape can not be used
};

class UnitLoads {
 public:
  explicit UnitLoads(const Survive& survive) : survive_(survive) {}

  // One radix is a full mesh of so many servers.
  [[nodiscard]] const UnitLoad& of(const Radices& radices);

 private:
  [[nodiscard]] UnitLoad compute(const Radices& radices) const;

  Survive survive_;
  std::map<Radices, UnitLoad> known_;
};

// Without failures, what every fabric of that shape has at least.
[[nodiscard]] double least_link_load(const Radices& radices, const Survive& survive);

}  // namespace rackway::plan
