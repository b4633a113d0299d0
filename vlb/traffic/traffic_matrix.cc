// SPDX-License-Identifier: Apache-2.0
#include "vlb/traffic/traffic_matrix.hh"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>

#include "vlb/traffic/random.hh"

namespace rackway::traffic {
namespace {

constexpr std::string_view kNames[] = {"uniform", "permutation", "hot-spot", "worst-direct",
                                       "gravity"};
static_assert(std::size(kNames) == std::size(kMatrixKinds));

NodeId node(std::size_t index) {
  return NodeId{static_cast<std::uint16_t>(index)};
}

// Nodes with external ports.
std::vector<std::size_t> ends(std::span<const double> rates) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (rates[i] > 0) found.push_back(i);
  }
  return found;
}

TrafficMatrix to_the_brim(const TrafficMatrix& matrix, std::span<const double> rates) {
  const double load = matrix.load(rates);
  return load > 0 ? matrix.scaled(1 / load) : matrix;
}

// Every pair of two ends, its weight given by weight(ingress, egress).
template <class Weight>
TrafficMatrix all_pairs(std::span<const double> rates, Weight weight) {
  TrafficMatrix matrix(rates.size());
  const auto all = ends(rates);
  for (const auto from : all) {
    for (const auto to : all) {
      if (from != to) matrix.add(node(from), node(to), weight(from, to));
    }
  }
  return to_the_brim(matrix, rates);
}

// Each sends to the one behind it in the ring.
void add_ring(TrafficMatrix& matrix, std::span<const std::size_t> ring,
              std::span<const double> rates) {
  for (std::size_t i = 0; i < ring.size() && ring.size() > 1; ++i) {
    const auto from = ring[i], to = ring[(i + 1) % ring.size()];
    matrix.add(node(from), node(to), std::min(rates[from], rates[to]));
  }
}

}  // namespace

void TrafficMatrix::add(NodeId ingress, NodeId egress, double rate) {
  assert(rate >= 0);
  if (rate > 0) rows_[ingress.value].push_back({egress, rate});
}

double TrafficMatrix::entering(NodeId ingress) const {
  double sum = 0;
  for (const auto& demand : rows_[ingress.value]) sum += demand.rate;
  return sum;
}

std::vector<double> TrafficMatrix::leaving() const {
  std::vector<double> sums(nodes(), 0.0);
  for (const auto& row : rows_) {
    for (const auto& demand : row) sums[demand.egress.value] += demand.rate;
  }
  return sums;
}

double TrafficMatrix::total() const {
  double sum = 0;
  for (std::size_t i = 0; i < nodes(); ++i) sum += entering(node(i));
  return sum;
}

TrafficMatrix TrafficMatrix::scaled(double factor) const {
  TrafficMatrix other = *this;
  for (auto& row : other.rows_) {
    for (auto& demand : row) demand.rate *= factor;
  }
  return other;
}

double TrafficMatrix::load(std::span<const double> rates) const {
  const auto out = leaving();
  const auto share = [](double asked, double rate) {
    if (asked <= 0) return 0.0;
    return rate > 0 ? asked / rate : std::numeric_limits<double>::infinity();
  };
  double largest = 0;
  for (std::size_t i = 0; i < nodes(); ++i) {
    largest = std::max({largest, share(entering(node(i)), rates[i]), share(out[i], rates[i])});
  }
  return largest;
}

std::string_view name_of(MatrixKind kind) {
  return kNames[static_cast<std::size_t>(kind)];
}

std::optional<MatrixKind> matrix_kind(std::string_view name) {
  for (const auto kind : kMatrixKinds) {
    if (name_of(kind) == name) return kind;
  }
  return std::nullopt;
}

TrafficMatrix make_matrix(MatrixKind kind, std::span<const double> rates, std::uint64_t seed) {
  switch (kind) {
    case MatrixKind::uniform: return uniform(rates);
    case MatrixKind::permutation: return permutation(rates, seed);
    case MatrixKind::worst_direct: return worst_direct(rates);
    case MatrixKind::gravity: return gravity(rates);
    case MatrixKind::hot_spot: break;
  }
  const auto all = ends(rates);
  return hot_spot(rates, node(all.empty() ? 0 : all.front()));
}

TrafficMatrix uniform(std::span<const double> rates) {
  return all_pairs(rates, [](std::size_t, std::size_t) { return 1.0; });
}

TrafficMatrix gravity(std::span<const double> rates) {
  return all_pairs(rates,
                   [rates](std::size_t from, std::size_t to) { return rates[from] * rates[to]; });
}

TrafficMatrix permutation(std::span<const double> rates, std::uint64_t seed) {
  // One ring through all nodes in a random order: nobody is its own egress.
  auto ring = ends(rates);
  Random random(seed);
  for (std::size_t i = ring.size(); i > 1; --i) {
    std::swap(ring[i - 1], ring[random.below(static_cast<std::uint32_t>(i))]);
  }
  TrafficMatrix matrix(rates.size());
  add_ring(matrix, ring, rates);
  return matrix;
}

TrafficMatrix hot_spot(std::span<const double> rates, NodeId egress) {
  TrafficMatrix matrix(rates.size());
  for (const auto from : ends(rates)) {
    if (from != egress.value) matrix.add(node(from), egress, rates[from]);
  }
  return to_the_brim(matrix, rates);
}

TrafficMatrix worst_direct(std::span<const double> rates) {
  auto order = ends(rates);
  std::stable_sort(order.begin(), order.end(),
                   [rates](std::size_t a, std::size_t b) { return rates[a] > rates[b]; });
  TrafficMatrix matrix(rates.size());
  std::size_t at = 0;
  while (at < order.size()) {
    const std::size_t left = order.size() - at,
                      taken = left == 3 ? 3 : std::min<std::size_t>(2, left);
    add_ring(matrix, std::span(order).subspan(at, taken), rates);
    at += taken;
  }
  return matrix;
}

TrafficMatrix within_nodes(std::span<const double> rates) {
  TrafficMatrix matrix(rates.size());
  for (const auto end : ends(rates)) matrix.add(node(end), node(end), rates[end]);
  return matrix;
}

}  // namespace rackway::traffic
