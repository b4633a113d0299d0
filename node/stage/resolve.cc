// SPDX-License-Identifier: Apache-2.0
#include "node/stage/resolve.hh"

#include <rte_ether.h>
#include <rte_ip.h>

#include <algorithm>

#include "base/byte_order.hh"
#include "node/stage/local_class.hh"
#include "node/stage/rewrite.hh"

namespace rackway::node {
namespace {

rte_ipv4_hdr* ipv4(const Slot& slot) noexcept {
  return rte_pktmbuf_mtod_offset(slot.frame, rte_ipv4_hdr*, RTE_ETHER_HDR_LEN);
}
rte_ipv6_hdr* ipv6(const Slot& slot) noexcept {
  return rte_pktmbuf_mtod_offset(slot.frame, rte_ipv6_hdr*, RTE_ETHER_HDR_LEN);
}

// Octets of the transport header that can be read: those of the packet, not of the padding behind
// it, and none in a later fragment, which has no such header.
std::size_t transport_bytes(const Slot& slot, std::size_t header) noexcept {
  const bool later_fragment =
      slot.protocol == Protocol::ipv4 && (ipv4(slot)->fragment_offset & RTE_BE16(0x1fff)) != 0;
  if (later_fragment) return 0;
  const std::size_t readable = slot.frame->data_len - RTE_ETHER_HDR_LEN;
  return std::min<std::size_t>(packet_bytes(slot), readable) - header;
}

void to_router(Slot& slot) noexcept {
  const bool v4 = slot.protocol == Protocol::ipv4;
  // IPv4 options have been punted before.
  const std::size_t header = v4 ? sizeof(rte_ipv4_hdr) : sizeof(rte_ipv6_hdr);
  const std::uint8_t protocol = v4 ? ipv4(slot)->next_proto_id : ipv6(slot)->proto;
  const std::uint8_t* transport = slot.octets() + RTE_ETHER_HDR_LEN + header;
  slot.punt(local_class(protocol, transport, transport_bytes(slot, header)));
}

// RFC 4291 2.5.6: a packet from a link-local address must not leave its link.
bool link_local_source(const Slot& slot) noexcept {
  if (slot.protocol != Protocol::ipv6) return false;
  const std::uint8_t* source = ipv6(slot)->src_addr;
  return source[0] == 0xfe && (source[1] & 0xc0) == 0x80;
}

bool ttl_spent(const Slot& slot) noexcept {
  return (slot.protocol == Protocol::ipv4 ? ipv4(slot)->time_to_live : ipv6(slot)->hop_limits) <= 1;
}

// RFC 1812 5.3.1; the checksum follows by RFC 1624: the decremented octet is the high one of its
// word, so the sum grows by 0x0100, with the carry taken around. A sum of 0xffff is carried too, as
// the checksum of a header that is not all zero is never 0xffff.
void decrement_ttl(Slot& slot) noexcept {
  if (slot.protocol == Protocol::ipv6) {
    --ipv6(slot)->hop_limits;
    return;
  }
  auto* ip = ipv4(slot);
  --ip->time_to_live;
  const std::uint32_t sum = load_be<std::uint16_t>(&ip->hdr_checksum) + 0x0100u;
  store_be(&ip->hdr_checksum, static_cast<std::uint16_t>(sum + (sum >= 0xffff ? 1 : 0)));
}

}  // namespace

void Resolve::run(Burst& burst, const Context& context) const noexcept {
  for (auto& slot : burst.all()) {
    if (!slot.undecided()) continue;
    const auto& group = context.fib.group(slot.next_hop);
    switch (group.kind) {
      case fib::GroupKind::local: to_router(slot); continue;
      case fib::GroupKind::blackhole: slot.drop(DropReason::blackhole); continue;
      case fib::GroupKind::broadcast: slot.drop(DropReason::directed_broadcast); continue;
      default: break;
    }
    // From here on the packet is not for the router: the kernel answers what can not go on.
    if (link_local_source(slot)) {
      slot.drop(DropReason::link_local_forward);
    } else if (ttl_spent(slot) || group.kind == fib::GroupKind::glean) {
      slot.punt(PuntClass::exception);
    } else if (group.kind == fib::GroupKind::unreachable) {
      slot.punt(PuntClass::exception, DropReason::no_route);
    } else if (group.kind == fib::GroupKind::prohibit) {
      slot.punt(PuntClass::exception, DropReason::prohibited);
    } else {
      const auto& bucket = group.pick(slot.flow_hash);
      if (packet_bytes(slot) > bucket.mtu) {
        slot.punt(PuntClass::exception);
        continue;
      }
      decrement_ttl(slot);
      if (bucket.node == context.self) {
        send_to_neighbor(slot, bucket.index, context, places);
      } else {
        send_to_fabric(slot, bucket, context, steering, places);
      }
    }
  }
}

}  // namespace rackway::node
