// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/recabling_space.hh"

#include <algorithm>

namespace rackway::plan {
namespace {

using What = RecablingStep::What;

double rate_in(const NamedCluster& cluster, const std::string& name) {
  const auto at = cluster.rates.find(name);
  return at == cluster.rates.end() ? 0 : at->second;
}

bool is_mesh(const std::vector<bool>& links, const std::vector<double>& rates) {
  const auto n = static_cast<std::size_t>(
      std::count_if(rates.begin(), rates.end(), [](double rate) { return rate > 0; }));
  const auto count = std::count(links.begin(), links.end(), true);
  return static_cast<std::size_t>(count) == n * (n - std::min<std::size_t>(n, 1)) / 2;
}

bool is_of_node(What what) {
  return what == What::open_ports || what == What::close_ports;
}

}  // namespace

RecablingSpace::RecablingSpace(const NamedCluster& from, const NamedCluster& to,
                               unsigned spare_ports) {
  number_nodes(from, to);
  number_links(from, to);
  before_ = state_of(from, false);
  after_ = state_of(to, true);
  one_hop_ = is_mesh(before_.used, old_rates_) && is_mesh(after_.used, new_rates_);
  const auto old_degrees = degrees(before_.used), new_degrees = degrees(after_.used);
  for (std::size_t i = 0; i < names_.size(); ++i) {
    most_links_.push_back(std::max(old_degrees[i], new_degrees[i]) + spare_ports);
  }
}

void RecablingSpace::number_nodes(const NamedCluster& from, const NamedCluster& to) {
  for (const auto* cluster : {&from, &to}) {
    for (const auto& [name, rate] : cluster->rates) numbers_.emplace(name, 0);
  }
  for (auto& [name, number] : numbers_) {
    number = static_cast<std::uint32_t>(names_.size());
    names_.push_back(name);
    old_rates_.push_back(rate_in(from, name));
    new_rates_.push_back(rate_in(to, name));
  }
}

void RecablingSpace::number_links(const NamedCluster& from, const NamedCluster& to) {
  for (const auto* cluster : {&from, &to}) {
    for (const auto& link : cluster->links) places_.emplace(pair_of(link), 0);
  }
  for (auto& [pair, place] : places_) {
    place = static_cast<std::uint32_t>(links_.size());
    links_.push_back(pair);
  }
}

RecablingSpace::Pair RecablingSpace::pair_of(
    const std::pair<std::string, std::string>& link) const {
  return std::minmax(numbers_.at(link.first), numbers_.at(link.second));
}

RecablingSpace::State RecablingSpace::state_of(const NamedCluster& cluster, bool is_new) const {
  State state{std::vector<bool>(links_.size()), {}, std::vector<bool>(names_.size(), is_new)};
  for (std::size_t i = 0; i < names_.size(); ++i) {
    if (old_rates_[i] == new_rates_[i]) state.is_new[i] = true;
  }
  for (const auto& link : cluster.links) state.connected[places_.at(pair_of(link))] = true;
  state.used = state.connected;
  return state;
}

std::vector<unsigned> RecablingSpace::degrees(const std::vector<bool>& links) const {
  std::vector<unsigned> degrees(names_.size());
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (!links[i]) continue;
    ++degrees[links_[i].first];
    ++degrees[links_[i].second];
  }
  return degrees;
}

double RecablingSpace::rate(const State& state, std::size_t node) const {
  return state.is_new[node] ? new_rates_[node] : old_rates_[node];
}

bool RecablingSpace::has_changed_over(const State& state) const {
  return state.used == after_.used && state.is_new == after_.is_new;
}

std::vector<RecablingSpace::Move> RecablingSpace::moves(const State& state) const {
  return one_hop_ ? mesh_moves(state) : laying_moves(state);
}

std::vector<RecablingSpace::Move> RecablingSpace::mesh_moves(const State& state) const {
  std::vector<Move> moves;
  add_ports(moves, state, What::close_ports);
  add_cables(moves, state, What::add_link);
  add_ports(moves, state, What::open_ports);
  add_removals(moves, state);
  return moves;
}

std::vector<RecablingSpace::Move> RecablingSpace::laying_moves(const State& state) const {
  std::vector<Move> moves;
  if (!has_changed_over(state)) {
    const auto missing = [&](std::size_t i) { return after_.used[i] && !state.connected[i]; };
    bool all_are_there = true;
    for (std::size_t i = 0; i < links_.size(); ++i) all_are_there &= !missing(i);
    if (all_are_there) return {{What::change_over, 0}};
    add_cables(moves, state, What::lay_cable);
  }
  add_removals(moves, state);
  add_ports(moves, state, What::close_ports);
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    if (state.connected[i] && !state.used[i] && after_.used[i]) {
      moves.push_back({What::use_link, i});
    }
  }
  add_ports(moves, state, What::open_ports);
  return moves;
}

void RecablingSpace::add_cables(std::vector<Move>& moves, const State& state, What what) const {
  const auto degree = degrees(state.connected);
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    const auto [a, b] = links_[i];
    if (!after_.used[i] || state.connected[i]) continue;
    const bool has_room = degree[a] < most_links_[a] && degree[b] < most_links_[b];
    if (has_room) moves.push_back({what, i});
  }
}

// First those at whose ends ports are wanted most, and of these between the nodes that have most
// links in use, so that what is left is spread evenly.
void RecablingSpace::add_removals(std::vector<Move>& moves, const State& state) const {
  auto wanted = state.connected;
  for (std::size_t i = 0; i < links_.size(); ++i) wanted[i] = wanted[i] || after_.used[i];
  const auto ports = degrees(wanted), used = degrees(state.used);
  const auto lacks = [&](std::uint32_t node) { return ports[node] > most_links_[node] ? 1u : 0u; };
  const auto worth = [&](const Move& move) {
    const auto [a, b] = links_[move.number];
    return std::pair{lacks(a) + lacks(b), std::min(used[a], used[b])};
  };
  std::vector<Move> removals;
  for (std::uint32_t i = 0; i < links_.size(); ++i) {
    if (state.connected[i] && !after_.used[i]) removals.push_back({What::remove_link, i});
  }
  if (!one_hop_) {
    std::stable_sort(removals.begin(), removals.end(),
                     [&](const Move& a, const Move& b) { return worth(a) > worth(b); });
  }
  moves.insert(moves.end(), removals.begin(), removals.end());
}

void RecablingSpace::add_ports(std::vector<Move>& moves, const State& state, What what) const {
  for (std::uint32_t i = 0; i < names_.size(); ++i) {
    const bool is_less = new_rates_[i] < old_rates_[i];
    if (!state.is_new[i] && is_less == (what == What::close_ports)) moves.push_back({what, i});
  }
}

void RecablingSpace::make(State& state, const Move& move) const {
  switch (move.what) {
    case What::add_link: state.connected[move.number] = state.used[move.number] = true; break;
    case What::remove_link: state.connected[move.number] = state.used[move.number] = false; break;
    case What::lay_cable: state.connected[move.number] = true; break;
    case What::use_link: state.used[move.number] = true; break;
    case What::open_ports:
    case What::close_ports: state.is_new[move.number] = true; break;
    case What::change_over: state.used = after_.used; state.is_new = after_.is_new;
  }
}

bool RecablingSpace::matters(const State& state, const Move& move) const {
  if (move.what == What::lay_cable) return false;
  if (move.what == What::remove_link && !state.used[move.number]) return false;
  if (!one_hop_ || is_of_node(move.what)) return true;
  // In a mesh a link of a node without open ports carries nothing.
  const auto [a, b] = links_[move.number];
  return rate(state, a) > 0 && rate(state, b) > 0;
}

FabricModel RecablingSpace::model(const State& state, double link_gbps) const {
  FabricModel model;
  model.one_hop = one_hop_;
  for (std::size_t i = 0; i < names_.size(); ++i) model.rates.push_back(rate(state, i));
  for (std::size_t i = 0; i < links_.size(); ++i) {
    const auto [a, b] = links_[i];
    if (!state.used[i]) continue;
    model.links.push_back(
        {NodeId{static_cast<NodeId::rep>(a)}, NodeId{static_cast<NodeId::rep>(b)}, link_gbps});
  }
  return model;
}

RecablingStep RecablingSpace::step(const Move& move, double fraction) const {
  if (move.what == What::change_over) return {move.what, "", "", fraction};
  if (is_of_node(move.what)) return {move.what, names_[move.number], "", fraction};
  const auto [a, b] = links_[move.number];
  return {move.what, names_[a], names_[b], fraction};
}

unsigned RecablingSpace::spare_ports_for_both() const {
  const auto all = degrees(std::vector<bool>(links_.size(), true));
  const auto old_degrees = degrees(before_.used), new_degrees = degrees(after_.used);
  unsigned most = 0;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    most = std::max(most, all[i] - std::max(old_degrees[i], new_degrees[i]));
  }
  return most;
}

}  // namespace rackway::plan
