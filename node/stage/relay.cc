// SPDX-License-Identifier: Apache-2.0
#include "node/stage/relay.hh"

#include <rte_ether.h>
#include <rte_ip.h>

#include "base/byte_order.hh"
#include "node/stage/rewrite.hh"
#include "vlb/fabric_tag.hh"

namespace rackway::node {
namespace {

void pass_on(Slot& slot, NodeId egress, const vlb::Steering& steering,
             const Places& places) noexcept {
  if (vlb::hop_budget_of(slot.octets()) == 0) return slot.drop(DropReason::fabric_hops_spent);
  const auto path = steering.onward(egress);
  if (!path) return slot.drop(DropReason::fabric_no_path);
  vlb::retarget(slot.octets(), path->target);
  slot.transmit(places.ports + path->link, Passage::relayed);
}

// The ingress has checked the header; this makes sure only that there is one to take a length from.
bool recognise_packet(Slot& slot) noexcept {
  const std::size_t room = slot.frame->data_len - RTE_ETHER_HDR_LEN;
  switch (load_be<std::uint16_t>(slot.octets() + 12)) {
    case RTE_ETHER_TYPE_IPV4: slot.protocol = Protocol::ipv4; return room >= sizeof(rte_ipv4_hdr);
    case RTE_ETHER_TYPE_IPV6: slot.protocol = Protocol::ipv6; return room >= sizeof(rte_ipv6_hdr);
    default: return false;
  }
}

}  // namespace

void Relay::run(Burst& burst, const Context& context) const noexcept {
  for (auto& slot : burst.all()) {
    if (slot.frame->data_len < RTE_ETHER_HDR_LEN || !vlb::is_data(slot.octets())) {
      slot.drop(DropReason::fabric_malformed);
    } else if (vlb::target_of(slot.octets()) != context.self) {
      slot.drop(DropReason::fabric_wrong_target);
    } else if (const auto egress = vlb::egress_of(slot.octets()); egress != context.self) {
      pass_on(slot, egress, steering, places);
    } else if (!recognise_packet(slot)) {
      slot.drop(DropReason::fabric_malformed);
    } else {
      send_to_neighbor(slot, vlb::adjacency_of(slot.octets()), context, places);
    }
  }
}

}  // namespace rackway::node
