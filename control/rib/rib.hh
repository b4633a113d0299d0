// SPDX-License-Identifier: Apache-2.0
// The routes of all sources, and which one a prefix goes by: of those that are resolved the one of
// the least administrative distance. A route's next hops may be any addresses (resolver.hh); all
// routes via the same ones share one resolution, so that a next hop that moves costs one change,
// however many prefixes are behind it.
//
// Sources say what they have at any time; refresh() takes it in and tells what has changed since
// the last one. Between the two, answers are of no use. docs/control_plane.md. One thread.
#pragma once

#include <optional>
#include <set>
#include <span>
#include <vector>

#include "control/rib/candidate_table.hh"
#include "control/rib/next_hop_table.hh"
#include "control/rib/path_sets.hh"
#include "control/rib/resolver.hh"

namespace rackway::control {

struct RibChanges {
  std::vector<IpPrefix> prefixes;  // of another winner, perhaps; sorted
  std::vector<PathsId> paths;      // that lead elsewhere; sorted
};

struct Winner {
  Candidate candidate;
  // Where it leads, when that is for this prefix alone. Else where its paths do.
  std::optional<Target> own;
};

class Rib {
 public:
  explicit Rib(const topo::RouteDistances& distances = {}) : distances_(distances) {}
  Rib(const Rib&) = delete;
  Rib& operator=(const Rib&) = delete;

  // ---- what sources have
  void set(const IpPrefix& prefix, RouteSource source, RouteOrigin origin, const Paths& paths);
  // The same for many routes of one path set, which is to be held meanwhile.
  void set(const IpPrefix& prefix, RouteSource source, RouteOrigin origin, PathsId paths);
  void remove(const IpPrefix& prefix, RouteSource source);
  [[nodiscard]] PathsId hold(const Paths& paths);
  // A path set of the caller's alone, resolved by it (no via), which change() may make another
  // under its routes: one change, however many they are. To be dropped as any that is held.
  [[nodiscard]] PathsId hold_own(const Paths& paths);
  void change(PathsId own, const Paths& paths);
  void drop(PathsId paths);

  // ---- what has changed
  [[nodiscard]] bool changed() const {
    return !touched_.empty() || !moved_.empty() || next_hops_.dirty();
  }
  [[nodiscard]] RibChanges refresh();

  // ---- what is so since the last refresh()
  [[nodiscard]] std::optional<Winner> winner(const IpPrefix& prefix) const;
  [[nodiscard]] const Target& target_of(const Winner& winner) const {
    return winner.own ? *winner.own : *target_of(winner.candidate.paths);
  }
  // Nothing: it leads nowhere.
  [[nodiscard]] const std::optional<Target>& target_of(PathsId paths) const {
    return states_[paths.value].target;
  }
  // The longest prefix of at most that length that covers the address and has a winner.
  struct Match {
    IpPrefix prefix;
    Winner winner;
  };
  [[nodiscard]] std::optional<Match> longest_match(const IpAddress& address, int most_length) const;

  [[nodiscard]] std::span<const Candidate> candidates(const IpPrefix& prefix) const {
    return routes_.of(prefix);
  }
  [[nodiscard]] std::optional<Candidate> candidate(const IpPrefix& prefix,
                                                   RouteSource source) const {
    return routes_.of(prefix, source);
  }
  [[nodiscard]] const Paths& paths(PathsId id) const { return sets_[id]; }
  // It may come to lead elsewhere, and its routes with it.
  [[nodiscard]] bool may_move(PathsId id) const {
    return sets_.is_own(id) || !sets_[id].via.empty();
  }
  // How the candidate of this prefix is resolved, step by step.
  [[nodiscard]] Resolver::Answer explain(const IpPrefix& prefix, const Candidate& candidate) const {
    return Resolver(routes_, sets_).resolve(sets_[candidate.paths], prefix);
  }
  [[nodiscard]] std::size_t routes(RouteSource source) const { return routes_.routes(source); }
  [[nodiscard]] std::size_t prefixes() const { return routes_.prefixes(); }
  [[nodiscard]] std::size_t prefixes(Family family) const { return routes_.prefixes(family); }
  [[nodiscard]] std::size_t next_hops() const { return next_hops_.size(); }
  // visit(prefix, candidates) for every prefix, in no order.
  template <class Visit>
  void for_each(Visit visit) const {
    routes_.for_each(visit);
  }

 private:
  struct PathsState {
    std::optional<Target> target;
    bool is_new{};  // since the last refresh()
  };
  void begin(PathsId paths);
  void release(PathsId paths);
  void touch(const IpPrefix& prefix);
  [[nodiscard]] std::optional<Target> resolution_of(PathsId paths) const;
  void refresh_paths(const std::set<PathsId>& dirty, RibChanges& changes);
  void add_consulted(std::vector<IpPrefix>& prefixes) const;
  void add_users(const std::set<PathsId>& paths, std::vector<IpPrefix>& prefixes) const;

  topo::RouteDistances distances_;
  CandidateTable routes_;
  PathSets sets_;
  NextHopTable next_hops_;
  std::vector<PathsState> states_;  // by PathsId
  std::vector<PathsId> new_paths_;
  std::vector<PathsId> moved_;  // own ones that were changed
  std::vector<IpPrefix> touched_;
};

}  // namespace rackway::control
