// SPDX-License-Identifier: Apache-2.0
// Which failures have to be looked at to know what any of them does. Where the fabric is symmetric,
// only one of each kind: in a full mesh all sets of dead nodes of one size are the same, and sets
// of dead links are as many as there are graphs with so many edges; in a butterfly a single node is
// known by its stage, a single link by its stage and whether it goes straight. Exact, not a sample.
#pragma once

#include "base/result.hh"
#include "topo/plan/fabric_model.hh"

namespace rackway::plan {

struct Survive {
  unsigned nodes{0};     // at most so many dead nodes
  unsigned links{0};     // at most so many dead links
  unsigned together{0};  // at most so many of both
  bool operator==(const Survive&) const = default;
};

struct FailureSets {
  std::vector<Failures> sets;  // the first is: nothing failed
  std::uint64_t stands_for;    // how many sets there are without regard to symmetry
};

// The error says that there are more than `most`.
[[nodiscard]] Result<FailureSets> failure_sets(const FabricModel& model, const Survive& survive,
                                               std::size_t most);

}  // namespace rackway::plan
