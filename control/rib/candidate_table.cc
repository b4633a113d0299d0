// SPDX-License-Identifier: Apache-2.0
#include "control/rib/candidate_table.hh"

#include <algorithm>
#include <tuple>
#include <utility>

namespace rackway::control {
namespace {

bool ranks_before(const Candidate& a, const Candidate& b) {
  return std::tuple(a.distance, a.origin, a.source) < std::tuple(b.distance, b.origin, b.source);
}

}  // namespace

std::span<const Candidate> CandidateTable::candidates_in(const IpPrefix& prefix,
                                                         const Slot& slot) const {
  if (!slot.has_more) return {&slot.first, 1};
  return more_.find(prefix)->second;
}

std::span<const Candidate> CandidateTable::of(const IpPrefix& prefix) const {
  const auto at = slots_.find(prefix);
  if (at == slots_.end()) return {};
  return candidates_in(prefix, at->second);
}

std::optional<Candidate> CandidateTable::of(const IpPrefix& prefix, RouteSource source) const {
  for (const auto& candidate : of(prefix)) {
    if (candidate.source == source) return candidate;
  }
  return std::nullopt;
}

std::optional<Candidate> CandidateTable::set(const IpPrefix& prefix, const Candidate& candidate) {
  const auto [at, is_new] = slots_.try_emplace(prefix);
  if (is_new) {
    at->second = {candidate, false};
    ++lengths(prefix.address.family())[prefix.length];
    ++routes_[static_cast<std::size_t>(candidate.source)];
    return std::nullopt;
  }
  if (!at->second.has_more && at->second.first.source == candidate.source) {
    return std::exchange(at->second.first, candidate);
  }
  const auto present = candidates_in(prefix, at->second);
  std::vector<Candidate> all(present.begin(), present.end());
  const auto old = std::ranges::find(all, candidate.source, &Candidate::source);
  std::optional<Candidate> before;
  if (old != all.end()) {
    before = *old;
    all.erase(old);
  } else {
    ++routes_[static_cast<std::size_t>(candidate.source)];
  }
  all.insert(std::ranges::upper_bound(all, candidate, ranks_before), candidate);
  keep(prefix, all);
  return before;
}

std::optional<Candidate> CandidateTable::remove(const IpPrefix& prefix, RouteSource source) {
  const auto present = of(prefix);
  const auto gone = std::ranges::find(present, source, &Candidate::source);
  if (gone == present.end()) return std::nullopt;
  const Candidate before = *gone;
  --routes_[static_cast<std::size_t>(source)];
  if (present.size() == 1) {
    slots_.erase(prefix);
    --lengths(prefix.address.family())[prefix.length];
    return before;
  }
  std::vector<Candidate> rest(present.begin(), present.end());
  rest.erase(rest.begin() + (gone - present.begin()));
  keep(prefix, rest);
  return before;
}

void CandidateTable::keep(const IpPrefix& prefix, const std::vector<Candidate>& candidates) {
  slots_.at(prefix) = {candidates.front(), candidates.size() > 1};
  if (candidates.size() > 1) {
    more_[prefix] = candidates;
  } else {
    more_.erase(prefix);
  }
}

}  // namespace rackway::control
