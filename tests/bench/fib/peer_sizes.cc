// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/fib/peer_sizes.hh"

#include <algorithm>
#include <set>
#include <vector>

namespace rackway::bench {
namespace {

constexpr std::uint8_t kFirstLevel = 24;  // bits of the first table

std::uint8_t octets_down(std::uint8_t length) {
  return static_cast<std::uint8_t>(length / 8 * 8);
}
std::uint8_t octets_up(std::uint8_t length) {
  return static_cast<std::uint8_t>((length + 7) / 8 * 8);
}

}  // namespace

std::uint32_t tbl8_groups(std::span<const fib::TableRoute> routes) {
  std::set<IpPrefix> groups;
  for (const auto& [prefix, next_hop] : routes) {
    for (std::uint8_t level = kFirstLevel; level < prefix.length; level += 8) {
      groups.insert(IpPrefix::covering(prefix.address, level));
    }
  }
  return std::max<std::uint32_t>(1, static_cast<std::uint32_t>(groups.size()));
}

std::uint32_t trie_tbl8_groups(std::span<const fib::TableRoute> routes) {
  std::uint32_t groups = 1;
  std::vector<IpPrefix> open;  // that cover the route at hand, shorter ones first
  const IpPrefix* before = nullptr;
  for (const auto& [prefix, next_hop] : routes) {
    while (!open.empty() && !open.back().covers(prefix.address)) open.pop_back();
    const auto place = IpPrefix::covering(prefix.address, octets_down(prefix.length));
    const bool shared =
        before != nullptr && before->length >= place.length && place.covers(before->address);
    if (prefix.length > kFirstLevel && !shared) {
      const std::uint8_t from =
          open.empty() ? kFirstLevel : std::max(kFirstLevel, open.back().length);
      groups += (octets_up(prefix.length) - octets_up(from)) / 8;
    }
    open.push_back(prefix);
    before = &prefix;
  }
  return groups;
}

}  // namespace rackway::bench
