// SPDX-License-Identifier: Apache-2.0
#include "vlb/traffic/generator.hh"

#include <algorithm>

namespace rackway::traffic {
namespace {

// Flow numbers one after the other become hashes that are as far apart as those of addresses.
std::uint32_t hash_of(std::uint32_t flow) {
  std::uint32_t hash = flow + 0x7f4a7c15u;
  hash = (hash ^ hash >> 16) * 0x21f0aaadu;
  hash = (hash ^ hash >> 15) * 0x735a2d97u;
  return hash ^ hash >> 15;
}

std::uint64_t seed_of(std::uint64_t seed, NodeId ingress) {
  return seed * 0x9e3779b97f4a7c15u + ingress.value;
}

}  // namespace

bool Source::later(const Pair& a, const Pair& b) {
  return a.due > b.due;
}

Source::Source(const TrafficMatrix& matrix, NodeId ingress, double line_rate, const FlowMix& mix,
               const PacketSizes& sizes, const FlowShares& shares, std::uint64_t seed)
    : mix_(&mix),
      sizes_(&sizes),
      shares_(&shares),
      ingress_(ingress),
      nodes_(static_cast<std::uint32_t>(matrix.nodes())),
      random_(seed_of(seed, ingress)) {
  const double wanted = matrix.entering(ingress);
  if (wanted <= 0) return;
  ps_per_octet_ = picoseconds_per_octet(line_rate);
  idle_ratio_ = std::max(0.0, line_rate / wanted - 1);
  const auto demands = matrix.from(ingress);
  flows_.resize(demands.size() * mix.concurrent);
  for (const auto& demand : demands) {
    // Pairs start at random points of their first burst, so that nodes do not go in step.
    const double interval = wanted / demand.rate;
    const double burst = mix.burst * sizes.mean_on_cable();
    const auto first = static_cast<std::uint32_t>(pairs_.size()) * mix.concurrent;
    pairs_.push_back({random_.unit() * burst * interval, interval, demand.egress, first});
  }
  std::make_heap(pairs_.begin(), pairs_.end() - 1, later);
}

void Source::renew(Flow& flow) {
  flow = {next_flow_ * nodes_ + ingress_.value, 0, mix_->draw_length(random_)};
  ++next_flow_;
}

void Source::begin_burst() {
  std::push_heap(pairs_.begin(), pairs_.end(), later);
  std::pop_heap(pairs_.begin(), pairs_.end(), later);
  flow_ = &flows_[pairs_.back().first_flow + shares_->draw(random_)];
  if (flow_->left == 0) renew(*flow_);
  in_burst_ = std::min(random_.geometric(mix_->burst), flow_->left);
}

Packet Source::next() {
  if (in_burst_ == 0) begin_burst();
  Pair& pair = pairs_.back();
  const auto octets = sizes_->draw(random_);
  const auto on_cable = time_on_cable(octets, ps_per_octet_);
  if (idle_ratio_ > 0) {
    now_ +=
        static_cast<Picoseconds>(random_.exponential(static_cast<double>(on_cable) * idle_ratio_));
  }
  now_ += on_cable;
  pair.due += pair.interval * (octets + kFrameOverhead);
  const Packet packet{now_,   flow_->number, flow_->sequence, hash_of(flow_->number),
                      octets, ingress_,      pair.egress};
  ++flow_->sequence;
  --flow_->left;
  --in_burst_;
  return packet;
}

void Source::skip_to(Picoseconds time) {
  now_ = std::max(now_, time);
}

Generator::Generator(const TrafficMatrix& matrix, std::span<const double> line_rates, FlowMix mix,
                     PacketSizes sizes, std::uint64_t seed)
    : mix_(std::move(mix)), sizes_(std::move(sizes)), shares_(mix_) {
  sources_.reserve(matrix.nodes());
  for (std::size_t i = 0; i < matrix.nodes(); ++i) {
    sources_.emplace_back(matrix, NodeId{static_cast<std::uint16_t>(i)}, line_rates[i], mix_,
                          sizes_, shares_, seed);
  }
}

}  // namespace rackway::traffic
