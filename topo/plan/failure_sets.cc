// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/failure_sets.hh"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace rackway::plan {
namespace {

using Pair = std::pair<unsigned, unsigned>;
using Graph = std::vector<Pair>;

NodeId node_id(std::size_t i) {
  return NodeId{static_cast<NodeId::rep>(i)};
}

double choose(double n, unsigned k) {
  double ways = 1;
  for (unsigned i = 0; i < k; ++i) ways *= (n - i) / (i + 1);
  return std::max(0.0, ways);
}

// Calls take(set) for each set of k of the numbers 0..n-1; stops when it says no.
bool each_choice(std::size_t n, unsigned k,
                 const std::function<bool(const std::vector<std::size_t>&)>& take) {
  std::vector<std::size_t> chosen(k);
  std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  if (k > n) return true;
  while (true) {
    if (!take(chosen)) return false;
    std::size_t i = k;
    while (i > 0 && chosen[i - 1] == n - k + i - 1) --i;
    if (i == 0) return true;
    ++chosen[i - 1];
    for (std::size_t j = i; j < k; ++j) chosen[j] = chosen[j - 1] + 1;
  }
}

// The same for all graphs that differ in the names of their vertices only.
Graph canonical(const Graph& graph, unsigned vertices) {
  std::vector<unsigned> names(vertices);
  std::iota(names.begin(), names.end(), 0u);
  Graph least;
  do {
    Graph renamed;
    for (const auto& [a, b] : graph) renamed.push_back(std::minmax(names[a], names[b]));
    std::sort(renamed.begin(), renamed.end());
    if (least.empty() || renamed < least) least = std::move(renamed);
  } while (std::next_permutation(names.begin(), names.end()));
  return least;
}

// One of each kind of graph with so many edges on at most so many vertices.
std::vector<Graph> graphs(unsigned edges, std::size_t vertices_at_most) {
  const auto vertices = static_cast<unsigned>(std::min<std::size_t>(2 * edges, vertices_at_most));
  Graph all;
  for (unsigned a = 0; a < vertices; ++a) {
    for (unsigned b = a + 1; b < vertices; ++b) all.emplace_back(a, b);
  }
  std::set<Graph> kinds;
  each_choice(all.size(), edges, [&](const std::vector<std::size_t>& chosen) {
    Graph graph;
    for (const auto i : chosen) graph.push_back(all[i]);
    kinds.insert(canonical(graph, vertices));
    return true;
  });
  return {kinds.begin(), kinds.end()};
}

class Enumeration {
 public:
  Enumeration(const FabricModel& model, const Survive& survive, std::size_t most)
      : model_(model), survive_(survive), most_(most) {}

  Result<FailureSets> run() {
    for (unsigned nodes = 0; nodes <= survive_.nodes; ++nodes) {
      for (unsigned links = 0; links <= survive_.links; ++links) {
        if (nodes + links > survive_.together) continue;
        stands_for_ += choose(model_.nodes(), nodes) * choose(model_.links.size(), links);
        if (!add(nodes, links)) {
          return fail("more than " + std::to_string(most_) + " combinations of " +
                      std::to_string(survive_.nodes) + " nodes and " +
                      std::to_string(survive_.links) + " links would have to be looked at");
        }
      }
    }
    return FailureSets{std::move(sets_), static_cast<std::uint64_t>(stands_for_)};
  }

 private:
  bool add(unsigned nodes, unsigned links) {
    if (model_.symmetry == Symmetry::mesh && links <= 3) return add_of_mesh(nodes, links);
    if (model_.symmetry == Symmetry::butterfly && nodes + links > 0) {
      return add_of_butterfly(nodes, links);
    }
    return add_all({}, nodes, links);
  }

  bool keep(Failures failures) {
    if (sets_.size() >= most_) return false;
    sets_.push_back(std::move(failures));
    return true;
  }

  // The last nodes die, and links of the first ones.
  bool add_of_mesh(unsigned nodes, unsigned links) {
    if (nodes > model_.nodes()) return true;
    const auto left = model_.nodes() - nodes;
    Failures failures;
    for (std::size_t i = left; i < model_.nodes(); ++i) failures.nodes.push_back(node_id(i));
    if (links == 0) return keep(failures);
    for (const auto& graph : graphs(links, left)) {
      failures.links.clear();
      for (const auto& [a, b] : graph) failures.links.push_back(link_between(a, b));
      if (!keep(failures)) return false;
    }
    return true;
  }

  [[nodiscard]] std::uint32_t link_between(unsigned a, unsigned b) const {
    for (std::uint32_t i = 0; i < model_.links.size(); ++i) {
      const auto& link = model_.links[i];
      if (std::minmax(link.a.value, link.b.value) == std::minmax<NodeId::rep>(a, b)) return i;
    }
    return 0;  // not reached: a mesh has it
  }

  // One failure of each kind, together with all choices of the others.
  bool add_of_butterfly(unsigned nodes, unsigned links) {
    const auto positions = model_.nodes() / model_.radices.size();
    if (nodes > 0) {
      for (std::size_t stage = 0; stage < model_.radices.size(); ++stage) {
        if (!add_all({{node_id(stage * positions)}, {}}, nodes - 1, links)) return false;
      }
      return true;
    }
    std::set<std::array<std::size_t, 3>> seen;  // the two stages, the digit that differs
    for (std::uint32_t i = 0; i < model_.links.size(); ++i) {
      const std::size_t a = model_.links[i].a.value, b = model_.links[i].b.value;
      const auto digit = differing_digit(a % positions, b % positions);
      if (!seen.insert({a / positions, b / positions, digit}).second) continue;
      if (!add_all({{}, {i}}, 0, links - 1)) return false;
    }
    return true;
  }

  // The number of digits if all are equal.
  [[nodiscard]] std::size_t differing_digit(std::size_t x, std::size_t y) const {
    std::size_t digit = 0;
    for (const auto radix : model_.radices) {
      if (x % radix != y % radix) break;
      x /= radix;
      y /= radix;
      ++digit;
    }
    return digit;
  }

  bool add_all(const Failures& first, unsigned nodes, unsigned links) {
    return each_choice(model_.nodes(), nodes, [&](const auto& dead_nodes) {
      return each_choice(model_.links.size(), links, [&](const auto& dead_links) {
        auto failures = first;
        for (const auto i : dead_nodes) failures.nodes.push_back(node_id(i));
        for (const auto i : dead_links) failures.links.push_back(static_cast<std::uint32_t>(i));
        return keep(std::move(failures));
      });
    });
  }

  const FabricModel& model_;
  const Survive& survive_;
  std::size_t most_;
  double stands_for_ = 0;
  std::vector<Failures> sets_;
};

}  // namespace

Result<FailureSets> failure_sets(const FabricModel& model, const Survive& survive,
                                 std::size_t most) {
  return Enumeration(model, survive, most).run();
}

}  // namespace rackway::plan
