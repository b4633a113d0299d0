// SPDX-License-Identifier: Apache-2.0
#include "control/rib/path_sets.hh"

#include <utility>

namespace rackway::control {

std::pair<PathsId, bool> PathSets::acquire(const Paths& paths) {
  const auto [at, is_new] = ids_.try_emplace(paths);
  if (is_new) {
    at->second = free_id();
    sets_[at->second.value] = {&at->first, 0};
  }
  acquire(at->second);
  return {at->second, is_new};
}

PathsId PathSets::acquire_own(Paths paths) {
  const auto id = free_id();
  auto own = std::make_unique<Paths>(std::move(paths));
  const auto* content = own.get();
  sets_[id.value] = {content, 1, std::move(own)};
  return id;
}

PathsId PathSets::free_id() {
  if (free_.empty()) {
    free_.push_back({static_cast<std::uint32_t>(sets_.size())});
    sets_.emplace_back();
  }
  const auto id = free_.back();
  free_.pop_back();
  return id;
}

bool PathSets::release(PathsId id) {
  auto& set = sets_[id.value];
  if (--set.users > 0) return false;
  if (!set.own) ids_.erase(ids_.find(*set.paths));
  set = {};
  free_.push_back(id);
  return true;
}

}  // namespace rackway::control
