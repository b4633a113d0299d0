// SPDX-License-Identifier: Apache-2.0
// What the lookup tables are held against: a map per prefix length, searched from the longest down.
// Addresses are plain numbers here, so that nothing is shared with the code under test.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <vector>

#include "fib/table_route.hh"

namespace rackway::fib::testing {

using Number = unsigned __int128;

template <class Address>
Number number_of(const Address& address) {
  if constexpr (Address::kBits == 32) {
    return address.value;
  } else {
    Number number = 0;
    for (const auto byte : address.bytes) number = number << 8 | byte;
    return number;
  }
}

// Modulo 2^32 or 2^128, so that one before the first address is the last.
template <class Address>
Address address_of(Number number) {
  if constexpr (Address::kBits == 32) {
    return {static_cast<std::uint32_t>(number)};
  } else {
    Address address;
    for (int i = 15; i >= 0; --i, number >>= 8) {
      address.bytes[i] = static_cast<std::uint8_t>(number);
    }
    return address;
  }
}

// The bits behind a prefix of that length.
template <class Address>
Number host_mask(unsigned length) {
  const unsigned bits = Address::kBits - length;
  return bits == 128 ? ~Number{0} : (Number{1} << bits) - 1;
}

template <class Address>
struct Range {
  Number first;
  unsigned length;

  [[nodiscard]] static Range around(Number number, unsigned length) {
    return {number & host_mask<Address>(0) & ~host_mask<Address>(length), length};
  }
  [[nodiscard]] Number last() const { return first | host_mask<Address>(length); }
  [[nodiscard]] IpPrefix prefix() const {
    return {address_of<Address>(first), static_cast<std::uint8_t>(length)};
  }
  // First, last, and the neighbours outside: where an error of one bit or one entry shows.
  [[nodiscard]] std::vector<Address> boundaries() const {
    return {address_of<Address>(first), address_of<Address>(last()), address_of<Address>(first - 1),
            address_of<Address>(last() + 1)};
  }
  auto operator<=>(const Range&) const = default;
};

template <class Address>
class NaiveTable {
 public:
  std::optional<NextHopId> set(const Range<Address>& range, NextHopId next_hop) {
    const auto before = remove(range);
    by_length_[range.length][range.first] = next_hop;
    return before;
  }
  std::optional<NextHopId> remove(const Range<Address>& range) {
    const auto node = by_length_[range.length].extract(range.first);
    return node.empty() ? std::nullopt : std::optional(node.mapped());
  }

  [[nodiscard]] std::optional<TableRoute> longest_match(const Address& address) const {
    for (unsigned length = Address::kBits + 1; length-- > 0;) {
      if (by_length_[length].empty()) continue;
      const auto range = Range<Address>::around(number_of(address), length);
      const auto known = by_length_[length].find(range.first);
      if (known != by_length_[length].end()) return TableRoute{range.prefix(), known->second};
    }
    return std::nullopt;
  }

  [[nodiscard]] std::vector<Range<Address>> ranges() const {
    std::vector<Range<Address>> all;
    for (unsigned length = 0; length <= Address::kBits; ++length) {
      for (const auto& [first, next_hop] : by_length_[length]) all.push_back({first, length});
    }
    return all;
  }

 private:
  std::array<std::map<Number, NextHopId>, Address::kBits + 1> by_length_;
};

}  // namespace rackway::fib::testing
