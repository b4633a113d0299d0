// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/transportation.hh"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <queue>
#include <unordered_map>
#include <utility>

namespace rackway::plan {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kEpsilon = 1e-12;

struct Edge {
  std::uint32_t source, sink;  // places in this problem
  double weight;
  double amount;
};

// Sources and sinks that no pair names are left out; a vertex is a source's place, or the number
// of sources plus a sink's place.
class Problem {
 public:
  Problem(std::span<const double> supply, std::span<const double> demand,
          std::span<const WeightedPair> pairs) {
    std::vector<WeightedPair> sorted(pairs.begin(), pairs.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& x, const auto& y) {
      return std::pair(x.from, x.to) < std::pair(y.from, y.to);
    });
    std::unordered_map<std::uint32_t, std::uint32_t> source_places, sink_places;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const auto& pair = sorted[i];
      if (i > 0 && pair.from == sorted[i - 1].from && pair.to == sorted[i - 1].to) {
        edges_.back().weight += pair.weight;
        continue;
      }
      edges_.push_back({place(source_places, pair.from, supply, sources_, supply_),
                        place(sink_places, pair.to, demand, sinks_, demand_), pair.weight, 0});
    }
    connect();
  }

  Transport solve() {
    while (const auto end = best_path()) augment(*end);
    Transport transport{0, {}};
    for (const auto& edge : edges_) {
      if (edge.amount <= kEpsilon) continue;
      transport.value += edge.amount * edge.weight;
      transport.shipments.push_back({sources_[edge.source], sinks_[edge.sink], edge.amount});
    }
    return transport;
  }

 private:
  static std::uint32_t place(std::unordered_map<std::uint32_t, std::uint32_t>& places,
                             std::uint32_t number, std::span<const double> bounds,
                             std::vector<std::uint32_t>& numbers, std::vector<double>& left) {
    const auto [at, is_new] = places.try_emplace(number, numbers.size());
    if (is_new) {
      numbers.push_back(number);
      left.push_back(bounds[number]);
    }
    return at->second;
  }

  // Costs are weights with the sign turned. These potentials leave no cost below zero.
  void connect() {
    around_.resize(sources_.size() + sinks_.size());
    potential_.assign(around_.size(), 0);
    for (std::uint32_t i = 0; i < edges_.size(); ++i) {
      const auto sink = vertex_of_sink(edges_[i]);
      around_[edges_[i].source].push_back(i);
      around_[sink].push_back(i);
      potential_[sink] = std::min(potential_[sink], -edges_[i].weight);
    }
  }

  [[nodiscard]] std::uint32_t vertex_of_sink(const Edge& edge) const {
    return static_cast<std::uint32_t>(sources_.size()) + edge.sink;
  }

  // Dijkstra over reduced costs from all sources that have something left. Returns the sink with
  // room left whose path adds most, if one adds anything.
  std::optional<std::uint32_t> best_path() {
    using Entry = std::pair<double, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    distance_.assign(around_.size(), kNever);
    came_by_.assign(around_.size(), kNone);
    for (std::uint32_t i = 0; i < sources_.size(); ++i) {
      if (supply_[i] <= kEpsilon) continue;
      distance_[i] = -potential_[i];  // the start has potential 0, and none is above that
      queue.emplace(distance_[i], i);
    }
    double farthest = 0;
    while (!queue.empty()) {
      const auto [distance, vertex] = queue.top();
      queue.pop();
      if (distance > distance_[vertex]) continue;
      farthest = distance;
      for (const auto edge : around_[vertex]) relax(vertex, edge, queue);
    }
    for (std::size_t i = 0; i < around_.size(); ++i) {
      potential_[i] += std::min(distance_[i], farthest);
    }
    return best_end();
  }

  template <class Queue>
  void relax(std::uint32_t vertex, std::uint32_t number, Queue& queue) {
    const auto& edge = edges_[number];
    const bool forward = vertex < sources_.size();
    if (!forward && edge.amount <= kEpsilon) return;
    const auto next = forward ? vertex_of_sink(edge) : edge.source;
    const double cost = forward ? -edge.weight : edge.weight;
    const double reduced = std::max(0.0, cost + potential_[vertex] - potential_[next]);
    const double distance = distance_[vertex] + reduced;
    if (distance + kEpsilon >= distance_[next]) return;
    distance_[next] = distance;
    came_by_[next] = number;
    queue.emplace(distance, next);
  }

  [[nodiscard]] std::optional<std::uint32_t> best_end() const {
    std::optional<std::uint32_t> best;
    for (std::uint32_t i = 0; i < sinks_.size(); ++i) {
      const auto vertex = static_cast<std::uint32_t>(sources_.size()) + i;
      if (demand_[i] <= kEpsilon || distance_[vertex] == kNever) continue;
      if (potential_[vertex] >= -kEpsilon) continue;
      if (!best || potential_[vertex] < potential_[*best]) best = vertex;
    }
    return best;
  }

  // Calls visit(edge, gives): whether the path moves more over the edge, or takes some back.
  // Returns the source that the path begins at.
  template <class Visit>
  std::uint32_t along(std::uint32_t vertex, Visit visit) {
    while (came_by_[vertex] != kNone) {
      auto& edge = edges_[came_by_[vertex]];
      const bool gives = vertex >= sources_.size();
      visit(edge, gives);
      vertex = gives ? edge.source : vertex_of_sink(edge);
    }
    return vertex;
  }

  void augment(std::uint32_t end) {
    double amount = demand_[end - sources_.size()];
    const auto source = along(end, [&](const Edge& edge, bool gives) {
      if (!gives) amount = std::min(amount, edge.amount);
    });
    amount = std::min(amount, supply_[source]);
    along(end, [&](Edge& edge, bool gives) { edge.amount += gives ? amount : -amount; });
    supply_[source] -= amount;
    demand_[end - sources_.size()] -= amount;
  }

  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  std::vector<std::uint32_t> sources_, sinks_;  // their numbers outside
  std::vector<double> supply_, demand_;         // what is left
  std::vector<Edge> edges_;
  std::vector<std::vector<std::uint32_t>> around_;  // edges at a vertex
  std::vector<double> potential_, distance_;
  std::vector<std::uint32_t> came_by_;
};

}  // namespace

Transport best_transport(std::span<const double> supply, std::span<const double> demand,
                         std::span<const WeightedPair> pairs) {
  return Problem(supply, demand, pairs).solve();
}

}  // namespace rackway::plan
