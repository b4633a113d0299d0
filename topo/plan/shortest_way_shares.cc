// SPDX-License-Identifier: Apache-2.0
// Any graph: each phase takes all shortest ways, in equal shares at each node.
#include <map>
#include <utility>

#include "topo/plan/link_shares.hh"
#include "topo/plan/shortest_ways.hh"

namespace rackway::plan {
namespace {

class ShortestWayShares : public LinkShares {
 public:
  ShortestWayShares(const FabricModel& model, const SteeringSplit& split, const Failures& failures)
      : split_(split), nodes_(model.nodes()), shares_(2 * model.links.size()) {
    const auto living = living_nodes(model, failures);
    for (std::size_t i = 0; i < nodes_; ++i) ends_.push_back(living[i] && model.rates[i] > 0);
    walk(ShortestWays(model, failures));
    for (std::uint32_t i = 0; i < nodes_; ++i) {
      for (std::uint32_t j = 0; j < nodes_; ++j) {
        if (i != j && ends_[i] && ends_[j]) split_pair(i, j);
      }
    }
  }

  bool cut_off() const override { return cut_.weight > 0; }
  WeightedPair cut_pair() const override { return cut_; }
  std::vector<WeightedPair> of(Direction direction) const override { return shares_[direction]; }

 private:
  using Way = std::map<Direction, double>;  // share of the traffic by link

  void walk(const ShortestWays& ways) {
    ways_.resize(nodes_ * nodes_);
    leads_.assign(nodes_ * nodes_, false);
    for (std::uint32_t target = 0; target < nodes_; ++target) {
      if (!ends_[target]) continue;
      const auto distances = ways.to(NodeId{static_cast<NodeId::rep>(target)});
      for (std::uint32_t i = 0; i < nodes_; ++i) {
        if (!ends_[i] || distances.hops[i] == ShortestWays::kFar) continue;
        leads_[i * nodes_ + target] = true;
        std::vector<double> amounts(nodes_, 0);
        amounts[i] = 1;
        auto& way = ways_[i * nodes_ + target];
        ways.send(distances, amounts, [&](Direction d, double share) { way[d] += share; });
      }
    }
  }

  void split_pair(std::uint32_t i, std::uint32_t j) {
    if (!leads_[i * nodes_ + j]) {
      if (cut_.weight == 0) cut_ = {i, j, 1};
      return;
    }
    const bool is_valiant = split_.mode == SteeringSplit::Mode::valiant;
    double all = 0;
    for (std::uint32_t k = 0; k < nodes_; ++k) {
      if (is_relay(i, j, k, is_valiant)) all += split_.weights[k];
    }
    Way way;
    const double relayed = is_valiant ? 1 : all > 0 ? split_.relay_share : 0;
    add(way, i, j, 1 - relayed);
    for (std::uint32_t k = 0; k < nodes_; ++k) {
      if (!is_relay(i, j, k, is_valiant)) continue;
      add(way, i, k, relayed * split_.weights[k] / all);
      add(way, k, j, relayed * split_.weights[k] / all);
    }
    for (const auto& [direction, share] : way) shares_[direction].push_back({i, j, share});
  }

  [[nodiscard]] bool is_relay(std::uint32_t i, std::uint32_t j, std::uint32_t k,
                              bool ends_are) const {
    if (!ends_are && (k == i || k == j)) return false;
    return split_.weights[k] > 0 && leads_[i * nodes_ + k] && leads_[k * nodes_ + j];
  }

  void add(Way& way, std::uint32_t from, std::uint32_t to, double share) const {
    if (share <= 0) return;
    for (const auto& [direction, part] : ways_[from * nodes_ + to]) way[direction] += part * share;
  }

  const SteeringSplit& split_;
  std::size_t nodes_;
  std::vector<bool> ends_;
  std::vector<bool> leads_;
  std::vector<Way> ways_;
  std::vector<std::vector<WeightedPair>> shares_;
  WeightedPair cut_{0, 0, 0};
};

}  // namespace

std::unique_ptr<LinkShares> shortest_way_shares(const FabricModel& model,
                                                const SteeringSplit& split,
                                                const Failures& failures) {
  return std::make_unique<ShortestWayShares>(model, split, failures);
}

}  // namespace rackway::plan
