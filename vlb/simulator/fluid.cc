// SPDX-License-Identifier: Apache-2.0
#include "vlb/simulator/fluid.hh"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "vlb/places.hh"
#include "vlb/relay_weights.hh"

namespace rackway::simulator {
namespace {

using topo::SteeringMode;

constexpr int kMostRounds = 200;
constexpr double kExact = 1e-5;
constexpr double kCheckSequence = 4;  // octets that are not in a frame within a node

}  // namespace

double FluidReport::mean_link_load() const {
  double sum = 0;
  for (const auto& link : links) sum += link.load;
  return links.empty() ? 0 : sum / static_cast<double>(links.size());
}

double FluidReport::largest_link_load() const {
  double largest = 0;
  for (const auto& link : links) largest = std::max(largest, link.load);
  return largest;
}

Fluid::Fluid(const Scenario& scenario, SteeringMode mode)
    : scenario_(scenario),
      mode_(mode),
      routes_(scenario),
      node_rates_(rates_of(scenario.nodes)),
      weights_at_(routes_.nodes()),
      asked_(routes_.cables()),
      random_(routes_.cables()),
      kept_(routes_.cables(), 1.f),
      arriving_(routes_.nodes()),
      within_(routes_.nodes()) {}

FluidReport Fluid::run(const std::function<void(double)>& progress) {
  lay_pairs();
  if (mode_ == SteeringMode::adaptive) adapt(progress);
  settle(progress);
  return report();
}

// --- what steering has to choose from ------------------------------------------------------------

// Kept of all, since each step of dealing needs them.
const std::vector<float>& Fluid::weights(NodeId ingress) {
  auto& known = weights_at_[ingress.value];
  if (!known.empty()) return known;
  std::vector<double> to_node(routes_.nodes(), 0);
  for (const auto& link : routes_.table(ingress).local_links()) {
    to_node[link.peer.value] += scenario_.links[link.number].line.rate;
  }
  const auto weights = vlb::relay_weights(ingress, node_rates_, to_node);
  known.assign(weights.begin(), weights.end());
  return known;
}

// Kept of one, whose pairs follow each other.
const vlb::PathList& Fluid::paths(NodeId ingress) {
  if (!paths_ || paths_of_ != ingress) paths_.emplace(routes_.table(ingress), ingress);
  paths_of_ = ingress;
  return *paths_;
}

double Fluid::way_weight(NodeId ingress, NodeId target) {
  const auto links = routes_.table(ingress).links_to(target).size();
  return weights(ingress)[target.value] / static_cast<double>(links);
}

// As vlb::Steering::straight_share(); the pair's relays are known.
double Fluid::straight_at_least(const Pair& pair) {
  const auto& by_node = weights(pair.ingress);
  const double all = weight_of_relays(pair);
  return all > 0 ? (by_node[pair.ingress.value] + by_node[pair.egress.value]) / all : 1;
}

double Fluid::weight_of_relays(const Pair& pair) {
  const auto& by_node = weights(pair.ingress);
  double sum = by_node[pair.ingress.value] + by_node[pair.egress.value];
  for (auto i = pair.more_first; i < pair.more_end; ++i) {
    sum += way_weight(pair.ingress, ways_[i].target);
  }
  return sum;
}

void Fluid::lay_pairs() {
  for (std::uint16_t i = 0; i < routes_.nodes(); ++i) {
    if (!routes_.works(NodeId{i})) continue;  // what would enter there is not offered
    const double idle = 1 - scenario_.matrix.entering(NodeId{i}) / node_rates_[i];
    for (const auto& demand : scenario_.matrix.from(NodeId{i})) {
      offered_ += demand.rate;
      if (demand.egress == NodeId{i}) {
        within_[i] += demand.rate;
        continue;
      }
      Pair pair{.rate = demand.rate,
                .steady = static_cast<float>(1 - idle * idle),
                .ingress = NodeId{i},
                .egress = demand.egress,
                .first = 0,
                .relays = 0,
                .end = 0};
      add_straight(pair);
      share_out(pair);
      if (pair.first == pair.end && pair.more_first == pair.more_end) {
        without_path_ += demand.rate;
      } else {
        pairs_.push_back(pair);
      }
    }
  }
}

void Fluid::add_straight(Pair& pair) {
  pair.first = static_cast<std::uint32_t>(ways_.size());
  for (const auto link : routes_.table(pair.ingress).links_to(pair.egress)) {
    const vlb::Path path{pair.egress, link, 0};
    if (routes_.is_open(pair.ingress, path, pair.egress)) ways_.push_back({pair.egress, link, 0});
  }
  pair.relays = pair.end = static_cast<std::uint32_t>(ways_.size());
}

void Fluid::add_relays(Pair& pair) {
  const auto& paths = this->paths(pair.ingress);
  const auto& by_node = weights(pair.ingress);
  const auto range = paths.to(pair.egress);
  pair.more_first = static_cast<std::uint32_t>(ways_.size());
  for (vlb::PathIndex i = range.relays; i < range.end; ++i) {
    const auto& path = paths[i];
    if (by_node[path.target.value] <= 0) continue;
    if (!routes_.is_open(pair.ingress, path, pair.egress)) continue;
    ways_.push_back({path.target, path.link, 0});
  }
  pair.more_end = static_cast<std::uint32_t>(ways_.size());
}

// As vlb::Steering deals without looking at loads, to the place; adaptive steering begins like
// that.
void Fluid::share_out(Pair& pair) {
  const auto count = pair.end - pair.first;
  if (mode_ == SteeringMode::adaptive && count > 0) {
    ways_[pair.first].share = 1;
    return;
  }
  wanted_.assign(count, 1);
  if (mode_ != SteeringMode::direct) want_relays(pair);
  std::array<vlb::PathIndex, vlb::kPlaces> places{};
  vlb::deal_by_weight(places, 1, wanted_);
  for (const auto place : places) {
    if (place == 0) continue;  // there is no path
    const auto i = place - 1u;
    ways_[i < count ? pair.first + i : pair.more_first + i - count].share += 1.f / vlb::kPlaces;
  }
}

void Fluid::want_relays(Pair& pair) {
  add_relays(pair);
  double relays = 0;
  for (auto i = pair.more_first; i < pair.more_end; ++i) {
    relays += way_weight(pair.ingress, ways_[i].target);
  }
  if (relays <= 0) return;
  const double straight = wanted_.empty() ? 0 : share_straight(pair);
  for (auto& part : wanted_) part = straight / static_cast<double>(wanted_.size());
  for (auto i = pair.more_first; i < pair.more_end; ++i) {
    wanted_.push_back((1 - straight) * way_weight(pair.ingress, ways_[i].target) / relays);
  }
}

double Fluid::share_straight(const Pair& pair) {
  if (mode_ != SteeringMode::direct_vlb) return straight_at_least(pair);
  const double most = node_rates_[pair.ingress.value] * weights(pair.ingress)[pair.egress.value] /
                      weight_of_relays(pair);
  const double counted =
      pair.rate * (scenario_.sizes.mean() - kCheckSequence) / scenario_.sizes.mean_on_cable();
  return counted <= most ? 1 : most / counted;
}

// --- what comes where ----------------------------------------------------------------------------

void Fluid::spread() {
  std::fill(asked_.begin(), asked_.end(), 0);
  arriving_ = within_;
  std::fill(random_.begin(), random_.end(), 0);
  astray_ = 0;
  for (const auto& pair : pairs_) {
    const auto send = [&](const Way& way) {
      if (way.share <= 0) return;
      double amount = pair.rate * way.share;
      const double random = 1 - way.share * pair.steady;
      const bool arrives =
          routes_.walk(pair.ingress, path_of(way, pair), pair.egress, [&](std::uint32_t cable) {
            asked_[cable] += amount;
            random_[cable] += static_cast<float>(amount * random);
            amount *= kept_[cable];
          });
      (arrives ? arriving_[pair.egress.value] : astray_) += amount;
    };
    for (auto i = pair.first; i < pair.end; ++i) send(ways_[i]);
    for (auto i = pair.more_first; i < pair.more_end; ++i) send(ways_[i]);
  }
}

double Fluid::lose() {
  double change = 0;
  for (std::uint32_t cable = 0; cable < asked_.size(); ++cable) {
    const double rate = scenario_.links[cable / 2].line.rate;
    const double kept = asked_[cable] > rate ? rate / asked_[cable] : 1;
    change = std::max(change, std::abs(kept - kept_[cable]));
    // Half way: what is lost at one link is not asked of the next, so that they could take turns.
    kept_[cable] = static_cast<float>((kept + kept_[cable]) / 2);
  }
  return change;
}

void Fluid::settle(const std::function<void(double)>& progress) {
  for (int round = 0; round < kMostRounds; ++round) {
    spread();
    if (lose() < kExact) return;
    if (progress) progress(static_cast<double>(round) / kMostRounds);
  }
  is_settled_ = false;
}

// --- the report ---------------------------------------------------------------------------------

FluidReport Fluid::report() const {
  FluidReport report{.offered = offered_};
  report.entered = offered_ - without_path_ - std::accumulate(within_.begin(), within_.end(), 0.0);
  report.lost_without_path = without_path_ + astray_;
  report.steps = steps_;
  report.is_settled = is_settled_;
  for (const auto& pair : pairs_) {
    for (auto i = pair.first; i < pair.end; ++i) report.straight += pair.rate * ways_[i].share;
  }
  for (std::uint32_t cable = 0; cable < asked_.size(); ++cable) {
    const double rate = scenario_.links[cable / 2].line.rate;
    const double asked = asked_[cable] / rate;
    report.links.push_back({routes_.from(cable), routes_.to(cable), std::min(1.0, asked), asked});
    report.lost_on_links += std::max(0.0, asked - 1) * rate;
  }
  for (std::uint16_t i = 0; i < routes_.nodes(); ++i) {
    const double rate = std::max(1.0, node_rates_[i]), asked = arriving_[i] / rate;
    report.ports.push_back({NodeId{i}, NodeId{i}, std::min(1.0, asked), asked});
    report.delivered += std::min(rate, arriving_[i]);
    report.lost_at_ports += std::max(0.0, asked - 1) * rate;
  }
  return report;
}

}  // namespace rackway::simulator
