// SPDX-License-Identifier: Apache-2.0
#include "node/stage/ethernet_check.hh"

#include <rte_ether.h>

#include <cstring>

#include "base/byte_order.hh"
#include "vlb/fabric_tag.hh"

namespace rackway::node {
namespace {

void check(const Slot& slot, const Place& in) noexcept {
  Burst& burst = slot.burst();
  if (slot.frame().data_len < RTE_ETHER_HDR_LEN) return slot.drop(DropReason::frame_too_short);
  const std::uint8_t* octets = slot.octets();
  MacAddress destination;
  std::memcpy(destination.bytes.data(), octets, 6);
  const bool group = destination.is_multicast();
  if (group) burst.l2_group |= bit(slot.index());
  if (!group && destination != in.mac) {
    return slot.drop(vlb::is_fabric_address(destination) ? DropReason::fabric_frame_on_external_port
                                                         : DropReason::foreign_mac);
  }
  switch (load_be<std::uint16_t>(octets + 12)) {
    case RTE_ETHER_TYPE_IPV4: burst.ipv4 |= bit(slot.index()); return;
    case RTE_ETHER_TYPE_IPV6: burst.ipv6 |= bit(slot.index()); return;
    case RTE_ETHER_TYPE_ARP: return;
    case RTE_ETHER_TYPE_QINQ: return slot.drop(DropReason::vlan_unsupported);
    default: return slot.drop(DropReason::ethertype_unsupported);
  }
}

}  // namespace

void EthernetCheck::run(Burst& burst, const Context& context) const noexcept {
  for_each(burst.undecided & ~burst.plain,
           [&](std::size_t i) { check(Slot(burst, i), context.in); });
}

}  // namespace rackway::node
