// SPDX-License-Identifier: Apache-2.0
#include "node/stage/relay.hh"

#include "vlb/fabric_tag.hh"

namespace rackway::node {
namespace {

// Octets of the packet that a data frame carries; 0 if there is no header to take them from. The
// ingress node has checked the header.
std::uint32_t carried_size(const rte_mbuf& frame, const std::uint8_t* octets) noexcept {
  constexpr std::uint16_t kIpv4Frame = RTE_ETHER_HDR_LEN + sizeof(rte_ipv4_hdr);
  constexpr std::uint16_t kIpv6Frame = RTE_ETHER_HDR_LEN + sizeof(rte_ipv6_hdr);
  const auto type = load_be<std::uint16_t>(octets + 12);
  if (type == RTE_ETHER_TYPE_IPV4 && frame.data_len >= kIpv4Frame) return ipv4_size(octets);
  if (type == RTE_ETHER_TYPE_IPV6 && frame.data_len >= kIpv6Frame) return ipv6_size(octets);
  return 0;
}

bool is_malformed(const rte_mbuf& frame, const std::uint8_t* octets) noexcept {
  return frame.data_len < RTE_ETHER_HDR_LEN || !vlb::is_data(octets);
}

}  // namespace

// The masks stay in registers: a store to a packet may be one to the burst for all the compiler
// knows. Whatever is wrong is found out afterwards, frame by frame.
void Relay::pass_on(Burst& burst, Mask slots) const noexcept {
  Mask sent = 0;
  for_each(slots, [&](std::size_t i) {
    std::uint8_t* const octets = burst.octets[i];
    const NodeId egress = vlb::egress_of(octets);
    const std::uint16_t link = steering_.onward(egress);
    if (link == vlb::kNoLink || vlb::hop_budget_of(octets) == 0) [[unlikely]]
      return;
    vlb::retarget(octets, egress);
    burst.output[i] = static_cast<std::uint16_t>(ports_ + link);
    sent |= bit(i);
  });
  burst.transmitted |= sent;
  burst.undecided &= ~sent;
  for_each(slots & ~sent, [&](std::size_t i) {
    const bool spent = vlb::hop_budget_of(burst.octets[i]) == 0;
    burst.drop(i, spent ? DropReason::fabric_hops_spent : DropReason::fabric_no_path);
  });
}

void Relay::send_out(Burst& burst, Mask slots, const Context& context) const noexcept {
  const auto adjacencies = context.fib.adjacencies_of(context.self);
  const auto* const adjacency_of = adjacencies.data();
  const std::size_t known = adjacencies.size();
  const NeighborSend::Ports ports = neighbor_send_.ports();
  Mask sent = 0;
  for_each(slots, [&](std::size_t i) {
    std::uint8_t* const octets = burst.octets[i];
    const std::uint32_t size = carried_size(*burst.frames[i], octets);
    const std::uint32_t index = vlb::adjacency_of(octets).value;
    if (size == 0 || index >= known) [[unlikely]]
      return;
    const fib::LocalAdjacency& adjacency = adjacency_of[index];
    if (!adjacency.valid || size > adjacency.mtu || adjacency.port.value >= ports.count)
        [[unlikely]]
      return;
    ports.write_macs(octets, adjacency);
    burst.output[i] = adjacency.port.value;
    sent |= bit(i);
  });
  burst.transmitted |= sent;
  burst.undecided &= ~sent;
  for_each(slots & ~sent, [&](std::size_t i) {
    const std::uint32_t size = carried_size(*burst.frames[i], burst.octets[i]);
    if (size == 0) return burst.drop(i, DropReason::fabric_malformed);
    neighbor_send_.send_if_possible(burst, i, vlb::adjacency_of(burst.octets[i]), size,
                                    adjacencies);
  });
}

void Relay::run(Burst& burst, const Context& context) const noexcept {
  const NodeId self = context.self;
  Mask here = 0, onward = 0;
  for_each(burst.undecided, [&](std::size_t i) {
    const std::uint8_t* const octets = burst.octets[i];
    if (burst.frames[i]->data_len < RTE_ETHER_HDR_LEN) [[unlikely]]
      return;
    const Mask ours{vlb::is_data_for(octets, self)};
    const Mask out{vlb::egress_of(octets) == self};
    here |= (ours & out) << i;
    onward |= (ours & ~out) << i;
  });
  for_each(burst.undecided & ~(here | onward), [&](std::size_t i) {
    burst.drop(i, is_malformed(*burst.frames[i], burst.octets[i])
                      ? DropReason::fabric_malformed
                      : DropReason::fabric_wrong_target);
  });
  if (onward != 0) pass_on(burst, onward);
  if (here != 0) send_out(burst, here, context);
}

}  // namespace rackway::node
