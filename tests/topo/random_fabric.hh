// SPDX-License-Identifier: Apache-2.0
// Random fabrics for property tests, and what is true of them found in the plainest way.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "topo/fabric_graph.hh"

namespace rackway::topo::testing {

constexpr NodeId node(std::size_t i) {
  return NodeId{static_cast<std::uint16_t>(i)};
}

inline std::vector<std::string> names(std::size_t nodes) {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < nodes; ++i) result.push_back("n" + std::to_string(i));
  return result;
}

// So many links between nodes taken at random; of a pair of nodes there may be several.
inline std::vector<LinkEnds> random_links(std::mt19937& random, std::size_t nodes,
                                          std::size_t count) {
  std::vector<LinkEnds> links;
  while (links.size() < count) {
    const auto a = random() % nodes, b = random() % nodes;
    if (a != b) links.push_back({node(a), node(b)});
  }
  return links;
}

// All distances by relaxing until nothing changes (Bellman and Ford); kUnreachable where no way is.
inline std::vector<std::vector<Hops>> naive_hops(std::size_t nodes,
                                                 const std::vector<LinkEnds>& links,
                                                 const std::vector<bool>& down = {}) {
  std::vector<std::vector<Hops>> hops(nodes, std::vector<Hops>(nodes, kUnreachable));
  for (std::size_t from = 0; from < nodes; ++from) {
    auto& row = hops[from];
    row[from] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = 0; i < links.size(); ++i) {
        if (i < down.size() && down[i]) continue;
        auto &a = row[links[i].a.value], &b = row[links[i].b.value];
        const auto lower = std::min(a, b);
        if (lower == kUnreachable || std::max(a, b) <= lower + 1) continue;
        (a < b ? b : a) = static_cast<Hops>(lower + 1);
        changed = true;
      }
    }
  }
  return hops;
}

}  // namespace rackway::topo::testing
