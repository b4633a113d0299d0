// SPDX-License-Identifier: Apache-2.0
// Full meshes: a path is one link, or two over a relay. The link from a to b sees only traffic that
// enters at a or leaves at b, so its shares are one row and one column.
#include "topo/plan/link_shares.hh"

namespace rackway::plan {
namespace {

// For traffic between two nodes: what goes straight, and by what to multiply a relay's weight.
struct PairSplit {
  double straight{0};
  double per_weight{0};
};

class OneHopShares : public LinkShares {
 public:
  OneHopShares(const FabricModel& model, const SteeringSplit& split, const Failures& failures)
      : model_(model), split_(split), nodes_(model.nodes()), works_(living_links(model, failures)) {
    joined_.assign(nodes_ * nodes_, false);
    for (std::size_t i = 0; i < model.links.size(); ++i) {
      if (!works_[i]) continue;
      const auto [a, b, gbps] = model.links[i];
      joined_[a.value * nodes_ + b.value] = joined_[b.value * nodes_ + a.value] = true;
    }
    const auto living = living_nodes(model, failures);
    for (std::size_t i = 0; i < nodes_; ++i) ends_.push_back(living[i] && model.rates[i] > 0);
    splits_.resize(nodes_ * nodes_);
    for (std::uint32_t i = 0; i < nodes_; ++i) {
      for (std::uint32_t j = 0; j < nodes_; ++j) {
        if (i != j && ends_[i] && ends_[j]) split_pair(i, j);
      }
    }
  }

  bool cut_off() const override { return cut_.weight > 0; }
  WeightedPair cut_pair() const override { return cut_; }

  std::vector<WeightedPair> of(Direction direction) const override {
    const auto& link = model_.links[direction / 2];
    std::vector<WeightedPair> shares;
    if (!works_[direction / 2]) return shares;
    const std::uint32_t a = direction % 2 == 0 ? link.a.value : link.b.value;
    const std::uint32_t b = direction % 2 == 0 ? link.b.value : link.a.value;
    if (ends_[a] && ends_[b]) shares.push_back({a, b, at(a, b).straight});
    for (std::uint32_t other = 0; other < nodes_; ++other) {
      if (other == a || other == b || !ends_[other]) continue;
      if (ends_[a] && is_joined(b, other)) add(shares, a, other, split_.weights[b]);
      if (ends_[b] && is_joined(other, a)) add(shares, other, b, split_.weights[a]);
    }
    return shares;
  }

 private:
  [[nodiscard]] bool is_joined(std::size_t a, std::size_t b) const {
    return joined_[a * nodes_ + b];
  }
  [[nodiscard]] const PairSplit& at(std::size_t i, std::size_t j) const {
    return splits_[i * nodes_ + j];
  }

  void add(std::vector<WeightedPair>& shares, std::uint32_t i, std::uint32_t j,
           double weight) const {
    const double share = at(i, j).per_weight * weight;
    if (share > 0) shares.push_back({i, j, share});
  }

  void split_pair(std::uint32_t i, std::uint32_t j) {
    double relays = 0;
    for (std::size_t k = 0; k < nodes_; ++k) {
      if (k != i && k != j && is_joined(i, k) && is_joined(k, j)) relays += split_.weights[k];
    }
    const bool direct = is_joined(i, j);
    if (!direct && relays <= 0 && cut_.weight == 0) cut_ = {i, j, 1};
    auto& pair = splits_[i * nodes_ + j];
    if (split_.mode == SteeringSplit::Mode::valiant) {
      const double straight = direct ? split_.weights[i] + split_.weights[j] : 0;
      const double all = straight + relays;
      if (all > 0) pair = {straight / all, 1 / all};
    } else {
      const double relayed = !direct ? 1 : relays > 0 ? split_.relay_share : 0;
      pair = {1 - relayed, relays > 0 ? relayed / relays : 0};
    }
  }

  const FabricModel& model_;
  const SteeringSplit& split_;
  std::size_t nodes_;
  std::vector<bool> works_, ends_, joined_;
  std::vector<PairSplit> splits_;
  WeightedPair cut_{0, 0, 0};
};

}  // namespace

std::unique_ptr<LinkShares> one_hop_shares(const FabricModel& model, const SteeringSplit& split,
                                           const Failures& failures) {
  return std::make_unique<OneHopShares>(model, split, failures);
}

std::unique_ptr<LinkShares> link_shares(const FabricModel& model, const SteeringSplit& split,
                                        const Failures& failures) {
  return model.one_hop ? one_hop_shares(model, split, failures)
                       : shortest_way_shares(model, split, failures);
}

}  // namespace rackway::plan
