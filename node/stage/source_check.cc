// SPDX-License-Identifier: Apache-2.0
#include "node/stage/source_check.hh"

#include <rte_ether.h>

#include <algorithm>

#include "base/byte_order.hh"
#include "node/stage/own_address.hh"

namespace rackway::node {
namespace {

constexpr std::size_t kIpv4Source = RTE_ETHER_HDR_LEN + 12;
constexpr std::size_t kIpv6Source = RTE_ETHER_HDR_LEN + 8;

template <class Address>
Address source_of(const std::uint8_t* frame) noexcept;
template <>
Ipv4Address source_of(const std::uint8_t* frame) noexcept {
  return {load_be<std::uint32_t>(frame + kIpv4Source)};
}
template <>
Ipv6Address source_of(const std::uint8_t* frame) noexcept {
  Ipv6Address source;
  std::memcpy(source.bytes.data(), frame + kIpv6Source, source.bytes.size());
  return source;
}

bool leads_out_of(const fib::GroupEntry& group, VlanId vlan, const Context& context) noexcept {
  const auto adjacencies = context.fib.adjacencies_of(context.self);
  return std::ranges::any_of(group.buckets, [&](const fib::Bucket& bucket) {
    if (bucket.node != context.self || bucket.index.value >= adjacencies.size()) return false;
    const auto& adjacency = adjacencies[bucket.index.value];
    return adjacency.valid && adjacency.port == context.port && adjacency.vlan == vlan;
  });
}

bool in_a_subnet_of(const IpAddress& source, VlanId vlan, const Context& context) noexcept {
  return std::ranges::any_of(own_addresses(context, vlan), [&](const fib::PortAddress& own) {
    return own.address.family() == source.family() &&
           IpPrefix::covering(own.address, own.length).covers(source);
  });
}

bool passes_loose(fib::GroupKind kind) noexcept {
  return kind == fib::GroupKind::forward || kind == fib::GroupKind::glean ||
         kind == fib::GroupKind::local;
}

bool passes(const IpAddress& source, fib::NextHopId next_hop, VlanId vlan,
            const Context& context) noexcept {
  const auto group = context.fib.group(next_hop);
  if (context.in.urpf == topo::Urpf::loose) return passes_loose(group.kind);
  if (group.kind == fib::GroupKind::forward) return leads_out_of(group, vlan, context);
  return group.kind == fib::GroupKind::glean && in_a_subnet_of(source, vlan, context);
}

template <class Address>
void check(Burst& burst, Mask mask, const Context& context) noexcept {
  std::array<Address, kBurst> sources;
  std::array<fib::NextHopId, kBurst> next_hops;
  std::array<std::uint8_t, kBurst> slots;
  std::size_t count = 0;
  for_each(mask, [&](std::size_t i) {
    sources[count] = source_of<Address>(burst.octets[i]);
    slots[count++] = static_cast<std::uint8_t>(i);
  });
  context.fib.lookup({sources.data(), count}, {next_hops.data(), count});
  for (std::size_t at = 0; at < count; ++at) {
    const std::size_t i = slots[at];
    const IpAddress source(sources[at]);
    if (!source.is_v4() && source.is_link_local()) continue;
    if (!passes(source, next_hops[at], burst.vlan(i), context)) burst.drop(i, DropReason::urpf);
  }
}

}  // namespace

void SourceCheck::run(Burst& burst, const Context& context) const noexcept {
  check<Ipv4Address>(burst, burst.undecided & burst.ipv4, context);
  check<Ipv6Address>(burst, burst.undecided & burst.ipv6, context);
}

}  // namespace rackway::node
