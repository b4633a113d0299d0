// SPDX-License-Identifier: Apache-2.0
// What Direct VLB (RouteBricks, SOSP 2009, 3.2) guarantees over a full mesh: of what i has for j as
// much as r_i r_j / R goes straight, the rest over the other nodes, by their rates. That is not
// linear in the matrix, so there is no matching to it; but of all pairs a link from a to b sees
// only those that begin at a or end at b. It carries at most its pair's straight part, and of each
// other pair a share of what that has beyond its own, which is convex: one pair that has all is
// worse than many that have some.
#pragma once

#include "topo/plan/guarantee.hh"

namespace rackway::plan {

// Exact if all rates are equal. Else the worst that was found by trying each pair first and then
// those that load the link most for what they have (tests: within 5 %). `matrix` has only what
// loads the link that binds. The model's nodes are joined each to each (one_hop).
[[nodiscard]] Guarantee direct_vlb_guarantee(const FabricModel& model,
                                             const Failures& failures = {});

}  // namespace rackway::plan
