// SPDX-License-Identifier: Apache-2.0
#include "vlb/places.hh"

#include <algorithm>
#include <numeric>
#include <vector>

namespace rackway::vlb {
namespace {

// Largest remainder; of equal ones the first.
std::vector<std::uint32_t> parts_of_all_places(std::span<const double> weights, double sum) {
  std::vector<std::uint32_t> parts(weights.size());
  std::vector<double> rest(weights.size());
  std::vector<std::size_t> order(weights.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::size_t left = kPlaces;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double exact = kPlaces * weights[i] / sum;
    parts[i] = static_cast<std::uint32_t>(exact);
    rest[i] = exact - parts[i];
    left -= parts[i];
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return rest[a] > rest[b]; });
  for (std::size_t i = 0; i < left; ++i) ++parts[order[i % order.size()]];
  return parts;
}

}  // namespace

void deal_by_weight(Places places, PathIndex first, std::span<const double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (!(sum > 0)) return std::fill(places.begin(), places.end(), PathIndex{0});
  auto wanted = parts_of_all_places(weights, sum);
  std::vector<std::size_t> free;
  for (std::size_t place = 0; place < kPlaces; ++place) {
    const std::size_t holder = static_cast<std::size_t>(places[place]) - first;  // 0: far beyond
    if (places[place] != 0 && holder < wanted.size() && wanted[holder] > 0) {
      --wanted[holder];
    } else {
      free.push_back(place);
    }
  }
  for (std::size_t i = 0, path = 0; i < free.size(); ++i) {
    while (wanted[path] == 0) ++path;
    --wanted[path];
    places[free[i]] = static_cast<PathIndex>(first + path);
  }
}

}  // namespace rackway::vlb
