// SPDX-License-Identifier: Apache-2.0
// Where an address leads that is a route's next hop: the longest prefix that covers it and has a
// route that is itself resolved says so, and if that has next hops by address, they are resolved in
// the same way. Never through a prefix that is being resolved already: a next hop whose longest
// route would be such a one is a loop and leads nowhere. No deeper than kMostDepth, and with no
// more than kMostSteps of work.
//
// The answer for a next hop alone is that for every route via it, except for the routes of the
// prefixes that were consulted: for these it has to be asked again, with their prefix as the first
// that is being resolved. Reads only.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "control/rib/candidate_table.hh"
#include "control/rib/path_sets.hh"

namespace rackway::control {

// What was looked at, in order.
struct ResolutionStep {
  enum class Outcome : std::uint8_t {
    no_route,    // nothing that is resolved covers it
    on_link,     // a neighbour on an interface of ours
    next_hops,   // by a route whose source has resolved it
    recursive,   // by a route via others: the steps behind this one, deeper by one
    refused,     // by a blackhole, unreachable or prohibited route, whose kind it takes on
    not_usable,  // the router itself, or reached by what is no interface of ours
    loop,        // by a prefix that is being resolved
    too_deep,
  };
  std::size_t depth{};  // 0: of the route itself
  IpAddress address;
  std::optional<IpPrefix> through{};
  RouteOrigin origin{};  // of the route `through`
  Outcome outcome{Outcome::no_route};
};

class Resolver {
 public:
  static constexpr std::size_t kMostDepth = 8;
  static constexpr std::size_t kMostSteps = 4096;

  // Both must outlive this.
  Resolver(const CandidateTable& routes, const PathSets& sets) : routes_(routes), sets_(sets) {}

  struct Answer {
    std::optional<Target> target;
    std::vector<IpPrefix> consulted;   // sorted
    std::vector<IpAddress> addresses;  // next hops that were resolved for it, sorted
    std::vector<ResolutionStep> steps;
  };
  // A next hop for itself.
  [[nodiscard]] Answer resolve(const IpAddress& address) const;
  // Of a route for this prefix.
  [[nodiscard]] Answer resolve(const Paths& paths, const IpPrefix& prefix) const;

 private:
  struct Run;
  const CandidateTable& routes_;
  const PathSets& sets_;
};

}  // namespace rackway::control
