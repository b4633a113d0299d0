// SPDX-License-Identifier: Apache-2.0
#include "control/rib/rib.hh"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "control/rib/target_merge.hh"

namespace rackway::control {

// ---- what sources have

PathsId Rib::hold(const Paths& paths) {
  const auto [id, is_new] = sets_.acquire(paths);
  if (is_new) begin(id);
  return id;
}

void Rib::drop(PathsId paths) {
  release(paths);
}

PathsId Rib::hold_own(const Paths& paths) {
  assert(paths.via.empty());
  const auto id = sets_.acquire_own(paths);
  begin(id);
  return id;
}

// Next hops that are resolved by way of its routes are resolved anew. Which neighbours are on a
// link is asked prefix by prefix.
void Rib::change(PathsId own, const Paths& paths) {
  assert(sets_.is_own(own) && paths.via.empty());
  if (sets_[own] == paths) return;
  const bool same_links = sets_[own].on_link == paths.on_link;
  sets_.change(own, paths);
  moved_.push_back(own);
  std::vector<IpPrefix> through;
  next_hops_.for_each_consulted([&](const IpPrefix& prefix) {
    const auto uses = [&](const Candidate& one) { return one.paths == own; };
    if (std::ranges::any_of(routes_.of(prefix), uses)) through.push_back(prefix);
  });
  for (const auto& prefix : through) next_hops_.prefix_changed(prefix);
  if (!same_links) add_users({own}, touched_);
}

// A set that its source has resolved is so at once.
void Rib::begin(PathsId id) {
  if (states_.size() < sets_.end()) states_.resize(sets_.end());
  const auto& paths = sets_[id];
  states_[id.value] = {std::nullopt, true};
  if (paths.via.empty()) states_[id.value].target = paths.target;
  for (const auto& via : paths.via) next_hops_.acquire(via.address, id);
  new_paths_.push_back(id);
}

void Rib::release(PathsId id) {
  const auto via = sets_[id].via;
  if (!sets_.release(id)) return;
  for (const auto& hop : via) next_hops_.release(hop.address, id);
  states_[id.value] = {};
}

void Rib::touch(const IpPrefix& prefix) {
  next_hops_.prefix_changed(prefix);
  touched_.push_back(prefix);
}

void Rib::set(const IpPrefix& prefix, RouteSource source, RouteOrigin origin, const Paths& paths) {
  const auto id = hold(paths);
  set(prefix, source, origin, id);
  drop(id);
}

void Rib::set(const IpPrefix& prefix, RouteSource source, RouteOrigin origin, PathsId paths) {
  const Candidate candidate{paths, source, origin, distance_of(origin, distances_)};
  sets_.acquire(paths);
  const auto before = routes_.set(prefix, candidate);
  if (before) release(before->paths);
  if (before != candidate) touch(prefix);
}

void Rib::remove(const IpPrefix& prefix, RouteSource source) {
  const auto before = routes_.remove(prefix, source);
  if (!before) return;
  release(before->paths);
  touch(prefix);
}

// ---- what has changed

std::optional<Target> Rib::resolution_of(PathsId id) const {
  const auto& paths = sets_[id];
  if (paths.via.empty()) return paths.target;
  std::vector<WeightedTarget> targets;
  for (const auto& via : paths.via) {
    if (const auto& target = next_hops_.target_of(via.address)) {
      targets.push_back({*target, via.weight});
    }
  }
  return merge_targets(targets);
}

// Routes via a set that leads somewhere now and did not, or the reverse, win or lose: those of a
// new set have all been touched.
void Rib::refresh_paths(const std::set<PathsId>& dirty, RibChanges& changes) {
  std::set<PathsId> turned;
  for (const auto id : dirty) {
    if (!sets_.contains(id)) continue;
    auto& state = states_[id.value];
    auto target = resolution_of(id);
    if (!state.is_new && state.target == target) continue;
    if (!state.is_new && state.target.has_value() != target.has_value()) turned.insert(id);
    state = {std::move(target), false};
    changes.paths.push_back(id);
  }
  if (!turned.empty()) add_users(turned, changes.prefixes);
}

// A look at every route, which is less than keeping a list for each path set: a next hop that comes
// or goes with all its routes costs that anyway.
void Rib::add_users(const std::set<PathsId>& paths, std::vector<IpPrefix>& prefixes) const {
  std::vector<bool> wanted(sets_.end());
  for (const auto id : paths) wanted[id.value] = true;
  routes_.for_each([&](const IpPrefix& prefix, std::span<const Candidate> candidates) {
    const auto uses = [&](const Candidate& one) { return wanted[one.paths.value]; };
    if (std::ranges::any_of(candidates, uses)) prefixes.push_back(prefix);
  });
}

// Prefixes with a route that is resolved for it alone, which is not followed route by route.
void Rib::add_consulted(std::vector<IpPrefix>& prefixes) const {
  next_hops_.for_each_consulted([&](const IpPrefix& prefix) {
    const auto is_own = [&](const Candidate& one) {
      return next_hops_.consulted(prefix, sets_[one.paths].via);
    };
    if (std::ranges::any_of(routes_.of(prefix), is_own)) prefixes.push_back(prefix);
  });
}

RibChanges Rib::refresh() {
  RibChanges changes;
  if (next_hops_.dirty()) add_consulted(changes.prefixes);
  auto refreshed = next_hops_.refresh(Resolver(routes_, sets_));
  refreshed.users.insert(new_paths_.begin(), new_paths_.end());
  new_paths_.clear();
  refreshed.users.insert(moved_.begin(), moved_.end());
  moved_.clear();
  const auto has_via = [&](const IpPrefix& prefix) {
    return std::ranges::any_of(routes_.of(prefix),
                               [&](const Candidate& one) { return !sets_[one.paths].via.empty(); });
  };
  std::ranges::copy_if(refreshed.consulted, std::back_inserter(changes.prefixes), has_via);
  if (changes.prefixes.empty()) {
    changes.prefixes = std::exchange(touched_, {});
  } else {
    std::ranges::copy(std::exchange(touched_, {}), std::back_inserter(changes.prefixes));
  }
  refresh_paths(refreshed.users, changes);
  std::ranges::sort(changes.prefixes);
  const auto twice = std::ranges::unique(changes.prefixes);
  changes.prefixes.erase(twice.begin(), twice.end());
  return changes;
}

// ---- what is so

std::optional<Winner> Rib::winner(const IpPrefix& prefix) const {
  for (const auto& candidate : routes_.of(prefix)) {
    const auto& paths = sets_[candidate.paths];
    if (paths.via.empty() || !next_hops_.consulted(prefix, paths.via)) {
      if (states_[candidate.paths.value].target) return Winner{candidate, std::nullopt};
      continue;
    }
    auto answer = Resolver(routes_, sets_).resolve(paths, prefix);
    if (answer.target) return Winner{candidate, std::move(answer.target)};
  }
  return std::nullopt;
}

std::optional<Rib::Match> Rib::longest_match(const IpAddress& address, int most_length) const {
  for (int length = most_length; length >= 0; --length) {
    if (!routes_.has_length(address.family(), length)) continue;
    const auto prefix = IpPrefix::covering(address, static_cast<std::uint8_t>(length));
    if (auto found = winner(prefix)) return Match{prefix, std::move(*found)};
  }
  return std::nullopt;
}

}  // namespace rackway::control
