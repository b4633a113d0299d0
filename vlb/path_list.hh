// SPDX-License-Identifier: Apache-2.0
// All paths of an ingress node through the fabric, by egress node: straight ones first, then those
// over a relay, and what the fabric's view says of each. Over a relay that is a neighbour both ways
// are known; beyond one that is farther away, the rest of the way is taken for alive and idle. One
// thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/id.hh"
#include "topo/fabric_table.hh"
#include "vlb/fabric_view.hh"
#include "vlb/onward.hh"

namespace rackway::vlb {

struct alignas(8) Path {        // copied as one word
  NodeId target;                // who gets the frame now
  std::uint16_t link{kNoLink};  // over which local link; kNoLink: no live path leads there
  std::uint32_t relayed{0};     // 1: the target is not the egress node
  bool operator==(const Path&) const = default;
};
static_assert(sizeof(Path) == 8);

using PathIndex = std::uint16_t;  // 0 is no path

struct PathState {
  bool alive{false};       // flowlets on it may go on
  bool open{false};        // new ones may begin
  float load{0};           // share of the rate in use, of the more loaded of its links
  std::uint32_t delay{0};  // microseconds; kUnknownDelay
};
inline constexpr std::uint32_t kUnknownDelay = 0xffff'ffff;

class PathList {
 public:
  PathList(const topo::FabricTable& table, NodeId self);

  // Those to one egress node; none to the node itself.
  struct Range {
    PathIndex first, relays, end;  // straight: first to relays; over relays: relays to end
  };
  [[nodiscard]] Range to(NodeId egress) const { return ranges_[egress.value]; }
  [[nodiscard]] std::size_t size() const { return paths_.size(); }
  [[nodiscard]] const Path& operator[](PathIndex path) const { return paths_[path]; }
  [[nodiscard]] const Path* data() const { return paths_.data(); }

  // How the path stands in that view, which is of the table's links and nodes.
  [[nodiscard]] PathState state(PathIndex path, NodeId egress, const FabricView& view) const;

  // Whether that local link and, as far as is known, the way on from its far end are alive.
  [[nodiscard]] bool leg_is_alive(std::uint16_t link, NodeId target, const FabricView& view) const {
    return leg(link, target, view).alive;
  }

 private:
  [[nodiscard]] PathState leg(std::uint16_t link, NodeId target, const FabricView& view) const;

  std::vector<NodeId> peers_;  // by local link
  std::vector<Path> paths_{Path{}};
  std::vector<Range> ranges_;
};

}  // namespace rackway::vlb
