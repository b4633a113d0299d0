// SPDX-License-Identifier: Apache-2.0
#include "control/adjacency_indices.hh"

#include <algorithm>
#include <utility>

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

void AdjacencyIndices::distrust(std::uint32_t ceiling, Epoch until) {
  distrusted_ = {std::exchange(free_, {}), next_.value, std::max(ceiling, next_.value), until};
  next_.value = distrusted_->ceiling;
}

void AdjacencyIndices::trust_again() {
  free_.merge(distrusted_->below);
  auto& [below, from, ceiling, until] = *distrusted_;
  if (next_.value == ceiling) next_.value = from;  // as if they had never been left out
  for (; next_.value > from && from < ceiling; ++from) free_.insert({from});
  distrusted_.reset();
}

bool AdjacencyIndices::all_nodes_have(Epoch epoch) {
  bool freed = false;
  for (; !resting_.empty() && resting_.front().gone_with <= epoch; freed = true) {
    free_.insert(resting_.front().index);
    resting_.pop_front();
  }
  if (!distrusted_ || epoch < distrusted_->until) return freed;
  trust_again();
  return true;
}

}  // namespace rackway::control
