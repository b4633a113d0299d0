// SPDX-License-Identifier: Apache-2.0
#include "node/stage/arp.hh"

#include <rte_arp.h>
#include <rte_ether.h>

#include <cstring>

#include "node/stage/own_address.hh"
#include "node/stage/tag.hh"

namespace rackway::node {
namespace {

constexpr std::uint16_t kLength = RTE_ETHER_HDR_LEN + sizeof(rte_arp_hdr);
static_assert(kLength == 42);

// By pointer: the fields of the packed header are not aligned.
Ipv4Address address_at(const void* field) noexcept {
  return {load_be<std::uint32_t>(field)};
}

bool well_formed(const rte_arp_hdr& arp, const std::uint8_t* octets) noexcept {
  const bool ethernet_ipv4 = arp.arp_hardware == RTE_BE16(RTE_ARP_HRD_ETHER) &&
                             arp.arp_protocol == RTE_BE16(RTE_ETHER_TYPE_IPV4) &&
                             arp.arp_hlen == 6 && arp.arp_plen == 4;
  // The sender in the packet is the sender of the frame: anything else poisons somebody's table.
  return ethernet_ipv4 && (octets[6] & 1) == 0 &&
         std::memcmp(&arp.arp_data.arp_sha, octets + 6, 6) == 0;
}

// Turns the request into its reply, in place (RFC 826, "packet reception").
void answer(const Slot& slot, rte_arp_hdr& arp, const MacAddress& mac) noexcept {
  auto& data = arp.arp_data;
  const std::uint32_t asked = data.arp_tip;
  std::memcpy(&data.arp_tha, &data.arp_sha, 6);
  data.arp_tip = data.arp_sip;
  std::memcpy(&data.arp_sha, mac.bytes.data(), 6);
  data.arp_sip = asked;
  arp.arp_opcode = RTE_BE16(RTE_ARP_OP_REPLY);
  std::memcpy(slot.octets(), &data.arp_tha, 6);
  std::memcpy(slot.octets() + 6, mac.bytes.data(), 6);
}

void handle_request(const Slot& slot, rte_arp_hdr& arp, const Context& context) noexcept {
  const auto sender = address_at(&arp.arp_data.arp_sip);
  const auto target = address_at(&arp.arp_data.arp_tip);
  if (sender == target) return slot.punt(PuntClass::neighbor);  // announcement
  const VlanId vlan = slot.burst().vlan(slot.index());
  if (!is_own_address(context, vlan, target)) return slot.drop(DropReason::arp_not_for_us);
  MacAddress mac;
  std::memcpy(mac.bytes.data(), &arp.arp_data.arp_sha, 6);
  if (!node_answers(context, vlan, sender, mac)) return slot.punt(PuntClass::neighbor);
  answer(slot, arp, context.in.mac);
  send_back(slot, context.port);
}

void handle(const Slot& slot, const Context& context) noexcept {
  if (slot.frame().data_len < kLength) return slot.drop(DropReason::arp_malformed);
  auto* arp = rte_pktmbuf_mtod_offset(&slot.frame(), rte_arp_hdr*, RTE_ETHER_HDR_LEN);
  if (!well_formed(*arp, slot.octets())) return slot.drop(DropReason::arp_malformed);
  switch (arp->arp_opcode) {
    case RTE_BE16(RTE_ARP_OP_REQUEST): return handle_request(slot, *arp, context);
    case RTE_BE16(RTE_ARP_OP_REPLY): return slot.punt(PuntClass::neighbor);
    default: return slot.drop(DropReason::arp_malformed);
  }
}

}  // namespace

void Arp::run(Burst& burst, const Context& context) const noexcept {
  for_each(burst.undecided & ~(burst.ipv4 | burst.ipv6),
           [&](std::size_t i) { handle(Slot(burst, i), context); });
}

}  // namespace rackway::node
