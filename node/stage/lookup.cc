// SPDX-License-Identifier: Apache-2.0
#include "node/stage/lookup.hh"

namespace rackway::node {
namespace {

template <class Address>
void look_up(const std::array<Address, kBurst>& all, Mask mask, const fib::Fib& fib,
             std::array<fib::NextHopId, kBurst>& next_hop) noexcept {
  std::array<Address, kBurst> addresses;
  std::array<fib::NextHopId, kBurst> found;
  std::array<std::uint8_t, kBurst> slots;
  std::size_t count = 0;
  for_each(mask, [&](std::size_t i) {
    addresses[count] = all[i];
    slots[count++] = static_cast<std::uint8_t>(i);
  });
  fib.lookup(std::span<const Address>(addresses.data(), count), {found.data(), count});
  for (std::size_t i = 0; i < count; ++i) next_hop[slots[i]] = found[i];
}

}  // namespace

void Lookup::run(Burst& burst, const Context& context) const noexcept {
  const Mask all = first_bits(burst.size);
  const Mask ipv4 = burst.undecided & burst.ipv4, ipv6 = burst.undecided & burst.ipv6;
  if (ipv4 == all) {
    context.fib.lookup(std::span<const Ipv4Address>(burst.ipv4_destination.data(), burst.size),
                       {burst.next_hop.data(), burst.size});
  } else if (ipv6 == all) {
    context.fib.lookup(std::span<const Ipv6Address>(burst.ipv6_destination.data(), burst.size),
                       {burst.next_hop.data(), burst.size});
  } else {
    burst.next_hop.fill(fib::kIpv4Default);
    look_up(burst.ipv4_destination, ipv4, context.fib, burst.next_hop);
    look_up(burst.ipv6_destination, ipv6, context.fib, burst.next_hop);
  }
}

}  // namespace rackway::node
