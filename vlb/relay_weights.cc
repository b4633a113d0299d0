// SPDX-License-Identifier: Apache-2.0
#include "vlb/relay_weights.hh"

#include <algorithm>
#include <numeric>

namespace rackway::vlb {

std::vector<double> relay_weights(NodeId self, std::span<const double> rates,
                                  std::span<const double> link_rates) {
  std::vector<double> weights(rates.begin(), rates.end());
  const double all_rates = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (all_rates <= 0) {
    std::fill(weights.begin(), weights.end(), 1.0 / static_cast<double>(weights.size()));
    return weights;
  }
  for (std::size_t node = 0; node < weights.size(); ++node) {
    const double needed = 2 * rates[self.value] * rates[node] / all_rates;
    const bool short_of = node != self.value && link_rates[node] > 0 && link_rates[node] < needed;
    if (short_of) weights[node] *= link_rates[node] / needed;
  }
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (auto& weight : weights) weight /= sum;
  return weights;
}

}  // namespace rackway::vlb
