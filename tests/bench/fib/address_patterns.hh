// SPDX-License-Identifier: Apache-2.0
// Addresses to look up, in the ways that caches feel differently. The same for the same table.
//   covered  evenly over the space that routes cover
//   prefix   in a random prefix, each as likely as any
//   zipf     of a million flows made like `prefix`, the first most often (s = 1)
//   all      evenly over the whole space
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "fib/table_route.hh"

namespace rackway::bench {

inline constexpr std::size_t kAddresses = 1 << 20;
inline constexpr std::array<std::string_view, 4> kPatterns{"covered", "prefix", "zipf", "all"};
inline constexpr std::size_t kPrefixPattern = 1;

template <class Address>
using AddressPatterns = std::array<std::vector<Address>, kPatterns.size()>;

// Routes are sorted and without default route.
template <class Address>
[[nodiscard]] AddressPatterns<Address> address_patterns(std::span<const fib::TableRoute> routes);

extern template AddressPatterns<Ipv4Address> address_patterns(std::span<const fib::TableRoute>);
extern template AddressPatterns<Ipv6Address> address_patterns(std::span<const fib::TableRoute>);

}  // namespace rackway::bench
