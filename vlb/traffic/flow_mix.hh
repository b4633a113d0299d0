// SPDX-License-Identifier: Apache-2.0
// What flows the traffic between two nodes is made of. So many are under way at any time; each has
// its share of the pair's traffic, which is its rate, and a length after which another flow takes
// its place. Shares fall off as 1/(rank + knee) and lengths are Pareto (Crovella and Bestavros,
// ToN 1997), so that there are slow and fast mice and slow and fast elephants. A flow's packets
// come in bursts of geometric length, back to back.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "vlb/traffic/random.hh"

namespace rackway::traffic {

struct FlowMix {
  std::string name;
  std::uint32_t concurrent;  // flows of a pair of nodes at a time, at least 1
  double knee;               // rank up to which shares are about the same; infinite: all are
  double shape;              // of the lengths' Pareto distribution, > 0
  std::uint32_t shortest;    // packets, at least 1
  std::uint32_t longest;     // packets, at least `shortest`
  double burst;              // packets back to back on average, at least 1

  // Half of the flows have three packets or fewer, half of the packets are in flows of hundreds;
  // the fastest of 256 flows has 3.6 % of the pair's traffic.
  static FlowMix heavy_tailed(std::uint32_t concurrent = 256);
  // Equal flows without end or bursts: what benchmarks of routers send.
  static FlowMix steady(std::uint32_t concurrent = 256);

  [[nodiscard]] std::uint32_t draw_length(Random& random) const;  // packets
};

// Draws the place of a flow among the concurrent ones by its share, in one step (Walker's alias
// method, 1977).
class FlowShares {
 public:
  explicit FlowShares(const FlowMix& mix);
  [[nodiscard]] std::uint32_t draw(Random& random) const;

 private:
  struct Column {
    double own;           // share of the column that is its own
    std::uint32_t other;  // whose the rest is
  };
  std::vector<Column> columns_;
};

}  // namespace rackway::traffic
