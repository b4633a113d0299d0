// SPDX-License-Identifier: Apache-2.0
// How the fluid finds what adaptive steering comes to: steps of dealing, as nodes take them.
#include <algorithm>
#include <cmath>

#include "vlb/simulator/fluid.hh"

namespace rackway::simulator {
namespace {

constexpr double kStep = 1000;  // microseconds, as often as nodes deal
constexpr std::uint32_t kMostSteps = 1000, kQuietSteps = 20;
constexpr double kQuiet = 1e-4;  // of all traffic, that moves in a step
// After so many steps they get shorter: loads that are compared make shares jump to and fro.
constexpr double kFullSteps = 200;
// Of three points, in standard deviations.
constexpr double kFarPoint = 1.7320508075688772;
// What a vlb::Load can say at most.
constexpr float kMostLoad = 255.f / vlb::kFullLoad;

}  // namespace

void Fluid::adapt(const std::function<void(double)>& progress) {
  std::uint32_t quiet = 0;
  for (steps_ = 0; steps_ < kMostSteps && quiet < kQuietSteps; ++steps_) {
    spread();
    lose();
    double moved = 0;
    for (auto& pair : pairs_) moved += deal(pair);
    quiet = moved < kQuiet * offered_ ? quiet + 1 : 0;
    if (progress) progress(static_cast<double>(steps_) / kMostSteps);
  }
  is_settled_ = quiet == kQuietSteps;
}

double Fluid::deal(Pair& pair) {
  const auto loads = straight_loads(pair);
  if (pair.more_first == pair.more_end) {
    if (pair.first == pair.end || FluidDealer::is_content(at_scatter(loads, kFarPoint))) return 0;
    add_relays(pair);
  }
  const auto row = row_of(pair);
  const auto shares = mean_step(row, loads);
  double moved = 0;
  for (std::uint32_t i = 0; i < shares.size(); ++i) {
    const auto straight = pair.end - pair.first;
    Way& way = ways_[i < straight ? pair.first + i : pair.more_first + i - straight];
    moved += std::abs(shares[i] - way.share);
    way.share = static_cast<float>(shares[i]);
  }
  return moved * pair.rate;
}

// What a node measures in a millisecond scatters about the mean, and dealing is quick to relieve
// and slow to return, so that scatter moves the balance: the step is that of the mean over a normal
// scatter, by Gauss-Hermite quadrature of three points.
std::vector<double> Fluid::mean_step(const FluidRow& row, const std::vector<Measured>& loads) {
  const auto straight = straight_, relays = relays_;  // before the step
  const double elapsed = kStep * std::min(1.0, kFullSteps / (steps_ + 1));
  std::vector<double> shares(straight.size() + relays.size());
  for (const auto& [point, weight] :
       {std::pair{-kFarPoint, 1. / 6}, {0., 2. / 3}, {kFarPoint, 1. / 6}}) {
    std::copy(straight.begin(), straight.end(), row.straight.begin());
    std::copy(relays.begin(), relays.end(), row.relays.begin());
    const auto measured = at_scatter(loads, point);
    FluidRow scattered = row;
    scattered.straight_loads = measured;
    dealer_.step(scattered, elapsed);
    auto share = shares.begin();
    for (const auto part : row.straight) *share++ += weight * part;
    for (const auto part : row.relays) *share++ += weight * part;
  }
  return shares;
}

std::vector<Fluid::Measured> Fluid::straight_loads(const Pair& pair) const {
  std::vector<Measured> loads;
  for (auto i = pair.first; i < pair.end; ++i) {
    const auto cable = routes_.leaving(pair.ingress, ways_[i].link);
    const double rate = scenario_.links[cable / 2].line.rate;
    const float load = load_of(ways_[i], pair);
    const double octets = rate * kStep * 1e-6 / 8;  // that fit into a step
    const double burst = scenario_.sizes.mean_on_cable() * (2 * scenario_.mix.burst - 1);
    loads.push_back({load, std::sqrt(random_[cable] / rate * burst / octets)});
  }
  return loads;
}

std::vector<float> Fluid::at_scatter(const std::vector<Measured>& loads, double point) {
  std::vector<float> result;
  for (const auto& [mean, scatter] : loads) {
    result.push_back(static_cast<float>(std::clamp<double>(mean + point * scatter, 0, kMostLoad)));
  }
  return result;
}

FluidRow Fluid::row_of(const Pair& pair) {
  straight_.clear();
  relays_.clear();
  relay_loads_.clear();
  relay_weights_.clear();
  for (auto i = pair.first; i < pair.end; ++i) straight_.push_back(ways_[i].share);
  for (auto i = pair.more_first; i < pair.more_end; ++i) {
    relays_.push_back(ways_[i].share);
    relay_loads_.push_back(load_of(ways_[i], pair));
    relay_weights_.push_back(static_cast<float>(way_weight(pair.ingress, ways_[i].target)));
  }
  return {straight_, relays_, {}, relay_loads_, relay_weights_, straight_at_least(pair)};
}

float Fluid::load_of(std::uint32_t cable) const {
  const double load = asked_[cable] / scenario_.links[cable / 2].line.rate;
  return std::min(kMostLoad, static_cast<float>(load));
}

// Of a path, as vlb::PathList sees it: its first link, and what the far end says of the next.
float Fluid::load_of(const Way& way, const Pair& pair) const {
  const auto cable = routes_.leaving(pair.ingress, way.link);
  const NodeId peer = routes_.to(cable), next = peer == way.target ? pair.egress : way.target;
  return peer == next ? load_of(cable) : std::max(load_of(cable), load_beyond(peer, next));
}

float Fluid::load_beyond(NodeId peer, NodeId target) const {
  float least = kMostLoad;
  routes_.for_each_way(peer, target,
                       [&](std::uint32_t cable) { least = std::min(least, load_of(cable)); });
  return least;
}

}  // namespace rackway::simulator
