// SPDX-License-Identifier: Apache-2.0
// Hands out the adjacency indices of one egress node. An index that was freed is not given out
// again while any node may still hold an epoch that names it: a packet that an old FIB sent must
// meet an unknown adjacency, never somebody else's. That holds also for what a controller before
// this one gave out (distrust()). tests/model/epochs.pml shows it. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <set>

#include "base/id.hh"

namespace rackway::control {

class AdjacencyIndices {
 public:
  // The lowest index that is free; nothing when all 2^24 are taken.
  [[nodiscard]] std::optional<AdjacencyId> allocate();
  // Takes this one; false when somebody has it or it still rests.
  bool reserve(AdjacencyId index);
  // Its last user is gone with this epoch.
  void release(AdjacencyId index, Epoch gone_with);
  // After the last reserve(): an older controller may have given out any below `ceiling`, and some
  // node may still name it. Those that nobody has here rest until all nodes have `until`.
  void distrust(std::uint32_t ceiling, Epoch until);
  // Every node of the cluster has this epoch or a later one. True when that freed any.
  bool all_nodes_have(Epoch epoch);

 private:
  struct Resting {
    AdjacencyId index;
    Epoch gone_with;
  };
  std::set<AdjacencyId> used_;
  std::set<AdjacencyId> free_;   // below next_
  std::deque<Resting> resting_;  // by epoch, ascending
  AdjacencyId next_{0};          // none at or above was ever used

  struct Distrusted {
    std::set<AdjacencyId> below;  // free but for the distrust
    std::uint32_t from, ceiling;  // and all of these
    Epoch until;
  };
  std::optional<Distrusted> distrusted_;
  void trust_again();
};

}  // namespace rackway::control
