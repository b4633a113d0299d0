// SPDX-License-Identifier: Apache-2.0
// Adaptive dealing (vlb::AdaptiveDealer) with shares in the place of places: what it does on
// average over its random draws, so that a row costs no more than sorting its relays. One thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace rackway::simulator {

// The traffic from one node to another. Shares add up to 1; loads are parts of a path's rate, of
// the more loaded of its links; only open paths are there.
struct FluidRow {
  std::span<float> straight, relays;
  std::span<const float> straight_loads, relay_loads;
  std::span<const float> weights;  // of the relays, > 0
  double straight_at_least;        // what VLB sends straight in any case
};

class FluidDealer {
 public:
  // What one step would do, so many microseconds after the last one.
  void step(const FluidRow& row, double elapsed);
  // Without relays at hand: whether a step would change anything if there were any.
  [[nodiscard]] static bool is_content(std::span<const float> straight_loads);

 private:
  void draw(const FluidRow& row);
  void return_straight(const FluidRow& row, double elapsed);
  void take_from_holders(const FluidRow& row, std::size_t straight, double wanted);
  void relieve_straight(const FluidRow& row, double elapsed);
  void level_straight(const FluidRow& row, double elapsed);
  void level_relays(const FluidRow& row, double elapsed);
  [[nodiscard]] float load_at(const FluidRow& row, std::size_t rank) const {
    return row.relay_loads[order_[rank]];
  }

  std::vector<std::uint32_t> order_;  // relays, the least loaded first
  std::vector<double> drawn_;         // by relay: how likely a draw gives it
  std::vector<double> sums_, weighted_sums_, given_, given_by_load_;  // by rank, scratch
};

}  // namespace rackway::simulator
