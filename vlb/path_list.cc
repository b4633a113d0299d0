// SPDX-License-Identifier: Apache-2.0
#include "vlb/path_list.hh"

#include <algorithm>
#include <limits>

namespace rackway::vlb {
namespace {

constexpr std::uint16_t kUnmeasured = std::numeric_limits<std::uint16_t>::max();

PathState state_of(const LinkView& link) {
  return {link.alive, link.alive, static_cast<float>(link.load) / kFullLoad,
          link.delay == kUnmeasured ? kUnknownDelay : link.delay};
}

PathState one_after_the_other(const PathState& a, const PathState& b) {
  const bool unknown = a.delay == kUnknownDelay || b.delay == kUnknownDelay;
  return {a.alive && b.alive, a.open && b.open, std::max(a.load, b.load),
          unknown ? kUnknownDelay : a.delay + b.delay};
}

}  // namespace

PathList::PathList(const topo::FabricTable& table, NodeId self) : ranges_(table.nodes()) {
  for (const auto& link : table.local_links()) peers_.push_back(link.peer);
  // An index has 16 bits: in a very large fabric each egress node has fewer relays.
  const std::size_t most = std::numeric_limits<PathIndex>::max() / std::max(table.nodes(), 1ul);
  std::size_t all = 0;  // that one egress node could have
  for (std::uint16_t node = 0; node < table.nodes(); ++node) {
    all += table.links_to(NodeId{node}).size();
  }
  for (std::uint16_t egress = 0; egress < table.nodes(); ++egress) {
    const auto begin = static_cast<PathIndex>(paths_.size());
    const auto add = [&](NodeId target) {
      for (const auto link : table.links_to(target)) {
        if (paths_.size() - begin >= most) return;
        paths_.push_back({target, link, target.value == egress ? 0u : 1u});
      }
    };
    if (egress != self.value) add(NodeId{egress});
    const auto relays = static_cast<PathIndex>(paths_.size());
    const bool reachable = relays > begin;
    // Beginning after itself, so that not all nodes are left with the same few. Where some are left
    // out, the next egress node's begin where these end: together they use every link alike.
    const std::size_t skipped = all > most ? egress * (most * table.nodes() / all) : 0;
    for (std::size_t i = 1; reachable && i < table.nodes(); ++i) {
      const auto relay = static_cast<std::uint16_t>((self.value + skipped + i) % table.nodes());
      if (relay != egress) add(NodeId{relay});
    }
    ranges_[egress] = {begin, relays, static_cast<PathIndex>(paths_.size())};
  }
}

PathState PathList::state(PathIndex index, NodeId egress, const FabricView& view) const {
  const Path& path = paths_[index];
  const PathState there = leg(path.link, path.target, view);
  const bool ends_at_neighbor = peers_[path.link] == path.target;
  if (path.relayed == 0 && ends_at_neighbor && !view.peers[path.link].ready) return {};
  if (path.relayed == 0 || !ends_at_neighbor) return there;
  const PeerView& relay = view.peers[path.link];
  if (egress.value >= relay.to.size()) return {};
  PathState whole = one_after_the_other(there, state_of(relay.to[egress.value]));
  whole.open = whole.open && !relay.draining;
  return whole;
}

// Over that link to a node, which may lie beyond its far end.
PathState PathList::leg(std::uint16_t link, NodeId target, const FabricView& view) const {
  const PathState first = state_of(view.links[link]);
  if (peers_[link] == target) return first;
  const auto& beyond = view.peers[link].to;
  if (target.value >= beyond.size()) return {};
  return one_after_the_other(first, state_of(beyond[target.value]));
}

}  // namespace rackway::vlb
