// SPDX-License-Identifier: Apache-2.0
#include "fib/ipv4_lookup.hh"

#include <algorithm>

namespace rackway::fib {

template <class Leaf>
void Ipv4Lookup<Leaf>::lookup(const Ipv4Address* addresses, std::size_t count,
                              NextHopId* out) const noexcept {
  for (std::size_t done = 0; done < count; done += kBurst) {
    lookup_burst(addresses + done, std::min(kBurst, count - done), out + done);
  }
}

// In passes over the burst, so that the cache misses of one pass overlap: the root, the blocks, and
// what is left of the marked cells.
template <class Leaf>
void Ipv4Lookup<Leaf>::lookup_burst(const Ipv4Address* addresses, std::size_t count,
                                    NextHopId* out) const noexcept {
  std::array<Ref, kBurst> blocks;
  const Ref* const refs = arena_.refs();
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; ++i) {
    blocks[i] = refs[addresses[i].value >> (32 - kRootBits)];
    __builtin_prefetch(arena_.at(blocks[i]));
  }
#pragma GCC unroll 4
  for (std::size_t i = 0; i < count; ++i) {
    out[i].value = Arena::leaf(arena_.at(blocks[i]), addresses[i].value >> 8 & (kCells - 1));
  }
  std::uint32_t marked = 0;
  for (std::size_t i = 0; i < count; ++i) marked |= out[i].value == kDeep ? 1 : 0;
  if (marked == 0) [[likely]]
    return;
  for (std::size_t i = 0; i < count; ++i) {
    if (out[i].value == kDeep) out[i] = lookup_deep(addresses[i]);
  }
}

template <class Leaf>
NextHopId Ipv4Lookup<Leaf>::lookup_deep(Ipv4Address address) const noexcept {
  const Deep& blocks = deep_.find(address.value >> 8)->second;
  const std::byte* block = arena_.at(blocks[address.value >> 6 & (kDeepBlocks - 1)]);
  return {Arena::leaf(block, address.value & (kCells - 1))};
}

template <class Leaf>
std::uint64_t Ipv4Lookup<Leaf>::set_slot(std::uint32_t slot, const CellRun& cells) {
  Ref& ref = arena_.refs()[slot];
  const auto placed = arena_.replace(ref, cells);
  ref = placed.ref;
  return placed.inner_runs;
}

template <class Leaf>
std::uint64_t Ipv4Lookup<Leaf>::set_deep(std::uint32_t high24, unsigned block,
                                         const CellRun& cells) {
  Ref& ref = deep_[high24][block];
  const auto placed = arena_.replace(ref, cells);
  ref = placed.ref;
  return placed.inner_runs;
}

template <class Leaf>
void Ipv4Lookup<Leaf>::remove_deep(std::uint32_t high24) {
  const auto known = deep_.find(high24);
  if (known == deep_.end()) return;
  for (const Ref ref : known->second) arena_.give_back(ref);
  deep_.erase(known);
  if (deep_.empty()) deep_ = {};
}

template class Ipv4Lookup<std::uint8_t>;
template class Ipv4Lookup<std::uint16_t>;
template class Ipv4Lookup<std::uint32_t>;

}  // namespace rackway::fib
