// SPDX-License-Identifier: Apache-2.0
#include "node/stage/rewrite.hh"

#include <rte_ether.h>
#include <rte_ip.h>

#include <cstring>

#include "base/byte_order.hh"
#include "vlb/fabric_tag.hh"

namespace rackway::node {

std::uint32_t packet_bytes(const Slot& slot) noexcept {
  const std::uint8_t* ip = slot.octets() + RTE_ETHER_HDR_LEN;
  if (slot.protocol == Protocol::ipv4) return load_be<std::uint16_t>(ip + 2);
  return load_be<std::uint16_t>(ip + 4) + std::uint32_t{sizeof(rte_ipv6_hdr)};
}

void send_to_neighbor(Slot& slot, AdjacencyId index, const Context& context,
                      Places& places) noexcept {
  const auto adjacencies = context.fib.adjacencies_of(context.self);
  if (index.value >= adjacencies.size() || !adjacencies[index.value].valid) {
    return slot.drop(DropReason::adjacency_unknown);
  }
  const auto& adjacency = adjacencies[index.value];
  if (adjacency.port.value >= places.ports) return slot.drop(DropReason::adjacency_unknown);
  if (packet_bytes(slot) > adjacency.mtu) return slot.drop(DropReason::mtu_exceeded);
  const auto& port = places.port(adjacency.port);
  std::memcpy(slot.octets(), adjacency.destination.bytes.data(), 6);
  std::memcpy(slot.octets() + 6, port.mac.bytes.data(), 6);
  slot.transmit(adjacency.port.value);
}

void send_to_fabric(Slot& slot, const fib::Bucket& bucket, const Context& context,
                    const vlb::Steering& steering, const Places& places) noexcept {
  const auto path = steering.choose(bucket.node, slot.flow_hash);
  if (!path) return slot.drop(DropReason::fabric_no_path);
  vlb::write_tag(slot.octets(), {.target = path->target,
                                 .egress = bucket.node,
                                 .hop_budget = vlb::kInitialHopBudget,
                                 .epoch_mark = context.epoch_mark,
                                 .ingress = context.self,
                                 .adjacency = bucket.index});
  slot.transmit(places.ports + path->link, path->relayed ? Passage::via_relay : Passage::direct);
}

}  // namespace rackway::node
