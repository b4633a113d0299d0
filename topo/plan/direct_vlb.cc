// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/direct_vlb.hh"

#include <algorithm>
#include <limits>

namespace rackway::plan {
namespace {

// Traffic that loads a link from the threshold on, with a share of it.
struct Pair {
  std::uint32_t other;  // the node at its far end
  double most;          // that it may have
  double threshold, share;

  [[nodiscard]] double load(double amount) const {
    return share * std::max(0.0, amount - threshold);
  }
};

struct Filled {
  double load{0};
  std::vector<std::pair<std::uint32_t, double>> amounts;
};

// `first`, then the others in their order, until the budget is used up.
Filled fill(const std::vector<Pair>& pairs, std::size_t first, double budget) {
  Filled filled;
  const auto take = [&](const Pair& pair) {
    const double amount = std::min(budget, pair.most);
    filled.load += pair.load(amount);
    filled.amounts.emplace_back(pair.other, amount);
    budget -= amount;
  };
  take(pairs[first]);
  for (std::size_t i = 0; i < pairs.size() && budget > 0; ++i) {
    if (i != first) take(pairs[i]);
  }
  return filled;
}

Filled fill_best(std::vector<Pair> pairs, double budget) {
  const auto by_amount = [&](const Pair& pair) {
    const double amount = std::min(budget, pair.most);
    return pair.load(amount) / amount;
  };
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const Pair& a, const Pair& b) { return by_amount(a) > by_amount(b); });
  Filled best;
  if (budget <= 0) return best;
  for (std::size_t first = 0; first < pairs.size(); ++first) {
    auto filled = fill(pairs, first, budget);
    if (filled.load > best.load * (1 + 1e-12)) best = std::move(filled);
  }
  return best;
}

class DirectVlb {
 public:
  DirectVlb(const FabricModel& model, const Failures& failures)
      : model_(model), nodes_(model.nodes()), joined_(nodes_ * nodes_), splits_(nodes_ * nodes_) {
    const auto nodes = living_nodes(model, failures);
    const auto links = living_links(model, failures);
    for (std::size_t i = 0; i < nodes_; ++i) rates_.push_back(nodes[i] ? model.rates[i] : 0);
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      const std::size_t a = model.links[i].a.value, b = model.links[i].b.value;
      joined_[a * nodes_ + b] = joined_[b * nodes_ + a] = links[i];
    }
    for (std::size_t i = 0; i < nodes_; ++i) {
      for (std::size_t j = 0; j < nodes_; ++j) splits_[i * nodes_ + j] = split(i, j);
    }
  }

  struct Worst {
    double load{0};
    std::vector<Demand> matrix;
  };

  // Of the link from a to b. What the pair itself sends is all that goes straight or nothing, as
  // the load is convex in it up to there and what is more only takes from the others.
  [[nodiscard]] Worst worst(std::uint32_t a, std::uint32_t b) const {
    const auto& own = at(a, b);
    const double most = std::min(rates_[a], rates_[b]);
    const double straight = own.relays > 0 ? std::min(most, own.straight) : most;
    Worst worst;
    for (const double amount : {straight, 0.0}) {
      const auto sent = fill_best(beside(a, b, true), rates_[a] - amount);
      const auto received = fill_best(beside(a, b, false), rates_[b] - amount);
      const double load = amount + sent.load + received.load;
      if (load <= worst.load * (1 + 1e-12)) continue;
      worst = {load, {}};
      if (amount > 0) worst.matrix.push_back({id(a), id(b), amount});
      for (const auto& [to, gbps] : sent.amounts) worst.matrix.push_back({id(a), id(to), gbps});
      for (const auto& [from, gbps] : received.amounts) {
        worst.matrix.push_back({id(from), id(b), gbps});
      }
    }
    return worst;
  }

 private:
  struct Split {
    double straight;  // Gb/s at most
    double relays;    // the rates of those that may relay, together
  };

  static NodeId id(std::uint32_t node) { return NodeId{static_cast<NodeId::rep>(node)}; }
  [[nodiscard]] const Split& at(std::size_t i, std::size_t j) const {
    return splits_[i * nodes_ + j];
  }
  [[nodiscard]] bool joined(std::size_t i, std::size_t j) const { return joined_[i * nodes_ + j]; }
  [[nodiscard]] bool relays(std::size_t i, std::size_t k, std::size_t j) const {
    return k != i && k != j && joined(i, k) && joined(k, j);
  }

  [[nodiscard]] Split split(std::size_t i, std::size_t j) const {
    Split split{0, 0};
    for (std::size_t k = 0; k < nodes_; ++k) {
      if (relays(i, k, j)) split.relays += rates_[k];
    }
    const double all = rates_[i] + rates_[j] + split.relays;
    if (joined(i, j) && all > 0) split.straight = rates_[i] * rates_[j] / all;
    return split;
  }

  // The pairs from a to others over b, or from others to b over a.
  [[nodiscard]] std::vector<Pair> beside(std::uint32_t a, std::uint32_t b, bool from_a) const {
    std::vector<Pair> pairs;
    for (std::uint32_t other = 0; other < nodes_; ++other) {
      const auto from = from_a ? a : other, to = from_a ? other : b, relay = from_a ? b : a;
      if (other == a || other == b || rates_[other] <= 0) continue;
      if (!relays(from, relay, to)) continue;
      const auto& split = at(from, to);
      pairs.push_back({other, rates_[other], split.straight, rates_[relay] / split.relays});
    }
    return pairs;
  }

  const FabricModel& model_;
  std::size_t nodes_;
  std::vector<double> rates_;
  std::vector<bool> joined_;
  std::vector<Split> splits_;
};

}  // namespace

Guarantee direct_vlb_guarantee(const FabricModel& model, const Failures& failures) {
  const DirectVlb steering(model, failures);
  const auto links = living_links(model, failures);
  Guarantee least{std::numeric_limits<double>::infinity(), failures, 0, true, 0, {}};
  for (std::uint32_t i = 0; i < model.links.size(); ++i) {
    const auto& link = model.links[i];
    for (const bool a_to_b : {true, false}) {
      if (!links[i]) continue;
      const auto from = a_to_b ? link.a : link.b, to = a_to_b ? link.b : link.a;
      auto worst = steering.worst(from.value, to.value);
      const double fraction = link.gbps / worst.load;
      if (worst.load <= 0 || fraction >= least.fraction * (1 - 1e-9)) continue;
      least = {fraction, failures, i, a_to_b, worst.load, std::move(worst.matrix)};
    }
  }
  return least;
}

}  // namespace rackway::plan
