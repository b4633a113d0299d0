// SPDX-License-Identifier: Apache-2.0
#include "vlb/steering.hh"

#include <array>

namespace rackway::vlb {
namespace {

// The flow hash also picks the member of a next-hop group and the flowlet's entry; the path may not
// follow from those. A product brings every lower bit into the upper eight.
constexpr std::size_t place_of(std::uint32_t flow_hash) {
  return (flow_hash ^ flow_hash >> 15) * 0x2c1b3c6du >> 24;
}

}  // namespace

Steering::Steering(topo::FabricTable table, NodeId self, std::uint8_t relay_percent)
    : table_(std::move(table)),
      self_(self),
      relay_percent_(relay_percent),
      direct_(table_.nodes() + 1),
      relays_(table_.nodes() + 1),
      places_((table_.nodes() + 1) * kPlaces, 0) {
  const auto add = [this](std::vector<PathIndex>& list, const Path& path) {
    list.push_back(static_cast<PathIndex>(paths_.size()));
    paths_.push_back(path);
    alive_.push_back(0);
  };
  // Relays are neighbours: a frame reaches one over the one link between them, whatever its egress.
  const auto links = table_.local_links();
  std::vector<PathIndex> over;
  for (std::uint16_t i = 0; i < links.size(); ++i) add(over, {links[i].peer, i, 1});
  for (std::uint16_t egress = 0; egress < table_.nodes(); ++egress) {
    if (NodeId{egress} == self_) continue;
    for (const auto link : table_.links_to(NodeId{egress})) {
      add(direct_[egress], {NodeId{egress}, link, 0});
    }
    for (std::uint16_t i = 0; i < links.size(); ++i) {
      if (links[i].peer.value != egress) relays_[egress].push_back(over[i]);
    }
  }
}

void Steering::set_live(const std::vector<bool>& live) {
  for (std::size_t i = 1; i < paths_.size(); ++i) alive_[i] = live[paths_[i].link] ? 1 : 0;
  const auto live_of = [this](const std::vector<PathIndex>& all) {
    std::vector<PathIndex> found;
    for (const auto path : all) {
      if (alive_[path] != 0) found.push_back(path);
    }
    return found;
  };
  for (std::size_t egress = 0; egress < table_.nodes(); ++egress) {
    const auto direct = live_of(direct_[egress]);
    deal({places_.data() + egress * kPlaces, kPlaces}, direct, live_of(relays_[egress]));
  }
  onward_.deal(table_, [&](std::uint16_t link, NodeId) { return live[link]; });
}

// Relays get the first places, so that another share moves few flows.
void Steering::deal(std::span<PathIndex> places, std::span<const PathIndex> direct,
                    std::span<const PathIndex> relays) const {
  std::size_t relayed = (kPlaces * relay_percent_ + 50) / 100;
  if (direct.empty()) relayed = kPlaces;
  if (relays.empty()) relayed = 0;
  for (std::size_t i = 0; i < kPlaces; ++i) {
    const auto from = i < relayed ? relays : direct;
    places[i] = from.empty() ? PathIndex{0} : from[i % from.size()];
  }
}

void Steering::choose(std::span<const NodeId> egress, std::span<const std::uint32_t> flow_hash,
                      Time now, std::span<Path> paths) noexcept {
  // Three passes, so that the loads of the flowlets do not wait for each other's stores.
  std::array<std::uint32_t, kMaxBurst> index;
  std::array<FlowletTable::Entry, kMaxBurst> flowlet;
  const std::size_t count = egress.size();
  for (std::size_t i = 0; i < count; ++i) {
    index[i] = FlowletTable::index(flow_hash[i], egress[i]);
    flowlet[i] = flowlets_[index[i]];
  }
  const PathIndex* const places = places_.data();
  const std::uint8_t* const alive = alive_.data();
  const Path* const path_of = paths_.data();
  const std::size_t nobody = table_.nodes();  // the row of all nodes that are not there
  std::uint32_t moved = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const NodeId to = egress[i];
    const FlowletTable::Entry known = flowlet[i];
    const std::size_t row = to.value < nobody ? to.value : nobody;
    const PathIndex fresh = places[row * kPlaces + place_of(flow_hash[i])];
    const std::uint32_t lives = alive[known.path()];  // 1 or 0
    const std::uint32_t goes_on =
        static_cast<std::uint32_t>((known.egress() == to) & (now - known.last() < gap_));
    moved += goes_on & (lives ^ 1) & static_cast<std::uint32_t>(known.path() != 0);
    const auto keep = static_cast<PathIndex>(0u - (goes_on & lives));
    const auto path = static_cast<PathIndex>((known.path() & keep) | (fresh & ~keep));
    flowlet[i] = {now, path, to};
    paths[i] = path_of[path];
  }
  for (std::size_t i = 0; i < count; ++i) flowlets_[index[i]] = flowlet[i];
  moved_early_ += moved;
}

}  // namespace rackway::vlb
