// SPDX-License-Identifier: Apache-2.0
#include "vlb/adaptive_dealer.hh"

#include <algorithm>

#include "vlb/adaptive_rules.hh"

namespace rackway::vlb {

using namespace adaptive;

void AdaptiveDealer::begin(const Row& row) {
  row_ = &row;
  held_.assign(row.states.size(), 0);
  straight_ = relayed_ = 0;
  for (const PathIndex path : row.places) {
    if (path == 0) continue;
    ++held(path);
    ++(path < row.range.relays ? straight_ : relayed_);
  }
  const std::size_t first_relay = row.range.relays - row.range.first;
  cumulative_.assign(row.states.size() - first_relay, 0);
  double sum = 0;
  for (std::size_t i = 0; i < cumulative_.size(); ++i) {
    if (row.states[first_relay + i].open) sum += row.weights[first_relay + i];
    cumulative_[i] = sum;
  }
}

void AdaptiveDealer::leave_closed(const Row& row) {
  begin(row);
  const PathIndex straight = least_loaded_straight();
  std::uint32_t room = straight == 0 ? 0 : places_that_fit(straight);
  for (auto& place : row.places) {
    if (place != 0 && row.states[place - row.range.first].open) continue;
    // Drawn only where one is needed: at first nearly all places go straight, and of 1,024 nodes
    // each has 262,000 places.
    const PathIndex relay = room > 0 ? PathIndex{0} : draw_relay();
    if (room > 0) --room;
    place = relay == 0 ? straight : relay;
    if (place != 0) ++held(place);
  }
}

// More of them, until the path is full, if its load is all of the places it has.
std::uint32_t AdaptiveDealer::places_that_fit(PathIndex path) {
  if (load(path) >= kFull) return 0;
  if (held(path) == 0 || load(path) <= 0) return kPlaces;
  const float more = static_cast<float>(held(path)) * (kFull - load(path)) / load(path);
  return static_cast<std::uint32_t>(std::min<float>(more, kPlaces));
}

void AdaptiveDealer::step(const Row& row, float elapsed) {
  begin(row);
  if (relayed_ > 0) return_straight(elapsed);
  if (straight_ > 0) relieve_straight(elapsed);
  level(elapsed);
}

void AdaptiveDealer::return_straight(float elapsed) {
  const PathIndex straight = least_loaded_straight();
  if (straight == 0) return;
  const float room = kRoom - load(straight);
  if (room > 0) {
    // As many as there is room for, if the link's load is all of the places it has; fewer if not.
    const auto fit = straight_ > 0 && load(straight) > 0
                         ? static_cast<float>(straight_) * room / load(straight)
                         : static_cast<float>(relayed_);
    const float wanted =
        std::min(static_cast<float>(relayed_), fit) * std::min(1.f, kReturn * elapsed);
    for (auto left = rounded(wanted); left > 0 && relayed_ > 0; --left) {
      take(draw_holder(), straight);
    }
    return;
  }
  for (PathIndex relay = row_->range.relays; relay < row_->range.end; ++relay) {
    if (held(relay) == 0 || load(relay) < load(straight)) continue;
    const float excess = (load(relay) - load(straight) + kClear) / load(relay);
    move(relay, straight, rounded(static_cast<float>(held(relay)) * excess * kLevel * elapsed));
  }
}

void AdaptiveDealer::relieve_straight(float elapsed) {
  const double least = kPlaces * row_->straight_at_least;
  for (PathIndex straight = row_->range.first; straight < row_->range.relays; ++straight) {
    if (held(straight) == 0 || load(straight) <= kFull) continue;
    const PathIndex relay = draw_relay();
    if (relay == 0 || load(relay) >= load(straight) - kClear) continue;
    const float excess = (load(straight) - std::max(kFull, load(relay))) / load(straight);
    const float own = static_cast<float>(held(straight));
    const auto fast = std::min<double>(own * excess * std::min(1.f, kRelieve * elapsed),
                                       static_cast<double>(straight_) - least);
    const auto slow = own * excess * std::min(1.f, kLevel * elapsed);
    auto left = rounded(std::max<double>(fast, slow));
    for (; left > 0 && held(straight) > 0; --left) take(straight, draw_relay());
  }
}

void AdaptiveDealer::level(float elapsed) {
  const auto& range = row_->range;
  for (PathIndex path = range.first; path < range.end; ++path) {
    if (held(path) == 0 || load(path) <= kIdle) continue;
    const PathIndex other = path < range.relays ? least_loaded_straight() : draw_relay();
    if (other == 0 || load(other) >= load(path) - kClear) continue;
    const float excess = (load(path) - load(other)) / load(path);
    move(path, other, rounded(static_cast<float>(held(path)) * excess * kLevel * elapsed));
  }
}

void AdaptiveDealer::move(PathIndex from, PathIndex to, std::uint32_t places) {
  for (; places > 0 && held(from) > 0; --places) take(from, to);
}

// One of the places, at random.
void AdaptiveDealer::take(PathIndex from, PathIndex to) {
  std::size_t place = random() % kPlaces;
  while (row_->places[place] != from) place = (place + 1) % kPlaces;
  row_->places[place] = to;
  --held(from);
  ++held(to);
  --(from < row_->range.relays ? straight_ : relayed_);
  ++(to < row_->range.relays ? straight_ : relayed_);
}

PathIndex AdaptiveDealer::least_loaded_straight() const {
  PathIndex best = 0;
  for (PathIndex path = row_->range.first; path < row_->range.relays; ++path) {
    if (!row_->states[path - row_->range.first].open) continue;
    if (best == 0 || load(path) < load(best)) best = path;
  }
  return best;
}

// drawn: 0 to 1. 0 if no relay is open.
PathIndex AdaptiveDealer::relay_at(double drawn) const {
  if (cumulative_.empty() || cumulative_.back() <= 0) return 0;
  const auto at =
      std::upper_bound(cumulative_.begin(), cumulative_.end() - 1, drawn * cumulative_.back());
  return static_cast<PathIndex>(row_->range.relays + (at - cumulative_.begin()));
}

PathIndex AdaptiveDealer::draw_relay() {
  constexpr double kGoldenRatio = 0.6180339887498949;
  even_ += kGoldenRatio;
  if (even_ >= 1) even_ -= 1;
  const PathIndex one = relay_at(even_), two = relay_at(unit());
  if (one == two) return one;
  const float difference = load(one) - load(two);
  if (difference > kClear) return two;
  if (difference < -kClear) return one;
  return fairness(two) < fairness(one) ? two : one;
}

// How much a relay has for its weight.
double AdaptiveDealer::fairness(PathIndex relay) {
  return held(relay) / row_->weights[relay - row_->range.first];
}

// The more loaded of two relays that hold places, each drawn by how many it holds.
PathIndex AdaptiveDealer::draw_holder() {
  const auto drawn = [this] {
    std::size_t place = random() % kPlaces;
    while (row_->places[place] < row_->range.relays) place = (place + 1) % kPlaces;
    return row_->places[place];
  };
  const PathIndex one = drawn(), two = drawn();
  return load(two) > load(one) ? two : one;
}

// On average what is wanted.
std::uint32_t AdaptiveDealer::rounded(double wanted) {
  if (!(wanted > 0)) return 0;
  return static_cast<std::uint32_t>(wanted + unit());
}

// xorshift64* (Vigna 2016); the seed must not be 0.
std::uint64_t AdaptiveDealer::random() {
  random_ ^= random_ >> 12;
  random_ ^= random_ << 25;
  random_ ^= random_ >> 27;
  return random_ * 0x2545f4914f6cdd1dULL;
}

}  // namespace rackway::vlb
