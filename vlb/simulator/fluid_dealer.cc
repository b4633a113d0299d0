// SPDX-License-Identifier: Apache-2.0
#include "vlb/simulator/fluid_dealer.hh"

#include <algorithm>
#include <numeric>

#include "vlb/adaptive_rules.hh"

namespace rackway::simulator {

using namespace vlb::adaptive;

namespace {

double sum(std::span<const float> shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

std::size_t least_loaded(std::span<const float> loads) {
  return static_cast<std::size_t>(std::min_element(loads.begin(), loads.end()) - loads.begin());
}

void add(float& share, double amount) {
  share = static_cast<float>(std::max(0.0, share + amount));
}

}  // namespace

bool FluidDealer::is_content(std::span<const float> straight_loads) {
  return std::all_of(straight_loads.begin(), straight_loads.end(), [&](float load) {
    return load <= kFull && (straight_loads.size() == 1 || load <= kIdle);
  });
}

// The better of two drawn by weight; of two about as loaded either.
void FluidDealer::draw(const FluidRow& row) {
  const std::size_t count = row.relays.size();
  order_.resize(count);
  std::iota(order_.begin(), order_.end(), 0u);
  std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
    return row.relay_loads[a] != row.relay_loads[b] ? row.relay_loads[a] < row.relay_loads[b]
                                                    : a < b;
  });
  sums_.assign(count + 1, 0);  // weights of so many ranks
  for (std::size_t rank = 0; rank < count; ++rank) {
    sums_[rank + 1] = sums_[rank] + row.weights[order_[rank]];
  }
  const double all = sums_[count];
  drawn_.assign(count, 0);
  std::size_t first_equal = 0, first_more = 0;
  for (std::size_t rank = 0; rank < count; ++rank) {
    while (load_at(row, first_equal) < load_at(row, rank) - kClear) ++first_equal;
    while (first_more < count && load_at(row, first_more) <= load_at(row, rank) + kClear) {
      ++first_more;
    }
    const double more = all - sums_[first_more], equal = sums_[first_more] - sums_[first_equal];
    drawn_[order_[rank]] = row.weights[order_[rank]] * (2 * more + equal) / (all * all);
  }
}

void FluidDealer::step(const FluidRow& row, double elapsed) {
  if (!row.relays.empty()) {
    draw(row);
    if (!row.straight.empty()) {
      return_straight(row, elapsed);
      relieve_straight(row, elapsed);
    }
    level_relays(row, elapsed);
  }
  level_straight(row, elapsed);
}

void FluidDealer::return_straight(const FluidRow& row, double elapsed) {
  const double relayed = sum(row.relays);
  if (relayed <= 0) return;
  const auto best = least_loaded(row.straight_loads);
  const double load = row.straight_loads[best], room = kRoom - load;
  if (room > 0) {
    const double straight = sum(row.straight);
    const double fit = straight > 0 && load > 0 ? straight * room / load : relayed;
    take_from_holders(row, best, std::min(relayed, fit) * std::min(1.0, kReturn * elapsed));
    return;
  }
  for (std::size_t i = 0; i < row.relays.size(); ++i) {
    if (row.relay_loads[i] < load) continue;
    const double excess = (row.relay_loads[i] - load + kClear) / row.relay_loads[i];
    const double amount = row.relays[i] * std::min(1.0, excess * kLevel * elapsed);
    add(row.relays[i], -amount);
    add(row.straight[best], amount);
  }
}

// Each from the more loaded of two holders, drawn by what they hold.
void FluidDealer::take_from_holders(const FluidRow& row, std::size_t straight, double wanted) {
  const double all = sum(row.relays);
  double below = 0, taken = 0;
  for (std::size_t rank = 0; rank < order_.size();) {
    double equal = 0;
    std::size_t end = rank;
    for (; end < order_.size() && load_at(row, end) == load_at(row, rank); ++end) {
      equal += row.relays[order_[end]];
    }
    for (; rank < end; ++rank) {
      float& share = row.relays[order_[rank]];
      const double part = share * (2 * below + equal) / (all * all);
      const double amount = std::min<double>(share, wanted * part);
      add(share, -amount);
      taken += amount;
    }
    below += equal;
  }
  add(row.straight[straight], taken);
}

void FluidDealer::relieve_straight(const FluidRow& row, double elapsed) {
  double straight = sum(row.straight);
  for (std::size_t s = 0; s < row.straight.size(); ++s) {
    const double load = row.straight_loads[s], own = row.straight[s];
    if (own <= 0 || load <= kFull) continue;
    double amount = 0;
    for (std::size_t i = 0; i < row.relays.size(); ++i) {
      const double there = row.relay_loads[i];
      if (there >= load - kClear) continue;
      const double excess = (load - std::max<double>(kFull, there)) / load;
      const double fast = std::min(own * excess * std::min(1.0, kRelieve * elapsed),
                                   straight - row.straight_at_least);
      const double slow = own * excess * std::min(1.0, kLevel * elapsed);
      amount += drawn_[i] * std::max(fast, slow);
    }
    amount = std::min(amount, own);
    add(row.straight[s], -amount);
    straight -= amount;
    for (std::size_t i = 0; i < row.relays.size(); ++i) add(row.relays[i], amount * drawn_[i]);
  }
}

void FluidDealer::level_straight(const FluidRow& row, double elapsed) {
  if (row.straight.size() < 2) return;
  const auto best = least_loaded(row.straight_loads);
  for (std::size_t s = 0; s < row.straight.size(); ++s) {
    const double load = row.straight_loads[s], other = row.straight_loads[best];
    if (load <= kIdle || other >= load - kClear) continue;
    const double amount = row.straight[s] * std::min(1.0, (load - other) / load * kLevel * elapsed);
    add(row.straight[s], -amount);
    add(row.straight[best], amount);
  }
}

// A relay gives to each that is drawn and less loaded, in proportion to the difference. Sums over
// the ranks below make the pairs of relays a matter of one pass.
void FluidDealer::level_relays(const FluidRow& row, double elapsed) {
  const std::size_t count = order_.size();
  sums_.assign(count + 1, 0);           // of draws
  weighted_sums_.assign(count + 1, 0);  // of draws times loads
  for (std::size_t rank = 0; rank < count; ++rank) {
    const double drawn = drawn_[order_[rank]];
    sums_[rank + 1] = sums_[rank] + drawn;
    weighted_sums_[rank + 1] = weighted_sums_[rank] + drawn * load_at(row, rank);
  }
  given_.assign(count + 1, 0);  // to all ranks below
  given_by_load_.assign(count + 1, 0);
  std::size_t below = 0;
  for (std::size_t rank = 0; rank < count; ++rank) {
    const double load = load_at(row, rank);
    float& share = row.relays[order_[rank]];
    if (load <= kIdle || share <= 0) continue;
    while (below < rank && load_at(row, below) < load - kClear) ++below;
    const double part = share * std::min(1.0, kLevel * elapsed);
    const double amount = part * (load * sums_[below] - weighted_sums_[below]) / load;
    add(share, -amount);
    given_[below] += part;
    given_by_load_[below] += part / load;
  }
  double all = 0, by_load = 0;
  for (std::size_t rank = count; rank-- > 0;) {
    all += given_[rank + 1];
    by_load += given_by_load_[rank + 1];
    add(row.relays[order_[rank]], drawn_[order_[rank]] * (all - load_at(row, rank) * by_load));
  }
}

}  // namespace rackway::simulator
