// SPDX-License-Identifier: Apache-2.0
// A block's use count is the number of routes whose leaves begin in it plus its child blocks. At 0
// nothing in it differs from what surrounds it, so its first entry stands for all of it.
#include "fib/prefix_table.hh"

#include <algorithm>
#include <cassert>

namespace rackway::fib {
namespace {

template <class Address>
Address typed(const IpAddress& address) {
  if constexpr (Address::kBits == 32) {
    return address.v4();
  } else {
    return address.v6();
  }
}

}  // namespace

template <class Address>
std::optional<GroupId> PrefixTable<Address>::set(const Route& route) {
  const auto before = record(route);
  const unsigned length = route.prefix.length;
  const auto address = typed<Address>(route.prefix.address);
  const Brush brush{0, length + 1, leaf(length + 1, route.group)};
  if (length <= kRootBits) {
    paint_root(address, length, brush);
    return before;
  }
  const Path path = path_to(address, length);
  const auto& last = path.steps[path.size - 1];
  if (!before) ++blocks_.uses(last.block);
  paint(last.block, last.index, path.span, brush);
  return before;
}

template <class Address>
std::optional<GroupId> PrefixTable<Address>::record(const Route& route) {
  const auto [at, is_new] = routes_.insert(route);
  if (is_new) {
    ++routes_of_length_[route.prefix.length];
    return std::nullopt;
  }
  const GroupId before = at->group;
  auto node = routes_.extract(at);
  node.value().group = route.group;
  routes_.insert(std::move(node));
  return before;
}

template <class Address>
std::optional<GroupId> PrefixTable<Address>::remove(const IpPrefix& prefix) {
  const auto known = routes_.find(prefix);
  if (known == routes_.end()) return std::nullopt;
  const Route gone = *known;  // `prefix` may be part of the node
  routes_.erase(known);
  const unsigned length = gone.prefix.length;
  --routes_of_length_[length];
  const auto address = typed<Address>(gone.prefix.address);
  const Brush brush{length + 1, length + 1, leaf_behind(gone.prefix)};
  if (length <= kRootBits) {
    paint_root(address, length, brush);
    return gone.group;
  }
  const Path path = path_to(address, length);
  const auto& last = path.steps[path.size - 1];
  paint(last.block, last.index, path.span, brush);
  --blocks_.uses(last.block);
  prune(address, path);
  return gone.group;
}

template <class Address>
const Route* PrefixTable<Address>::find(const IpPrefix& prefix) const {
  const auto known = routes_.find(prefix);
  return known == routes_.end() ? nullptr : &*known;
}

template <class Address>
const Route* PrefixTable<Address>::longest_match(const Address& address) const {
  const unsigned rank = rank_of(covering_leaf(address));
  if (rank == 0) return nullptr;
  return find(IpPrefix::covering(address, static_cast<std::uint8_t>(rank - 1)));
}

template <class Address>
void PrefixTable<Address>::lookup(std::span<const Address> addresses,
                                  std::span<GroupId> out) const noexcept {
  assert(addresses.size() == out.size());
  for (std::size_t done = 0; done < addresses.size(); done += kBurst) {
    const std::size_t count = std::min(kBurst, addresses.size() - done);
    lookup_burst(addresses.data() + done, count, out.data() + done);
  }
}

// Level by level: while one address's entry is on its way from memory, the others are served.
template <class Address>
void PrefixTable<Address>::lookup_burst(const Address* addresses, std::size_t count,
                                        GroupId* out) const noexcept {
  std::array<Entry, kBurst> child;
  std::array<std::uint8_t, kBurst> waiting;
  std::size_t left = 0;
  for (std::size_t i = 0; i < count; ++i) __builtin_prefetch(&root_[root_index(addresses[i])]);
  for (std::size_t i = 0; i < count; ++i) {
    const Slot& slot = root_[root_index(addresses[i])];
    out[i] = group_of(slot.leaf);
    if (slot.below == kInherit) continue;
    prefetch(slot.below, addresses[i], kRootBits);
    child[i] = slot.below;
    waiting[left++] = static_cast<std::uint8_t>(i);
  }
  for (unsigned depth = kRootBits; left > 0; depth += kStride) {
    std::size_t still = 0;
    for (std::size_t w = 0; w < left; ++w) {
      const std::size_t i = waiting[w];
      const Entry e = blocks_.entries(child_of(child[i]))[step_index(addresses[i], depth)];
      if (is_child(e)) {
        prefetch(e, addresses[i], depth + kStride);
        child[i] = e;
        waiting[still++] = static_cast<std::uint8_t>(i);
      } else if (e != kInherit) {
        out[i] = group_of(e);
      }
    }
    left = still;
  }
}

// Opens what is missing on the way: a fresh block says everywhere what its entry said.
template <class Address>
auto PrefixTable<Address>::path_to(const Address& address, unsigned length) -> Path {
  Path path;
  unsigned depth = kRootBits;
  std::uint32_t block = open(root_[root_index(address)].below);
  for (; length > depth + kStride; depth += kStride) {
    const unsigned index = step_index(address, depth);
    path.steps[path.size++] = {block, index};
    block = open(block, index);
  }
  path.steps[path.size++] = {block, step_index(address, depth)};
  path.span = 1u << (depth + kStride - length);
  return path;
}

template <class Address>
std::uint32_t PrefixTable<Address>::open(Entry& at_root) {
  if (!is_child(at_root)) at_root = kChildFlag | blocks_.take(at_root);
  return child_of(at_root);
}

template <class Address>
std::uint32_t PrefixTable<Address>::open(std::uint32_t block, unsigned index) {
  const Entry e = blocks_.entries(block)[index];
  if (is_child(e)) return child_of(e);
  const std::uint32_t fresh = blocks_.take(e);
  blocks_.entries(block)[index] = kChildFlag | fresh;
  ++blocks_.uses(block);
  return fresh;
}

template <class Address>
void PrefixTable<Address>::paint_root(const Address& address, unsigned length, const Brush& brush) {
  const std::size_t first = root_index(address);
  const std::size_t count = std::size_t{1} << (kRootBits - length);
  for (std::size_t i = first; i < first + count; ++i) brush.touch(root_[i].leaf);
}

template <class Address>
void PrefixTable<Address>::paint(std::uint32_t block, unsigned first, unsigned count,
                                 const Brush& brush) {
  Entry* entries = blocks_.entries(block);
  for (unsigned i = first; i < first + count; ++i) {
    if (is_child(entries[i])) {
      paint(child_of(entries[i]), 0, kFanout, brush);
    } else {
      brush.touch(entries[i]);
    }
  }
}

// Gives back the blocks of the path, lowest first, that nothing uses any more.
template <class Address>
void PrefixTable<Address>::prune(const Address& address, const Path& path) {
  for (std::size_t i = path.size; i-- > 0;) {
    const std::uint32_t block = path.steps[i].block;
    if (blocks_.uses(block) != 0) return;
    const Entry remains = blocks_.entries(block)[0];
    if (i == 0) {
      assert(remains == kInherit);
      root_[root_index(address)].below = remains;
    } else {
      const auto& above = path.steps[i - 1];
      blocks_.entries(above.block)[above.index] = remains;
      --blocks_.uses(above.block);
    }
    blocks_.give_back(block);
  }
}

// What shows where a route has gone: the leaf of the longest route above it.
template <class Address>
auto PrefixTable<Address>::leaf_behind(const IpPrefix& prefix) const -> Entry {
  const bool in_root = prefix.length <= kRootBits;
  const unsigned shortest = in_root ? 0 : kRootBits + 1;
  for (unsigned length = prefix.length; length-- > shortest;) {
    if (routes_of_length_[length] == 0) continue;
    const auto above = IpPrefix::covering(prefix.address, static_cast<std::uint8_t>(length));
    if (const Route* route = find(above)) return leaf(length + 1, route->group);
  }
  return in_root ? leaf(0, kNoRoute) : kInherit;
}

template class PrefixTable<Ipv4Address>;
template class PrefixTable<Ipv6Address>;

}  // namespace rackway::fib
