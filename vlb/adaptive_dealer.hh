// SPDX-License-Identifier: Apache-2.0
// Deals the places of an egress node by measured load, a few at a time (docs/vlb.md):
//
//   straight -> relay   while the straight path has more than kFull of its rate to carry and a
//   relay
//                       is less loaded. Fast down to what VLB sends straight in any case, since
//                       nobody's links can be short of that; slowly from there on.
//   relay -> straight   while there is room, or relays are no less loaded than the straight path.
//   relay -> relay      from a loaded one to a less loaded one.
//
// A relay is the better of two drawn by weight (Mitzenmacher, "How useful is old information?",
// TPDS 2000): the loads of relays are some milliseconds old, and senders that all ran to the least
// loaded one would come there together. Each sender changes its own share of a loaded path by the
// same fraction, however many senders there are, so that all of them together react as one.
//
// The places are the only state but for the random numbers, which are the same in every run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vlb/places.hh"

namespace rackway::vlb {

class AdaptiveDealer {
 public:
  explicit AdaptiveDealer(std::uint64_t seed) : random_(seed) {}

  struct Row {
    Places places;
    PathList::Range range;
    std::span<const PathState> states;  // by path, from range.first
    std::span<const double> weights;    // the same; of relays
    double straight_at_least;           // share of the places that VLB sends straight
  };

  // Takes all places away from paths that are not open and gives them to open ones: to the straight
  // one as far as there is room.
  void leave_closed(const Row& row);
  // One step, that many microseconds after the last one of this row.
  void step(const Row& row, float elapsed);

 private:
  void begin(const Row& row);
  void return_straight(float elapsed);
  void relieve_straight(float elapsed);
  void level(float elapsed);
  void move(PathIndex from, PathIndex to, std::uint32_t places);
  void take(PathIndex from, PathIndex to);

  [[nodiscard]] std::uint32_t& held(PathIndex path) { return held_[path - row_->range.first]; }
  [[nodiscard]] float load(PathIndex path) const {
    return row_->states[path - row_->range.first].load;
  }
  [[nodiscard]] std::uint32_t places_that_fit(PathIndex path);
  [[nodiscard]] PathIndex least_loaded_straight() const;
  [[nodiscard]] PathIndex relay_at(double drawn) const;
  [[nodiscard]] PathIndex draw_relay();
  [[nodiscard]] PathIndex draw_holder();
  [[nodiscard]] double fairness(PathIndex relay);
  [[nodiscard]] std::uint64_t random();
  [[nodiscard]] double unit() { return static_cast<double>(random() >> 11) * 0x1p-53; }
  [[nodiscard]] std::uint32_t rounded(double wanted);

  std::uint64_t random_;
  double even_ = 0;  // draws that are spread evenly over many
  // Of the row at hand; the vectors by path, from its first.
  const Row* row_ = nullptr;
  std::vector<std::uint32_t> held_;
  std::vector<double> cumulative_;  // weights of open relays
  std::uint32_t straight_ = 0, relayed_ = 0;
};

}  // namespace rackway::vlb
