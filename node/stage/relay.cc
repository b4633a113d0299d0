// SPDX-License-Identifier: Apache-2.0
#include "node/stage/relay.hh"

#include "vlb/fabric_tag.hh"

namespace rackway::node {

void Relay::pass_on(Burst& burst, std::size_t i) const noexcept {
  std::uint8_t* const octets = burst.octets[i];
  if (vlb::hop_budget_of(octets) == 0) return burst.drop(i, DropReason::fabric_hops_spent);
  const NodeId egress = vlb::egress_of(octets);
  const std::uint16_t link = steering_.onward(egress);
  if (link == vlb::kNoLink) return burst.drop(i, DropReason::fabric_no_path);
  vlb::retarget(octets, egress);
  burst.transmit(i, ports_ + link);
}

// The ingress has checked the header; this makes sure only that there is one to take a length from.
void Relay::send_out(Burst& burst, std::size_t i,
                     std::span<const fib::LocalAdjacency> adjacencies) const noexcept {
  const std::uint8_t* const octets = burst.octets[i];
  const std::size_t room = burst.frames[i]->data_len - std::size_t{RTE_ETHER_HDR_LEN};
  const auto type = load_be<std::uint16_t>(octets + 12);
  const bool ipv4 = type == RTE_ETHER_TYPE_IPV4 && room >= sizeof(rte_ipv4_hdr);
  const bool ipv6 = type == RTE_ETHER_TYPE_IPV6 && room >= sizeof(rte_ipv6_hdr);
  if (!ipv4 && !ipv6) return burst.drop(i, DropReason::fabric_malformed);
  neighbor_send_.send_if_possible(burst, i, vlb::adjacency_of(octets),
                                  ipv4 ? ipv4_size(octets) : ipv6_size(octets), adjacencies);
}

void Relay::run(Burst& burst, const Context& context) const noexcept {
  const auto adjacencies = context.fib.adjacencies_of(context.self);
  for_each(burst.undecided, [&](std::size_t i) {
    const std::uint8_t* const octets = burst.octets[i];
    if (burst.frames[i]->data_len < RTE_ETHER_HDR_LEN || !vlb::is_data(octets)) {
      burst.drop(i, DropReason::fabric_malformed);
    } else if (vlb::target_of(octets) != context.self) {
      burst.drop(i, DropReason::fabric_wrong_target);
    } else if (vlb::egress_of(octets) != context.self) {
      pass_on(burst, i);
    } else {
      send_out(burst, i, adjacencies);
    }
  });
}

}  // namespace rackway::node
