// SPDX-License-Identifier: Apache-2.0
#include "control/rib/path_sets.hh"

namespace rackway::control {

std::pair<PathsId, bool> PathSets::acquire(const Paths& paths) {
  const auto [at, is_new] = ids_.try_emplace(paths);
  if (is_new) {
    if (free_.empty()) {
      free_.push_back({static_cast<std::uint32_t>(sets_.size())});
      sets_.emplace_back();
    }
    at->second = free_.back();
    free_.pop_back();
    sets_[at->second.value] = {&at->first, 0};
  }
  acquire(at->second);
  return {at->second, is_new};
}

bool PathSets::release(PathsId id) {
  auto& [paths, users] = sets_[id.value];
  if (--users > 0) return false;
  ids_.erase(ids_.find(*paths));
  paths = nullptr;
  free_.push_back(id);
  return true;
}

}  // namespace rackway::control
