// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/butterfly_shape.hh"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace rackway::plan {
namespace {

constexpr std::size_t kMostStages = 5;

std::size_t value_of_digit(const Radices& radices, std::size_t digit) {
  std::size_t value = 1;
  for (std::size_t i = 0; i < digit; ++i) value *= radices[i];
  return value;
}

struct Found {
  std::tuple<std::size_t, unsigned> cost;  // nodes, links at the busiest
  Radices radices;
};

// Tries all radices that are not rising; the last is what is left to do.
void search(std::size_t ports, unsigned links_at_most, unsigned least, std::size_t stages,
            Radices& chosen, std::optional<Found>& best) {
  const auto before = positions(chosen);
  const auto left = static_cast<unsigned>((ports + before - 1) / before);
  const unsigned largest = chosen.empty() ? links_at_most : chosen.back();
  if (chosen.size() + 1 == stages) {
    const auto last = std::max(least, left);
    if (last > largest) return;
    chosen.push_back(last);
    const std::tuple cost{stages * positions(chosen), largest_fanout(chosen)};
    if (std::get<1>(cost) <= links_at_most && (!best || cost < best->cost)) best = {cost, chosen};
    chosen.pop_back();
    return;
  }
  for (unsigned radix = least; radix <= std::min(largest, std::max(least, left)); ++radix) {
    chosen.push_back(radix);
    search(ports, links_at_most, least, stages, chosen, best);
    chosen.pop_back();
  }
}

}  // namespace

std::size_t positions(const Radices& radices) {
  return value_of_digit(radices, radices.size());
}

unsigned fanout(const Radices& radices, std::size_t stage) {
  const auto n = radices.size();
  if (n == 1) return radices[0] - 1;
  const unsigned sum = radices[stage] + radices[(stage + n - 1) % n];
  return n == 2 ? sum - 1 : sum;  // with two stages the straight links fall together
}

unsigned largest_fanout(const Radices& radices) {
  unsigned largest = 0;
  for (std::size_t stage = 0; stage < radices.size(); ++stage) {
    largest = std::max(largest, fanout(radices, stage));
  }
  return largest;
}

FabricModel butterfly(const Radices& radices, double node_gbps, double link_gbps) {
  const auto n = radices.size();
  if (n == 1) return full_mesh(radices[0], node_gbps, link_gbps);
  const auto size = positions(radices);
  FabricModel model;
  model.one_hop = false;
  model.symmetry = Symmetry::butterfly;
  model.radices = radices;
  model.rates.assign(n * size, 0);
  std::fill_n(model.rates.begin(), size, node_gbps);
  std::set<std::pair<std::size_t, std::size_t>> links;
  for (std::size_t stage = 0; stage < n; ++stage) {
    const auto step = value_of_digit(radices, stage);
    for (std::size_t x = 0; x < size; ++x) {
      const auto base = x - x / step % radices[stage] * step;
      for (std::size_t digit = 0; digit < radices[stage]; ++digit) {
        const auto a = stage * size + x, b = (stage + 1) % n * size + base + digit * step;
        links.emplace(std::min(a, b), std::max(a, b));
      }
    }
  }
  for (const auto& [a, b] : links) {
    model.links.push_back(
        {NodeId{static_cast<NodeId::rep>(a)}, NodeId{static_cast<NodeId::rep>(b)}, link_gbps});
  }
  return model;
}

std::optional<Radices> smallest_butterfly(std::size_t ports, unsigned links_at_most,
                                          std::size_t nodes_at_most, unsigned least) {
  std::optional<Found> best;
  for (std::size_t stages = 2; stages <= kMostStages; ++stages) {
    Radices chosen;
    search(ports, links_at_most, least, stages, chosen, best);
  }
  if (!best || std::get<0>(best->cost) > nodes_at_most) return std::nullopt;
  return best->radices;
}

}  // namespace rackway::plan
