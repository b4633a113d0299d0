// SPDX-License-Identifier: Apache-2.0
#include "control/rib/resolver.hh"

#include <algorithm>

#include "control/rib/target_merge.hh"

namespace rackway::control {
namespace {

using Outcome = ResolutionStep::Outcome;

template <class Value>
void make_set(std::vector<Value>& values) {
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

// One question.
struct Resolver::Run {
  const CandidateTable& routes;
  const PathSets& sets;
  std::vector<IpPrefix> path{};  // what is being resolved, outermost first
  Answer answer{};

  // What one candidate says of the address that it covers. Decided: no other one is asked.
  struct Verdict {
    bool decided;
    Outcome outcome;
    std::optional<Target> target;
  };

  std::optional<Target> resolve(const IpAddress& address, std::size_t depth);
  Verdict ask(const Candidate& candidate, const IpAddress& address, std::size_t depth);
  static Verdict ask_resolved(const Paths& paths, const IpAddress& address);
  std::optional<Target> merge(const Paths& paths, std::size_t depth);
};

Resolver::Run::Verdict Resolver::Run::ask_resolved(const Paths& paths, const IpAddress& address) {
  switch (paths.target.kind) {
    case fib::GroupKind::forward: return {true, Outcome::next_hops, paths.target};
    case fib::GroupKind::blackhole:
    case fib::GroupKind::unreachable:
    case fib::GroupKind::prohibit: return {true, Outcome::refused, Target{paths.target.kind, {}}};
    case fib::GroupKind::glean:
      if (paths.on_link.empty()) break;
      return {true, Outcome::on_link,
              Target{fib::GroupKind::forward, {{{paths.on_link.front(), address}, 1}}}};
    case fib::GroupKind::local:
    case fib::GroupKind::broadcast: break;
  }
  return {true, Outcome::not_usable, std::nullopt};
}

Resolver::Run::Verdict Resolver::Run::ask(const Candidate& candidate, const IpAddress& address,
                                          std::size_t depth) {
  const auto& paths = sets[candidate.paths];
  if (paths.via.empty()) return ask_resolved(paths, address);
  auto target = merge(paths, depth + 1);
  const bool decided = target.has_value();
  return {decided, Outcome::recursive, std::move(target)};
}

std::optional<Target> Resolver::Run::merge(const Paths& paths, std::size_t depth) {
  std::vector<WeightedTarget> targets;
  for (const auto& via : paths.via) {
    if (auto target = resolve(via.address, depth)) {
      targets.push_back({std::move(*target), via.weight});
    }
  }
  return merge_targets(targets);
}

std::optional<Target> Resolver::Run::resolve(const IpAddress& address, std::size_t depth) {
  answer.addresses.push_back(address);
  const auto step = answer.steps.size();
  answer.steps.push_back({depth, address});
  const auto conclude = [&](Outcome outcome) { answer.steps[step].outcome = outcome; };
  if (depth >= kMostDepth || step >= kMostSteps) {
    conclude(Outcome::too_deep);
    return std::nullopt;
  }
  for (int length = address_bits(address.family()); length >= 0; --length) {
    if (!routes.has_length(address.family(), length)) continue;
    const auto prefix = IpPrefix::covering(address, static_cast<std::uint8_t>(length));
    const auto candidates = routes.of(prefix);
    if (candidates.empty()) continue;
    answer.consulted.push_back(prefix);
    answer.steps[step].through = prefix;
    if (std::ranges::find(path, prefix) != path.end()) {
      conclude(Outcome::loop);
      return std::nullopt;
    }
    path.push_back(prefix);
    for (const auto& candidate : candidates) {
      answer.steps[step].origin = candidate.origin;
      auto verdict = ask(candidate, address, depth);
      if (!verdict.decided) continue;
      path.pop_back();
      conclude(verdict.outcome);
      return std::move(verdict.target);
    }
    path.pop_back();
  }
  answer.steps[step].through.reset();
  return std::nullopt;
}

Resolver::Answer Resolver::resolve(const IpAddress& address) const {
  Run run{routes_, sets_};
  run.answer.target = run.resolve(address, 0);
  make_set(run.answer.consulted);
  make_set(run.answer.addresses);
  return std::move(run.answer);
}

Resolver::Answer Resolver::resolve(const Paths& paths, const IpPrefix& prefix) const {
  Run run{routes_, sets_, {prefix}};
  run.answer.target = paths.via.empty() ? paths.target : run.merge(paths, 0);
  make_set(run.answer.consulted);
  make_set(run.answer.addresses);
  return std::move(run.answer);
}

}  // namespace rackway::control
