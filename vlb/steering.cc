// SPDX-License-Identifier: Apache-2.0
#include "vlb/steering.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "vlb/relay_weights.hh"

namespace rackway::vlb {
namespace {

using topo::SteeringMode;

// Between two steps by load of one row, microseconds.
constexpr Time kStep = 500;
constexpr Time kLongestStep = 10'000;
// What is looked at in one see() when nothing but loads has changed.
constexpr std::size_t kPathsAtOnce = 2048;

}  // namespace

Steering::Steering(topo::FabricTable table, NodeId self, const SteeringSetup& setup)
    : table_(std::move(table)),
      self_(self),
      mode_(setup.mode),
      bounds_(setup.gap),
      paths_(table_, self),
      states_(paths_.size()),
      rows_(table_.nodes(), Row{.gap = FlowletGap(setup.gap)}),
      adaptive_(self.value + 1u),
      patience_(paths_.size(), 0),
      places_((table_.nodes() + 1) * kPlaces + 1, 0),
      relays_(places_.size(), 0),
      octets_to_(table_.nodes() + 1, 0),
      backlog_(table_.local_links().size() + 2, 0) {
  make_weights(setup);
}

void Steering::make_weights(const SteeringSetup& setup) {
  std::vector<double> rates = setup.node_rates, to_node(table_.nodes(), 0);
  rates.resize(table_.nodes(), 0);
  octets_a_microsecond_ = setup.own_rate / 8e6;
  const double unit = setup.own_rate > 0 ? rates[self_.value] / setup.own_rate : 0;
  const auto links = table_.local_links();
  for (std::size_t i = 0; i < std::min(links.size(), setup.link_rates.size()); ++i) {
    to_node[links[i].peer.value] += setup.link_rates[i] * unit;
  }
  node_weights_ = relay_weights(self_, rates, to_node);
  weights_.resize(paths_.size(), 0);
  for (std::size_t path = 1; path < paths_.size(); ++path) {
    const Path& at = paths_[static_cast<PathIndex>(path)];
    const auto links_there = static_cast<double>(table_.links_to(at.target).size());
    if (at.relayed != 0) weights_[path] = node_weights_[at.target.value] / links_there;
  }
}

void Steering::set_mode(SteeringMode mode) {
  if (mode == mode_) return;
  mode_ = mode;
  reachability_.clear();  // the next see() deals all places
}

void Steering::set_gap_bounds(GapBounds bounds) {
  if (bounds == bounds_) return;
  bounds_ = bounds;
  for (auto& row : rows_) row.gap = FlowletGap(bounds);
}

void Steering::see(const FabricView& view, Time now) {
  const bool changed = reachability_changed(view);
  std::size_t budget = changed ? std::numeric_limits<std::size_t>::max() : kPathsAtOnce;
  for (std::size_t i = 0; i < table_.nodes() && budget > 0; ++i) {
    const NodeId egress{static_cast<std::uint16_t>(next_row_)};
    next_row_ = (next_row_ + 1) % table_.nodes();
    if (egress == self_) continue;
    const Time elapsed = now - rows_[egress.value].seen_at;
    if (!changed && elapsed < kStep) continue;
    refresh(egress, view, now);
    deal(egress, changed, elapsed);
    const auto range = paths_.to(egress);
    budget -= std::min<std::size_t>(budget, range.end - range.first + 1u);
  }
  if (!changed) return;
  reaches_all_ = true;
  for (std::uint16_t egress = 0; egress < table_.nodes(); ++egress) {
    reaches_all_ &= NodeId{egress} == self_ || reaches(NodeId{egress});
  }
  some_dead_ = std::any_of(states_.begin() + 1, states_.end(),
                           [](const PathState& state) { return !state.alive; });
  onward_.deal(table_, [&](std::uint16_t link, NodeId target) {
    return paths_.leg_is_alive(link, target, view);
  });
}

// Everything of the view but loads and delays.
bool Steering::reachability_changed(const FabricView& view) {
  bool changed = reachability_.empty();
  const std::size_t width = table_.nodes() + 3;
  reachability_.resize(view.links.size() * width + 1);
  const auto note = [&](std::size_t at, bool now) {
    changed |= reachability_[at] != static_cast<std::uint8_t>(now);
    reachability_[at] = static_cast<std::uint8_t>(now);
  };
  for (std::size_t link = 0; link < view.links.size(); ++link) {
    const PeerView& peer = view.peers[link];
    note(link * width, view.links[link].alive);
    note(link * width + 1, peer.draining);
    note(link * width + 2, peer.ready);
    for (std::size_t node = 0; node < table_.nodes(); ++node) {
      note(link * width + 3 + node, node < peer.to.size() && peer.to[node].alive);
    }
  }
  return changed;
}

// What the paths to one egress node are like now.
void Steering::refresh(NodeId egress, const FabricView& view, Time now) {
  Row& row = rows_[egress.value];
  const auto range = paths_.to(egress);
  std::uint32_t fastest = kUnknownDelay, slowest = 0;
  for (PathIndex path = range.first; path < range.end; ++path) {
    const PathState state = paths_.state(path, egress, view);
    states_[path] = state;
    if (!state.alive) continue;
    fastest = std::min(fastest, state.delay);
    slowest = std::max(slowest, state.delay);
  }
  const Time elapsed = now - row.seen_at;
  const bool measured = fastest <= slowest && slowest != kUnknownDelay;
  const Time gap = row.gap.see(measured ? slowest - fastest : FlowletGap::kUnknown, elapsed);
  for (PathIndex path = range.first; path < range.end; ++path) {
    patience_[path] = states_[path].alive ? gap : 0;
  }
  constexpr double kMemory = 20'000;
  const double part = std::min(1.0, elapsed / kMemory);
  const double rate = elapsed == 0 ? 0 : static_cast<double>(octets_to_[egress.value]) / elapsed;
  row.octets_a_microsecond += (rate - row.octets_a_microsecond) * part;
  octets_to_[egress.value] = 0;
  row.seen_at = now;
}

void Steering::deal(NodeId egress, bool changed, Time elapsed) {
  const double straight = node_weights_[self_.value] + node_weights_[egress.value];
  switch (mode_) {
    case SteeringMode::direct: return deal_direct(egress);
    case SteeringMode::valiant: return deal_over_relays(egress, straight);
    case SteeringMode::direct_vlb: return deal_over_relays(egress, quota(egress));
    case SteeringMode::adaptive: break;
  }
  const auto range = paths_.to(egress);
  const std::size_t paths = range.end - range.first;
  const AdaptiveDealer::Row row{.places = places_of(egress),
                                .range = range,
                                .states = {states_.data() + range.first, paths},
                                .weights = {weights_.data() + range.first, paths},
                                .straight_at_least = straight};
  if (changed) {
    deal_relays(egress);
    return adaptive_.leave_closed(row);
  }
  adaptive_.step(row, static_cast<float>(std::min(elapsed, kLongestStep)));
}

void Steering::deal_direct(NodeId egress) {
  const auto range = paths_.to(egress);
  shares_wanted_.clear();
  for (PathIndex path = range.first; path < range.relays; ++path) {
    shares_wanted_.push_back(states_[path].open ? 1 : 0);
  }
  deal_by_weight(places_of(egress), range.first, shares_wanted_);
}

// Where a flowlet may turn to when its places are all of one path that is behind.
void Steering::deal_relays(NodeId egress) {
  const auto range = paths_.to(egress);
  shares_wanted_.clear();
  for (PathIndex path = range.relays; path < range.end; ++path) {
    shares_wanted_.push_back(states_[path].open ? weights_[path] : 0);
  }
  deal_by_weight(Places(relays_.data() + egress.value * kPlaces, kPlaces), range.relays,
                 shares_wanted_);
}

// Straight: that share, or all or nothing if that is all there is.
void Steering::deal_over_relays(NodeId egress, double straight) {
  const auto range = paths_.to(egress);
  double relays = 0, direct = 0;
  for (PathIndex path = range.first; path < range.end; ++path) {
    if (!states_[path].open) continue;
    if (path < range.relays) direct += 1;
    if (path >= range.relays) relays += weights_[path];
  }
  shares_wanted_.clear();
  for (PathIndex path = range.first; path < range.end; ++path) {
    const bool over_relay = path >= range.relays;
    const double part = over_relay ? (1 - straight) * weights_[path] / relays : straight / direct;
    const bool only = (over_relay ? direct : relays) <= 0;  // of the two kinds
    const double alone = over_relay ? weights_[path] : 1;
    shares_wanted_.push_back(!states_[path].open ? 0 : only ? alone : part);
  }
  deal_by_weight(places_of(egress), range.first, shares_wanted_);
}

// RouteBricks, 3.2: of what enters at this node, as much as valiant mode would send over any one
// path goes straight. Without a known rate as much of this pair's traffic as in valiant mode does.
double Steering::quota(NodeId egress) const {
  const double straight = node_weights_[self_.value] + node_weights_[egress.value];
  if (octets_a_microsecond_ <= 0) return straight;
  const double most = octets_a_microsecond_ * node_weights_[egress.value];
  const double wanted = rows_[egress.value].octets_a_microsecond;
  return wanted <= most ? 1 : most / wanted;
}

Time Steering::longest_flowlet_gap() const {
  Time longest = 0;
  for (std::size_t egress = 0; egress < rows_.size(); ++egress) {
    if (egress != self_.value) longest = std::max(longest, rows_[egress].gap.gap());
  }
  return longest;
}

std::vector<Steering::Share> Steering::shares(NodeId egress) const {
  const auto range = paths_.to(egress);
  std::vector<Share> found;
  const auto first = places_.begin() + egress.value * static_cast<std::ptrdiff_t>(kPlaces);
  for (PathIndex path = range.first; path < range.end; ++path) {
    const auto held = std::count(first, first + kPlaces, path);
    if (held > 0) found.push_back({paths_[path], static_cast<std::uint32_t>(held)});
  }
  return found;
}

void Steering::count_moved_early(std::span<const NodeId> egress,
                                 std::span<const std::uint32_t> flow_hash, Time now) noexcept {
  for (std::size_t i = 0; i < egress.size(); ++i) {
    const auto known = flowlets_[FlowletTable::index(flow_hash[i], egress[i])];
    if (known.path() == 0 || known.egress() != egress[i] || states_[known.path()].alive) continue;
    if (now - known.last() < rows_[egress[i].value].gap.gap()) ++moved_early_;
  }
}

void Steering::choose(std::span<const NodeId> egress, std::span<const std::uint32_t> flow_hash,
                      Time now, std::span<Path> paths) noexcept {
  if (some_dead_) [[unlikely]]
    count_moved_early(egress, flow_hash, now);
  const SteeringColumns by{.flowlets = flowlets_.data(),
                           .patience = patience_.data(),
                           .places = places_.data(),
                           .relays = relays_.data(),
                           .paths = paths_.data(),
                           .backlog = backlog_.data(),
                           .nodes = static_cast<std::uint32_t>(table_.nodes()),
                           .links = static_cast<std::uint32_t>(table_.local_links().size()),
                           .better_of_two = mode_ == SteeringMode::adaptive};
  steer_(by, egress.data(), flow_hash.data(), egress.size(), now, paths.data());
}

FabricView view_of_carriers(const topo::FabricTable& table, const std::vector<bool>& carriers) {
  constexpr auto kUnmeasured = std::numeric_limits<std::uint16_t>::max();
  FabricView view;
  for (std::size_t link = 0; link < table.local_links().size(); ++link) {
    view.links.push_back({.alive = carriers[link], .load = 0, .delay = kUnmeasured});
    view.peers.push_back(
        {.ready = true,
         .draining = false,
         .to = {table.nodes(), {.alive = carriers[link], .load = 0, .delay = kUnmeasured}}});
  }
  return view;
}

}  // namespace rackway::vlb
