// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/cluster/flow_moves.hh"

namespace rackway::bench {

void FlowMoves::see(const traffic::Packet& packet, NodeId target, std::uint32_t cable,
                    traffic::Picoseconds now) {
  if (packet.flow >= ways_.size()) ways_.resize(packet.flow + packet.flow / 2 + 64);
  Way& way = ways_[packet.flow];
  const bool moved = way.last != 0 && (way.cable != cable || way.target != target);
  const bool early = now - way.last < pause_;
  const bool ends_there = packet.ingress == dead_ || packet.egress == dead_;
  if (moved && early && !ends_there && !way.counted && now >= window_.from && now < window_.until) {
    ++(way.target == dead_ ? used_it_ : did_not_);
    way.counted = true;
  }
  way.last = now;
  way.cable = cable;
  way.target = target;
}

}  // namespace rackway::bench
