// SPDX-License-Identifier: Apache-2.0
#include "node/stage/lookup.hh"

#include <rte_ether.h>
#include <rte_ip.h>

#include <cstring>

#include "base/byte_order.hh"

namespace rackway::node {
namespace {

Ipv4Address destination_of(const Slot& slot, Ipv4Address) noexcept {
  const auto* ip = rte_pktmbuf_mtod_offset(slot.frame, const rte_ipv4_hdr*, RTE_ETHER_HDR_LEN);
  return {load_be<std::uint32_t>(&ip->dst_addr)};
}

Ipv6Address destination_of(const Slot& slot, Ipv6Address address) noexcept {
  const auto* ip = rte_pktmbuf_mtod_offset(slot.frame, const rte_ipv6_hdr*, RTE_ETHER_HDR_LEN);
  std::memcpy(address.bytes.data(), ip->dst_addr, 16);
  return address;
}

template <class Address>
void look_up(Burst& burst, Protocol protocol, const fib::Fib& fib) noexcept {
  std::array<Address, kBurst> addresses;
  std::array<fib::NextHopId, kBurst> next_hops;
  std::array<std::uint16_t, kBurst> places;
  std::size_t count = 0;
  for (std::uint16_t i = 0; i < burst.size; ++i) {
    const auto& slot = burst.slots[i];
    if (!slot.undecided() || slot.protocol != protocol) continue;
    addresses[count] = destination_of(slot, Address{});
    places[count++] = i;
  }
  fib.lookup(std::span<const Address>(addresses.data(), count), {next_hops.data(), count});
  for (std::size_t i = 0; i < count; ++i) burst.slots[places[i]].next_hop = next_hops[i];
}

}  // namespace

void Lookup::run(Burst& burst, const Context& context) const noexcept {
  look_up<Ipv4Address>(burst, Protocol::ipv4, context.fib);
  look_up<Ipv6Address>(burst, Protocol::ipv6, context.fib);
}

}  // namespace rackway::node
