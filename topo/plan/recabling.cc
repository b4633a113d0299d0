// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/recabling.hh"

#include <algorithm>
#include <cstdio>
#include <set>
#include <utility>

#include "topo/plan/guarantee.hh"
#include "topo/plan/recabling_space.hh"

namespace rackway::plan {
namespace {

constexpr std::size_t kMostTries = 20'000;  // states looked at before giving up

using What = RecablingStep::What;
using State = RecablingSpace::State;
using Move = RecablingSpace::Move;

std::string text(double fraction) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.3f", fraction);
  return buffer;
}

class Search {
 public:
  Search(const NamedCluster& from, const NamedCluster& to, const RecablingRules& rules)
      : rules_(rules), space_(from, to, rules.spare_ports) {}

  Recabling run() {
    Recabling result;
    for (const auto* end : {&space_.before(), &space_.after()}) {
      const auto found = judge(*end);
      result.least = std::min({result.least, found.fraction, 1.0});
      if (is_enough(found.fraction)) continue;
      result.why_not = std::string("the cluster ") +
                       (end == &space_.before() ? "before" : "after") + " it guarantees " +
                       text(found.fraction) + " itself, less than " + text(rules_.keep);
      return result;
    }
    result.possible = descend();
    if (result.possible) {
      result.steps = std::move(steps_);
      for (const auto& step : result.steps) result.least = std::min(result.least, step.fraction);
      return result;
    }
    result.tried_all = tries_ < kMostTries;
    result.why_not = why_not();
    return result;
  }

 private:
  [[nodiscard]] Guarantee judge(const State& state) const {
    const auto model = space_.model(state, rules_.link_gbps);
    return guarantee(model, valiant(model));
  }

  [[nodiscard]] bool is_enough(double fraction) const {
    return fraction >= rules_.keep * (1 - 1e-9);
  }

  bool descend() {
    // One frame for each step, so that a thousand cables need no thousand calls.
    struct Frame {
      State state;
      std::vector<Move> moves;
      std::size_t next{0};
      double fraction;
    };
    std::vector<Frame> frames;
    const auto& start = space_.before();
    frames.push_back({start, space_.moves(start), 0, std::min(1.0, judge(start).fraction)});
    seen_.insert(start);
    while (!frames.empty()) {
      auto& frame = frames.back();
      if (frame.state == space_.after()) return true;
      if (frame.next == frame.moves.size() || tries_ >= kMostTries) {
        frames.pop_back();
        if (!steps_.empty()) steps_.pop_back();
        continue;
      }
      const auto move = frame.moves[frame.next++];
      auto state = frame.state;
      space_.make(state, move);
      if (!seen_.insert(state).second) continue;
      ++tries_;
      double fraction = frame.fraction;
      if (space_.matters(frame.state, move)) {
        const auto found = judge(state);
        fraction = std::min(1.0, found.fraction);
        if (!is_enough(fraction)) {
          remember(move, found);
          continue;
        }
      }
      steps_.push_back(space_.step(move, fraction));
      frames.push_back({state, space_.moves(state), 0, fraction});
    }
    return false;
  }

  // Of the steps that were refused the one that would have left most.
  void remember(const Move& move, const Guarantee& found) {
    if (!stuck_.empty() && found.fraction <= best_refused_) return;
    best_refused_ = found.fraction;
    stuck_ = "the best that is refused is to " + step_text(space_.step(move, 0)) +
             ", which leaves " + text(found.fraction) + ", less than " + text(rules_.keep);
    if (found.cut_off) stuck_ += ": two nodes would have no path";
  }

  [[nodiscard]] std::string why_not() const {
    std::string why = stuck_.empty() ? "no step is possible" : stuck_;
    if (tries_ >= kMostTries) {
      why = "no order found in " + std::to_string(kMostTries) + " tries; " + why;
    }
    const auto spare = space_.spare_ports_for_both();
    if (spare > rules_.spare_ports) {
      why += "; with " + std::to_string(spare) + " spare port" + (spare == 1 ? "" : "s") +
             " at each node all new cables can be laid beside the old ones";
    }
    return why;
  }

  const RecablingRules& rules_;
  const RecablingSpace space_;
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
    case What::lay_cable: return "connect " + step.a + " and " + step.b + ", not yet in use";
    case What::use_link: return "take the link of " + step.a + " and " + step.b + " into use";
    case What::change_over: return "change over to the new cluster document";
    case What::open_ports: return "open the external ports of " + step.a;
    case What::close_ports: return "close the external ports of " + step.a;
  }
  return "";
}

}  // namespace rackway::plan
