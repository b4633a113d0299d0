// SPDX-License-Identifier: Apache-2.0
#include "vlb/traffic/flow_mix.hh"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rackway::traffic {
namespace {

constexpr std::uint32_t kEndless = std::numeric_limits<std::uint32_t>::max();

// By rank, their mean 1.
std::vector<double> shares_of(const FlowMix& mix) {
  std::vector<double> shares(mix.concurrent, 1.0);
  if (std::isinf(mix.knee)) return shares;
  double sum = 0;
  for (std::uint32_t rank = 0; rank < mix.concurrent; ++rank) {
    sum += shares[rank] = 1 / (rank + mix.knee);
  }
  for (auto& share : shares) share *= mix.concurrent / sum;
  return shares;
}

}  // namespace

FlowMix FlowMix::heavy_tailed(std::uint32_t concurrent) {
  return {"heavy-tailed", concurrent, 8, 1.1, 2, 100'000, 4};
}

FlowMix FlowMix::steady(std::uint32_t concurrent) {
  return {"steady", concurrent, std::numeric_limits<double>::infinity(), 1, kEndless, kEndless, 1};
}

std::uint32_t FlowMix::draw_length(Random& random) const {
  if (shortest == longest) return shortest;
  const double low = shortest, high = longest;
  const double tail = 1 - std::pow(low / high, shape);
  const double length = low / std::pow(1 - random.unit() * tail, 1 / shape);
  return static_cast<std::uint32_t>(std::clamp(length, low, high));
}

FlowShares::FlowShares(const FlowMix& mix) {
  auto shares = shares_of(mix);
  columns_.resize(shares.size());
  std::vector<std::uint32_t> poor, rich;
  for (std::uint32_t i = 0; i < shares.size(); ++i) {
    columns_[i] = {1, i};
    (shares[i] < 1 ? poor : rich).push_back(i);
  }
  while (!poor.empty() && !rich.empty()) {
    const auto small = poor.back(), large = rich.back();
    poor.pop_back();
    columns_[small] = {shares[small], large};
    shares[large] -= 1 - shares[small];
    if (shares[large] >= 1) continue;
    rich.pop_back();
    poor.push_back(large);
  }
}

std::uint32_t FlowShares::draw(Random& random) const {
  const auto column = random.below(static_cast<std::uint32_t>(columns_.size()));
  return random.unit() < columns_[column].own ? column : columns_[column].other;
}

}  // namespace rackway::traffic
