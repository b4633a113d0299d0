// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/recabling.hh"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <set>
#include <utility>

#include "topo/plan/guarantee.hh"

namespace rackway::plan {
namespace {

constexpr std::size_t kMostTries = 20'000;  // guarantees computed before giving up

using What = RecablingStep::What;
using Pair = std::pair<std::uint32_t, std::uint32_t>;

struct State {
  std::vector<bool> links;   // of all that either cluster has
  std::vector<bool> is_new;  // whose external ports are as they will be
  auto operator<=>(const State&) const = default;
};

struct Move {
  What what;
  std::uint32_t number;  // of the link or the node
};

class Search {
 public:
  Search(const NamedCluster& from, const NamedCluster& to, const RecablingRules& rules)
      : rules_(rules) {
    for (const auto* cluster : {&from, &to}) {
      for (const auto& [name, rate] : cluster->rates) numbers_.emplace(name, 0);
    }
    for (auto& [name, number] : numbers_) {
      number = static_cast<std::uint32_t>(names_.size());
      names_.push_back(name);
      old_rates_.push_back(rate_in(from, name));
      new_rates_.push_back(rate_in(to, name));
    }
    for (const auto* cluster : {&from, &to}) {
      for (const auto& link : cluster->links) places_.emplace(pair_of(link), 0);
    }
    for (auto& [pair, place] : places_) {
      place = static_cast<std::uint32_t>(links_.size());
      links_.push_back(pair);
    }
    before_ = state_of(from, false);
    after_ = state_of(to, true);
    one_hop_ = is_mesh(before_, old_rates_) && is_mesh(after_, new_rates_);
    const auto old_degrees = degrees(before_), new_degrees = degrees(after_);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      most_links_.push_back(std::max(old_degrees[i], new_degrees[i]) + rules.spare_ports);
    }
  }

  Recabling run() {
    Recabling result;
    for (const auto* end : {&before_, &after_}) {
      const auto found = judge(*end);
      result.least = std::min({result.least, found.fraction, 1.0});
      if (is_enough(found.fraction)) continue;
      result.why_not = std::string("the cluster ") + (end == &before_ ? "before" : "after") +
                       " it guarantees " + text(found.fraction) + " itself, less than " +
                       text(rules_.keep);
      return result;
    }
    auto state = before_;
    result.possible = descend(state);
    if (result.possible) {
      result.steps = std::move(steps_);
      for (const auto& step : result.steps) result.least = std::min(result.least, step.fraction);
      return result;
    }
    result.tried_all = tries_ < kMostTries;
    result.why_not = stuck_.empty() ? "no step is possible" : stuck_;
    if (!result.tried_all) {
      result.why_not = "no order found in " + std::to_string(kMostTries) + " tries; " + stuck_;
    }
    return result;
  }

 private:
  static double rate_in(const NamedCluster& cluster, const std::string& name) {
    const auto at = cluster.rates.find(name);
    return at == cluster.rates.end() ? 0 : at->second;
  }

  [[nodiscard]] Pair pair_of(const std::pair<std::string, std::string>& link) const {
    return std::minmax(numbers_.at(link.first), numbers_.at(link.second));
  }

  [[nodiscard]] State state_of(const NamedCluster& cluster, bool is_new) const {
    State state{std::vector<bool>(links_.size()), std::vector<bool>(names_.size(), is_new)};
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (old_rates_[i] == new_rates_[i]) state.is_new[i] = true;
    }
    for (const auto& link : cluster.links) state.links[places_.at(pair_of(link))] = true;
    return state;
  }

  static bool is_mesh(const State& state, const std::vector<double>& rates) {
    const auto n = static_cast<std::size_t>(
        std::count_if(rates.begin(), rates.end(), [](double rate) { return rate > 0; }));
    const auto links = std::count(state.links.begin(), state.links.end(), true);
    return static_cast<std::size_t>(links) == n * (n - std::min<std::size_t>(n, 1)) / 2;
  }

  [[nodiscard]] std::vector<unsigned> degrees(const State& state) const {
    std::vector<unsigned> degrees(names_.size());
    for (std::size_t i = 0; i < links_.size(); ++i) {
      if (!state.links[i]) continue;
      ++degrees[links_[i].first];
      ++degrees[links_[i].second];
    }
    return degrees;
  }

  [[nodiscard]] double rate(const State& state, std::size_t node) const {
    return state.is_new[node] ? new_rates_[node] : old_rates_[node];
  }

  [[nodiscard]] Guarantee judge(const State& state) {
    ++tries_;
    FabricModel model;
    model.one_hop = one_hop_;
    for (std::size_t i = 0; i < names_.size(); ++i) model.rates.push_back(rate(state, i));
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const auto [a, b] = links_[i];
      if (!state.links[i]) continue;
      model.links.push_back({NodeId{static_cast<NodeId::rep>(a)},
                             NodeId{static_cast<NodeId::rep>(b)}, rules_.link_gbps});
    }
    return guarantee(model, valiant(model));
  }

  [[nodiscard]] bool is_enough(double fraction) const {
    return fraction >= rules_.keep * (1 - 1e-9);
  }

  // What may be done next, what helps most first: it is tried in this order.
  [[nodiscard]] std::vector<Move> moves(const State& state) const {
    std::vector<Move> moves;
    const auto degree = degrees(state);
    const auto change_ports = [&](What what, bool less) {
      for (std::uint32_t i = 0; i < names_.size(); ++i) {
        if (!state.is_new[i] && (new_rates_[i] < old_rates_[i]) == less) moves.push_back({what, i});
      }
    };
    change_ports(What::close_ports, true);
    for (std::uint32_t i = 0; i < links_.size(); ++i) {
      const auto [a, b] = links_[i];
      if (!after_.links[i] || state.links[i]) continue;
      const bool has_room = degree[a] < most_links_[a] && degree[b] < most_links_[b];
      if (has_room) moves.push_back({What::add_link, i});
    }
    change_ports(What::open_ports, false);
    for (std::uint32_t i = 0; i < links_.size(); ++i) {
      if (state.links[i] && !after_.links[i]) moves.push_back({What::remove_link, i});
    }
    return moves;
  }

  static bool is_of_link(const Move& move) {
    return move.what == What::add_link || move.what == What::remove_link;
  }

  static void make(State& state, const Move& move) {
    if (is_of_link(move)) {
      state.links[move.number] = move.what == What::add_link;
    } else {
      state.is_new[move.number] = true;
    }
  }

  // In a mesh a link of a node without open ports carries nothing, so that it changes nothing.
  [[nodiscard]] bool matters(const State& state, const Move& move) const {
    if (!one_hop_ || !is_of_link(move)) return true;
    const auto [a, b] = links_[move.number];
    return rate(state, a) > 0 && rate(state, b) > 0;
  }

  bool descend(State& start) {
    // One frame for each step, so that a thousand cables need no thousand calls.
    struct Frame {
      State state;
      std::vector<Move> moves;
      std::size_t next{0};
      double fraction;
    };
    std::vector<Frame> frames;
    frames.push_back({start, moves(start), 0, std::min(1.0, judge(start).fraction)});
    seen_.insert(start);
    while (!frames.empty()) {
      auto& frame = frames.back();
      if (frame.state == after_) return true;
      if (frame.next == frame.moves.size() || tries_ >= kMostTries) {
        frames.pop_back();
        if (!steps_.empty()) steps_.pop_back();
        continue;
      }
      const auto move = frame.moves[frame.next++];
      auto state = frame.state;
      make(state, move);
      if (!seen_.insert(state).second) continue;
      double fraction = frame.fraction;
      if (matters(state, move)) {
        const auto found = judge(state);
        fraction = std::min(1.0, found.fraction);
        if (!is_enough(fraction)) {
          remember(move, found);
          continue;
        }
      }
      steps_.push_back(step(move, fraction));
      frames.push_back({state, moves(state), 0, fraction});
    }
    return false;
  }

  [[nodiscard]] RecablingStep step(const Move& move, double fraction) const {
    if (!is_of_link(move)) return {move.what, names_[move.number], "", fraction};
    const auto [a, b] = links_[move.number];
    return {move.what, names_[a], names_[b], fraction};
  }

  // Of the steps that were refused the one that would have left most.
  void remember(const Move& move, const Guarantee& found) {
    if (!stuck_.empty() && found.fraction <= best_refused_) return;
    best_refused_ = found.fraction;
    stuck_ = "the best that is refused is to " + step_text(step(move, 0)) + ", which leaves " +
             text(found.fraction) + ", less than " + text(rules_.keep);
    if (found.cut_off) stuck_ += ": two nodes would have no path";
  }

  static std::string text(double fraction) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.3f", fraction);
    return buffer;
  }

  const RecablingRules& rules_;
  std::map<std::string, std::uint32_t> numbers_;
  std::vector<std::string> names_;
  std::vector<double> old_rates_, new_rates_;
  std::map<Pair, std::uint32_t> places_;  // of links
  std::vector<Pair> links_;
  std::vector<unsigned> most_links_;
  State before_, after_;
  bool one_hop_ = false;
  std::set<State> seen_;
  std::vector<RecablingStep> steps_;
  std::size_t tries_ = 0;
  double best_refused_ = -1;
  std::string stuck_;
};

}  // namespace

NamedCluster named_cluster(const topo::ClusterDocument& document, double port_gbps) {
  NamedCluster cluster;
  for (std::size_t i = 0; i < document.nodes.size(); ++i) {
    const auto& node = document.nodes[i];
    const auto rate = document.external_rate(NodeId{static_cast<NodeId::rep>(i)});
    cluster.rates[node.name] = rate > 0 ? static_cast<double>(rate) / 1000
                                        : port_gbps * static_cast<double>(node.ports.size());
  }
  for (const auto& link : document.links) {
    cluster.links.emplace_back(document.nodes[link.a.value].name,
                               document.nodes[link.b.value].name);
  }
  return cluster;
}

Recabling recable(const NamedCluster& from, const NamedCluster& to, const RecablingRules& rules) {
  return Search(from, to, rules).run();
}

std::string step_text(const RecablingStep& step) {
  switch (step.what) {
    case What::add_link: return "connect " + step.a + " and " + step.b;
    case What::remove_link: return "disconnect " + step.a + " and " + step.b;
    case What::open_ports: return "open the external ports of " + step.a;
    case What::close_ports: return "close the external ports of " + step.a;
  }
  return "";
}

}  // namespace rackway::plan
