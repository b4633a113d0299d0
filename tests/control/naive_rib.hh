// SPDX-License-Identifier: Apache-2.0
// What the RIB is held against: all routes in one map, everything worked out from nothing each time
// by searching through all of them. Shares of traffic are fractions of one.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "control/rib/rib.hh"

namespace rackway::control::testing {

class NaiveRib {
 public:
  struct Route {
    RouteOrigin origin;
    Paths paths;
  };
  std::map<IpPrefix, std::map<RouteSource, Route>> routes;

  struct Way {
    fib::GroupKind kind;
    std::map<Neighbor, double> shares;
  };
  struct SourceWay {
    RouteSource source;
    Way way;
  };
  static Way way_of(const Target& target) {
    Way way{target.kind, {}};
    double sum = 0;
    for (const auto& hop : target.next_hops) sum += hop.weight;
    for (const auto& hop : target.next_hops) way.shares[hop.neighbor] = hop.weight / sum;
    return way;
  }
  [[nodiscard]] std::map<IpPrefix, SourceWay> ways() const {
    std::map<IpPrefix, SourceWay> all;
    for (const auto& [prefix, of_prefix] : routes) {
      for (const auto* entry : in_order(of_prefix)) {
        const auto& [source, route] = *entry;
        const auto way = route.paths.via.empty() ? std::optional(way_of(route.paths.target))
                                                 : merged(route.paths.via, {prefix}, 0);
        if (!way) continue;
        all[prefix] = {source, *way};
        break;
      }
    }
    return all;
  }

 private:
  using OfPrefix = std::map<RouteSource, Route>;
  using Entry = OfPrefix::value_type;

  static std::vector<const Entry*> in_order(const OfPrefix& of_prefix) {
    std::vector<const Entry*> all;
    for (const auto& entry : of_prefix) all.push_back(&entry);
    std::ranges::sort(all, {}, [](const Entry* entry) {
      return std::pair(distance_of(entry->second.origin, {}), entry->second.origin);
    });
    return all;
  }

  [[nodiscard]] std::optional<Way> merged(const std::vector<Via>& via,
                                          const std::set<IpPrefix>& open, int depth) const {
    std::map<Neighbor, double> shares;
    std::set<fib::GroupKind> kinds;
    double sum = 0;
    for (const auto& hop : via) {
      const auto way = way_of(hop.address, open, depth);
      if (!way) continue;
      kinds.insert(way->kind);
      for (const auto& [neighbor, share] : way->shares) {
        shares[neighbor] += hop.weight * share;
        sum += hop.weight * share;
      }
    }
    if (kinds.empty()) return std::nullopt;
    for (auto& [neighbor, share] : shares) share /= sum;
    return Way{*kinds.begin(), shares};
  }

  [[nodiscard]] std::optional<Way> way_of(const IpAddress& address, const std::set<IpPrefix>& open,
                                          int depth) const {
    if (depth == 8) return std::nullopt;
    std::map<int, IpPrefix, std::greater<>> covering;
    for (const auto& [prefix, of_prefix] : routes) {
      if (prefix.covers(address)) covering[prefix.length] = prefix;
    }
    for (const auto& [length, prefix] : covering) {
      if (open.contains(prefix)) return std::nullopt;
      auto inner = open;
      inner.insert(prefix);
      for (const auto* entry : in_order(routes.at(prefix))) {
        const auto& paths = entry->second.paths;
        if (!paths.via.empty()) {
          if (auto way = merged(paths.via, inner, depth + 1)) return way;
          continue;
        }
        switch (paths.target.kind) {
          case fib::GroupKind::local:
          case fib::GroupKind::broadcast: return std::nullopt;
          case fib::GroupKind::glean:
            return Way{fib::GroupKind::forward, {{{paths.on_link.front(), address}, 1.0}}};
          default: return way_of(paths.target);
        }
      }
    }
    return std::nullopt;
  }
};

}  // namespace rackway::control::testing
