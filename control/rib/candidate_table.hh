// SPDX-License-Identifier: Apache-2.0
// The routes that sources tell of: for each prefix one of each source at most, the best first. Most
// prefixes have one, which is kept where the prefix is: 32 octets a prefix and what the hash table
// leaves empty. One thread.
#pragma once

#include <array>
#include <cstdint>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "base/ip_address.hh"
#include "control/rib/path_sets.hh"
#include "control/rib/route_origin.hh"
#include "fib/hash_map.hh"

namespace rackway::control {

struct Candidate {
  PathsId paths;
  RouteSource source{};
  RouteOrigin origin{};
  std::uint8_t distance{};
  bool operator==(const Candidate&) const = default;
};

class CandidateTable {
 public:
  // Returns what the source had for the prefix before.
  std::optional<Candidate> set(const IpPrefix& prefix, const Candidate& candidate);
  std::optional<Candidate> remove(const IpPrefix& prefix, RouteSource source);

  // The best first; none if the prefix has none. Valid until the next change.
  [[nodiscard]] std::span<const Candidate> of(const IpPrefix& prefix) const;
  [[nodiscard]] std::optional<Candidate> of(const IpPrefix& prefix, RouteSource source) const;
  // Whether any prefix of the family has that length.
  [[nodiscard]] bool has_length(Family family, int length) const {
    return lengths(family)[static_cast<std::size_t>(length)] > 0;
  }
  [[nodiscard]] std::size_t prefixes() const { return slots_.size(); }
  [[nodiscard]] std::size_t prefixes(Family family) const {
    const auto& all = lengths(family);
    return std::accumulate(all.begin(), all.end(), std::size_t{0});
  }
  [[nodiscard]] std::size_t routes(RouteSource source) const {
    return routes_[static_cast<std::size_t>(source)];
  }

  // visit(prefix, candidates) for every prefix, in no order.
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [prefix, slot] : slots_) visit(prefix, candidates_in(prefix, slot));
  }

 private:
  struct Slot {
    Candidate first;
    bool has_more{};  // then all of them are in more_
  };
  using Lengths = std::array<std::uint32_t, 129>;

  [[nodiscard]] std::span<const Candidate> candidates_in(const IpPrefix& prefix,
                                                         const Slot& slot) const;
  void keep(const IpPrefix& prefix, const std::vector<Candidate>& candidates);
  [[nodiscard]] const Lengths& lengths(Family family) const {
    return family == Family::ipv4 ? ipv4_lengths_ : ipv6_lengths_;
  }
  Lengths& lengths(Family family) { return family == Family::ipv4 ? ipv4_lengths_ : ipv6_lengths_; }

  fib::HashMap<IpPrefix, Slot> slots_;
  fib::HashMap<IpPrefix, std::vector<Candidate>> more_;
  Lengths ipv4_lengths_{}, ipv6_lengths_{};
  std::array<std::size_t, kRouteSources> routes_{};
};

}  // namespace rackway::control
