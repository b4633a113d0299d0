// SPDX-License-Identifier: Apache-2.0
// What a fabric guarantees: the largest fraction of every admissible traffic matrix that it
// carries. Admissible (the hose model): no node sends or receives more than its external ports can.
// For an oblivious split the load of a link is linear in the matrix, so its worst case over all of
// them is a maximum-weight matching, with unequal rates a transportation problem, and the guarantee
// is exact (Towles and Dally, Worst-case traffic for oblivious routing functions, SPAA 2002).
#pragma once

#include "base/result.hh"
#include "topo/plan/fabric_model.hh"
#include "topo/plan/failure_sets.hh"
#include "topo/plan/full_load.hh"
#include "topo/plan/steering_split.hh"

namespace rackway::plan {

struct Guarantee {
  double fraction;     // over 1 is headroom; 0 if some two nodes have no path
  Failures failures;   // with which it is so
  std::uint32_t link;  // that binds, and its worst load from a to b or back
  bool a_to_b;
  double load;                 // Gb/s, under `matrix`
  std::vector<Demand> matrix;  // attains it; if cut off, the two nodes
  bool cut_off{false};
  std::uint64_t looked_at{1};  // sets of failures, and how many they stand for
  std::uint64_t stands_for{1};
};

// With exactly these failures. A fabric without links guarantees infinitely much.
[[nodiscard]] Guarantee guarantee(const FabricModel& model, const SteeringSplit& split,
                                  const Failures& failures = {});

// The least over all combinations of failures. An error if there are too many to look at.
[[nodiscard]] Result<Guarantee> guarantee_surviving(const FabricModel& model,
                                                    const SteeringSplit& split,
                                                    const Survive& survive);

// The worst load in Gb/s of each direction of a link, all admissible matrices considered.
[[nodiscard]] std::vector<double> worst_loads(const FabricModel& model, const SteeringSplit& split,
                                              const Failures& failures = {});

}  // namespace rackway::plan
