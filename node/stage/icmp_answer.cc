// SPDX-License-Identifier: Apache-2.0
#include "node/stage/icmp_answer.hh"

#include <algorithm>
#include <cstring>
#include <optional>

#include "node/icmp_error_rules.hh"
#include "node/stage/flow_hash.hh"
#include "node/stage/own_address.hh"
#include "node/stage/rewrite.hh"
#include "node/stage/tag.hh"

namespace rackway::node {
namespace {

constexpr std::uint8_t kIcmpv4 = 1, kIcmpv6 = 58;

IpAddress source_of(const IpPacket& packet) noexcept {
  return packet.family == Family::ipv4 ? *IpAddress::from_bytes(packet.header() + 12, 4)
                                       : *IpAddress::from_bytes(packet.header() + 8, 16);
}

// An address of the interface where the asker's packet came in, else any of this node. A link-local
// one is of that interface, and only for an asker of that kind, as it means nothing beyond the
// link; he gets another if there is none. IPv4 knows no such askers: what they send beyond the link
// is dropped in silence.
std::optional<IpAddress> address_towards(const IpAddress& asker, VlanId vlan,
                                         const Context& context) noexcept {
  const bool near = asker.is_link_local();
  std::optional<IpAddress> best;
  int best_rank = 0;
  for (const auto& own : context.fib.addresses_of(context.self)) {
    if (own.address.family() != asker.family()) continue;
    const bool here = own.port == context.port && own.vlan == vlan;
    const bool link_local = own.address.is_link_local();
    if (link_local && !(near && here)) continue;
    const int rank = 1 + (here ? 1 : 0) + (link_local ? 1 : 0);
    if (rank <= best_rank) continue;
    best = own.address;
    best_rank = rank;
  }
  return best;
}

bool is_on_link(const IpAddress& asker, VlanId vlan, const Context& context) noexcept {
  return std::ranges::any_of(own_addresses(context, vlan), [&](const fib::PortAddress& own) {
    return own.address.family() == asker.family() &&
           IpPrefix::covering(own.address, own.length).covers(asker);
  });
}

// Nothing when there is no way. Whether a way is good for more the message's own lookup says.
std::optional<Generated::Way> way_to(const IpAddress& asker, VlanId vlan,
                                     const Context& context) noexcept {
  if (asker.is_link_local()) return Generated::Way::back;
  const auto id = asker.is_v4() ? context.fib.lookup(asker.v4()) : context.fib.lookup(asker.v6());
  switch (context.fib.group(id).kind) {
    case fib::GroupKind::local:
    case fib::GroupKind::broadcast: return std::nullopt;  // nobody sends from there
    case fib::GroupKind::glean:
      if (is_on_link(asker, vlan, context)) return Generated::Way::back;
      return std::nullopt;
    default: return Generated::Way::routed;
  }
}

std::uint32_t flow_of(const rte_mbuf& message, Family family) noexcept {
  const auto* ip = rte_pktmbuf_mtod_offset(&message, const std::uint8_t*, RTE_ETHER_HDR_LEN);
  if (family == Family::ipv6) return hash_flow(fold_ipv6(ip + 8), fold_ipv6(ip + 24), 0, kIcmpv6);
  std::uint32_t source, destination;
  std::memcpy(&source, ip + 12, sizeof source);
  std::memcpy(&destination, ip + 16, sizeof destination);
  return hash_flow(source, destination, 0, kIcmpv4);
}

// To where the packet's frame came from, in its VLAN. False when there is no room for the tag.
bool turn_back(rte_mbuf& message, const Burst& burst, std::size_t i,
               const MacAddress& mac) noexcept {
  std::uint64_t sender = 0;
  std::memcpy(&sender, burst.octets[i] + RTE_ETHER_ADDR_LEN, RTE_ETHER_ADDR_LEN);
  write_macs(rte_pktmbuf_mtod(&message, std::uint8_t*), sender, mac_word(mac));
  return burst.vlan(i) == VlanId{} || insert_tag(message, burst.tag[i]);
}

bool is_from_group(const std::uint8_t* received) noexcept {
  return (received[RTE_ETHER_ADDR_LEN] & 1) != 0;
}

}  // namespace

bool IcmpAnswer::answer(const Burst& burst, std::size_t i, const IpPacket& packet,
                        const Context& context, Generated& generated) noexcept {
  const IpAddress asker = source_of(packet);
  const VlanId vlan = burst.vlan(i);
  const auto source = address_towards(asker, vlan, context);
  const auto way = way_to(asker, vlan, context);
  if (!source || !way) return false;
  const bool back = *way == Generated::Way::back;
  if (back && is_from_group(burst.octets[i])) return false;
  if (!limiter_.take(context.port, packet.family, context.ticks)) return false;
  const bool too_big = burst.error[i] == IcmpError::too_big;
  const std::uint8_t hop_limit = back ? kIcmpHopLimit : kIcmpHopLimit + 1;  // Resolve takes one
  rte_mbuf* message =
      builder_.build(packet, {.error = burst.error[i],
                              .source = *source,
                              .mtu = too_big ? burst.next_hop_mtu[i] : std::uint16_t{0},
                              .hop_limit = hop_limit});
  if (message == nullptr) return false;
  if (back && !turn_back(*message, burst, i, context.in.mac)) {
    rte_pktmbuf_free(message);
    return false;
  }
  generated.room().front() = message;
  generated.add(1, flow_of(*message, packet.family), *way);
  return true;
}

void IcmpAnswer::run(const Burst& burst, const Context& context, Generated& generated) noexcept {
  Counters& counters = context.counters;
  for_each(burst.answered, [&](std::size_t i) {
    const IpPacket packet{*burst.frames[i],
                          (burst.ipv4 & bit(i)) != 0 ? Family::ipv4 : Family::ipv6,
                          (burst.l2_group & bit(i)) != 0};
    if (!may_be_answered(packet, burst.error[i])) return;
    (answer(burst, i, packet, context, generated) ? counters.icmp_sent : counters.icmp_withheld)
        .add(1);
  });
}

}  // namespace rackway::node
