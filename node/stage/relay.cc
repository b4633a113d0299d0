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

// Has room for an IPv6 header.
constexpr std::uint16_t kLeastWhole = RTE_ETHER_HDR_LEN + sizeof(rte_ipv6_hdr);

}  // namespace

// In the loops below masks stay in registers: a store to a packet may be one to the burst for all
// the compiler knows. They let what is wrong go by; it is found out afterwards, frame by frame.

template <Relay::Graph graph>
void Relay::pass_on(Burst& burst, Mask slots, NodeId self) const noexcept {
  const std::uint16_t* const onward = steering_.onward_links();
  const auto first_link = static_cast<std::uint16_t>(ports_);
  Mask sent = 0;
  for_each(slots, [&](std::size_t i) {
    std::uint8_t* const octets = burst.octets[i];
    if (burst.frames[i]->data_len < RTE_ETHER_HDR_LEN) [[unlikely]]
      return;
    vlb::TagWord tag(octets);
    // There is no way on to this node itself: a frame whose egress node it is stays.
    const bool is_at_target =
        graph == Graph::mesh || (tag.target() == self) | (tag.egress() == self);
    const NodeId target = is_at_target ? tag.egress() : tag.target();
    const std::uint16_t link = onward[target.value];
    const bool is_ours = graph == Graph::mesh ? tag.is_data_for(self) : tag.is_data();
    if (!(is_ours & (link != vlb::kNoLink) & (tag.hop_budget() > 0))) return;
    tag.pass_on(target);
    tag.store(octets);
    burst.output[i] = static_cast<std::uint16_t>(first_link + link);
    sent |= bit(i);
  });
  burst.transmitted |= sent;
  burst.undecided &= ~sent;
}

template <Relay::Graph graph>
void Relay::send_out(Burst& burst, Mask slots, const Context& context) const noexcept {
  const auto adjacencies = context.fib.adjacencies_of(context.self);
  const auto* const adjacency_of = adjacencies.data();
  const std::size_t known = adjacencies.size();
  const NeighborSend::Ports ports = neighbor_send_.ports();
  const NodeId self = context.self;
  [[maybe_unused]] const std::size_t nodes = steering_.table().nodes();
  Mask sent = 0;
  for_each(slots, [&](std::size_t i) {
    std::uint8_t* const octets = burst.octets[i];
    if (burst.frames[i]->data_len < kLeastWhole) [[unlikely]]
      return;
    const vlb::TagWord tag(octets);
    const std::uint32_t index = vlb::adjacency_of(octets).value;
    const bool is_ours =
        graph == Graph::mesh ? tag.is_data_for(self) : tag.is_data() & (tag.target().value < nodes);
    if (!(is_ours & (tag.egress() == self) & (index < known))) return;
    const fib::LocalAdjacency& adjacency = adjacency_of[index];
    const auto type = load_be<std::uint16_t>(octets + 12);
    const std::uint32_t size = type == RTE_ETHER_TYPE_IPV4 ? ipv4_size(octets) : ipv6_size(octets);
    const bool is_ip = (type == RTE_ETHER_TYPE_IPV4) | (type == RTE_ETHER_TYPE_IPV6);
    if (!(is_ip & adjacency.valid & (size - 1 < adjacency.mtu) & ports.send_untagged(adjacency))) {
      return;
    }
    ports.write_macs(octets, adjacency);
    burst.output[i] = adjacency.port.value;
    sent |= bit(i);
  });
  burst.transmitted |= sent;
  burst.undecided &= ~sent;
}

// The frame gets the neighbour as its target, who finds the way to the egress node.
void Relay::detour(Burst& burst, std::size_t i, NodeId target) const noexcept {
  const auto way = steering_.detour(target, vlb::ingress_of(burst.octets[i]));
  if (way.link == vlb::kNoLink) return burst.drop(i, DropReason::fabric_no_path);
  vlb::TagWord tag(burst.octets[i]);
  tag.pass_on(way.peer);
  tag.store(burst.octets[i]);
  burst.transmit(i, ports_ + way.link);
}

// What neither loop took: short, wrong, or where its way is blocked.
void Relay::decide_with_care(Burst& burst, std::size_t i, const Context& context) const noexcept {
  const std::uint8_t* const octets = burst.octets[i];
  if (burst.frames[i]->data_len >= RTE_ETHER_HDR_LEN && vlb::is_hello(octets)) {
    burst.hellos |= bit(i);
    return;
  }
  if (burst.frames[i]->data_len < RTE_ETHER_HDR_LEN || !vlb::is_data(octets)) {
    return burst.drop(i, DropReason::fabric_malformed);
  }
  const NodeId target = vlb::target_of(octets), egress = vlb::egress_of(octets);
  const auto& table = steering_.table();
  const bool may_come_here =
      target == context.self || (!table.is_mesh() && target.value < table.nodes());
  if (!may_come_here) return burst.drop(i, DropReason::fabric_wrong_target);
  if (egress != context.self) {
    if (vlb::hop_budget_of(octets) == 0) return burst.drop(i, DropReason::fabric_hops_spent);
    return detour(burst, i, target == context.self ? egress : target);
  }
  const std::uint32_t size = carried_size(*burst.frames[i], octets);
  if (size == 0) return burst.drop(i, DropReason::fabric_malformed);
  neighbor_send_.send_if_possible(burst, i, vlb::adjacency_of(octets), size,
                                  context.fib.adjacencies_of(context.self));
}

template <Relay::Graph graph>
void Relay::decide(Burst& burst, const Context& context) const noexcept {
  // The way of the first frame first: often it is that of all.
  const bool ends_here = burst.frames[0]->data_len >= RTE_ETHER_HDR_LEN &&
                         vlb::egress_of(burst.octets[0]) == context.self;
  if (ends_here) send_out<graph>(burst, burst.undecided, context);
  if (burst.undecided != 0) pass_on<graph>(burst, burst.undecided, context.self);
  if (!ends_here && burst.undecided != 0) send_out<graph>(burst, burst.undecided, context);
  for_each(burst.undecided, [&](std::size_t i) { decide_with_care(burst, i, context); });
}

void Relay::run(Burst& burst, const Context& context) const noexcept {
  if (burst.size == 0) return;
  if (steering_.table().is_mesh()) {
    decide<Graph::mesh>(burst, context);
  } else {
    decide<Graph::any>(burst, context);
  }
}

}  // namespace rackway::node
