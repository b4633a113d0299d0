// SPDX-License-Identifier: Apache-2.0
// IPv6 addresses and prefixes as numbers, for the parts of a table that only changes touch.
#pragma once

#include <compare>
#include <cstdint>

#include "base/byte_order.hh"
#include "base/ip_address.hh"

namespace rackway::fib {

__extension__ using Ipv6Number = unsigned __int128;

[[nodiscard]] inline Ipv6Number number_of(const Ipv6Address& address) {
  return Ipv6Number{load_be<std::uint64_t>(address.bytes.data())} << 64 |
         load_be<std::uint64_t>(address.bytes.data() + 8);
}
[[nodiscard]] inline Ipv6Address ipv6_address(Ipv6Number number) {
  Ipv6Address address;
  store_be(address.bytes.data(), static_cast<std::uint64_t>(number >> 64));
  store_be(address.bytes.data() + 8, static_cast<std::uint64_t>(number));
  return address;
}

// A prefix, in order of address, then length.
struct Ipv6Key {
  Ipv6Number address;
  unsigned length;
  auto operator<=>(const Ipv6Key&) const = default;

  // How many addresses it has is this + 1.
  [[nodiscard]] static Ipv6Number span(unsigned length) {
    return length == 128 ? 0 : ~Ipv6Number{0} >> length;
  }
  // The prefix of that length, at most its own, that covers it.
  [[nodiscard]] Ipv6Key covering(unsigned shorter) const {
    return {address & ~span(shorter), shorter};
  }
  [[nodiscard]] Ipv6Number last() const { return address | span(length); }
  // `count` bits from bit `first` on, counted from the left.
  [[nodiscard]] std::uint32_t bits(unsigned first, unsigned count) const {
    return static_cast<std::uint32_t>(address << first >> (128 - count));
  }

  template <class Hash>
  friend Hash AbslHashValue(Hash hash, const Ipv6Key& key) {
    return Hash::combine(std::move(hash), static_cast<std::uint64_t>(key.address >> 64),
                         static_cast<std::uint64_t>(key.address), key.length);
  }
};

}  // namespace rackway::fib
