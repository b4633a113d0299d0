// SPDX-License-Identifier: Apache-2.0
#include "control/adjacency_indices.hh"

#include <algorithm>

namespace rackway::control {

std::optional<AdjacencyId> AdjacencyIndices::allocate() {
  AdjacencyId index = next_;
  if (!free_.empty()) {
    index = *free_.begin();
    free_.erase(free_.begin());
  } else if (next_.value == kMaxAdjacencies) {
    return std::nullopt;
  } else {
    ++next_.value;
  }
  used_.insert(index);
  return index;
}

bool AdjacencyIndices::reserve(AdjacencyId index) {
  if (index.value >= kMaxAdjacencies) return false;
  for (; next_.value <= index.value; ++next_.value) free_.insert(next_);
  if (free_.erase(index) == 0) return false;
  used_.insert(index);
  return true;
}

void AdjacencyIndices::release(AdjacencyId index, Epoch gone_with) {
  if (used_.erase(index) > 0) resting_.push_back({index, gone_with});
}

void AdjacencyIndices::all_nodes_have(Epoch epoch) {
  while (!resting_.empty() && resting_.front().gone_with <= epoch) {
    free_.insert(resting_.front().index);
    resting_.pop_front();
  }
}

}  // namespace rackway::control
