// SPDX-License-Identifier: Apache-2.0
#include "node/stage/fragment.hh"

#include "node/fragmenter.hh"

namespace rackway::node {
namespace {

DropReason reason_for(FragmentFault fault) noexcept {
  switch (fault) {
    case FragmentFault::none: return DropReason::fragmented;
    case FragmentFault::malformed: return DropReason::ipv4_malformed;
    case FragmentFault::too_many: return DropReason::too_many_fragments;
    case FragmentFault::no_buffers: return DropReason::no_buffers;
    case FragmentFault::dont_fragment:
    case FragmentFault::mtu_too_small: break;
  }
  return DropReason::too_big;
}

}  // namespace

void Fragment::run(Burst& burst, Generated& generated) const noexcept {
  for_each(burst.to_fragment, [&](std::size_t i) {
    const IpPacket packet{*burst.frames[i], Family::ipv4};
    const auto made = fragment_ipv4(packet, burst.next_hop_mtu[i], pool_, generated.room());
    burst.drop(i, reason_for(made.fault));
    generated.add(made.count, burst.flow_hash[i], Generated::Way::routed);
  });
}

}  // namespace rackway::node
