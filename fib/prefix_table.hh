// SPDX-License-Identifier: Apache-2.0
// Routes of one family and longest-prefix match over them: a root of 2^16 slots, below it blocks of
// 16 entries (one cache line) for each further 4 bits. Inside a slot the routes longer than /16 are
// pushed to the leaves; routes up to /16 stand in the slots alone, and a leaf that no longer route
// covers says so ("inherit"). Hence a change up to /16 writes at most 2^16 slots however many
// routes lie below it, and a longer one stays within its slot. Every leaf knows the length of its
// route, so that removal repaints exactly what was the route's. One writer while nobody reads;
// reading is const and safe from any number of threads.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "base/byte_order.hh"
#include "fib/block_arena.hh"
#include "fib/records.hh"

namespace rackway::fib {

template <class Address>
class PrefixTable {
 public:
  static constexpr unsigned kBits = Address::kBits;
  static constexpr GroupId kNoRoute{kMaxGroups};

  PrefixTable() : root_(kRootSlots, Slot{leaf(0, kNoRoute), kInherit}) {}

  // Both return the group that the prefix had before, if it was there.
  // Adds the route, or gives its prefix another group. The prefix is of this family, its length in
  // range, its host bits clear, the group below kMaxGroups.
  std::optional<GroupId> set(const Route& route);
  // Removes the route of exactly this prefix, if there is one.
  std::optional<GroupId> remove(const IpPrefix& prefix);

  // The group of the longest route that covers the address, else kNoRoute.
  [[nodiscard]] GroupId lookup(const Address& address) const noexcept {
    return group_of(covering_leaf(address));
  }
  // out[i] = lookup(addresses[i]), with the misses of a burst overlapped. Sizes are equal.
  void lookup(std::span<const Address> addresses, std::span<GroupId> out) const noexcept;

  // Null if there is none. Valid until the next change.
  [[nodiscard]] const Route* find(const IpPrefix& prefix) const;
  [[nodiscard]] const Route* longest_match(const Address& address) const;

  // Every route, in no order.
  [[nodiscard]] auto begin() const { return routes_.begin(); }
  [[nodiscard]] auto end() const { return routes_.end(); }
  [[nodiscard]] std::size_t size() const { return routes_.size(); }
  // Blocks that the trie holds; 0 when no route is longer than /16.
  [[nodiscard]] std::size_t blocks_in_use() const { return blocks_.in_use(); }
  // Octets of the lookup structure, without the routes themselves.
  [[nodiscard]] std::size_t lookup_bytes() const {
    return root_.capacity() * sizeof(Slot) + blocks_.bytes();
  }

 private:
  static constexpr unsigned kRootBits = 16;
  static constexpr std::size_t kRootSlots = std::size_t{1} << kRootBits;
  static constexpr unsigned kStride = 4;  // 16 entries, one cache line
  static constexpr unsigned kFanout = 1u << kStride;
  static constexpr std::size_t kMaxDepth = (kBits - kRootBits) / kStride;
  static constexpr std::size_t kBurst = 64;

  // An entry is a child (bit 31 set, block index below it) or a leaf: rank << 21 | group. The rank
  // is the route's length + 1; rank 0 is no route, in the root with kNoRoute, below it kInherit.
  using Entry = std::uint32_t;
  static constexpr Entry kChildFlag = 1u << 31;
  static constexpr unsigned kGroupBits = 21;
  static constexpr Entry kInherit = 0;
  static_assert(kMaxGroups < (1u << kGroupBits) && kBits + 1 < (1u << (31 - kGroupBits)));

  static constexpr bool is_child(Entry e) { return (e & kChildFlag) != 0; }
  static constexpr std::uint32_t child_of(Entry e) { return e & ~kChildFlag; }
  static constexpr Entry leaf(unsigned rank, GroupId g) { return rank << kGroupBits | g.value; }
  static constexpr unsigned rank_of(Entry e) { return e >> kGroupBits; }
  static constexpr GroupId group_of(Entry e) { return {e & ((1u << kGroupBits) - 1)}; }

  struct Slot {
    Entry leaf;   // of the longest route up to /16, never a child
    Entry below;  // a child, or kInherit if no longer route lies in this slot
  };

  // Repaints leaves whose rank is in [lowest, highest].
  struct Brush {
    unsigned lowest;
    unsigned highest;
    Entry leaf;
    void touch(Entry& e) const {
      const unsigned rank = rank_of(e);
      if (rank >= lowest && rank <= highest) e = leaf;
    }
  };

  // Blocks from the slot down to a route's own, and in each the entry that leads on (in the last:
  // the first entry that the route covers).
  struct Path {
    struct Step {
      std::uint32_t block;
      unsigned index;
    };
    std::array<Step, kMaxDepth> steps;
    std::size_t size = 0;
    unsigned span = 0;  // entries that the route covers in the last block
  };

  struct ByPrefix {
    using is_transparent = void;
    static const IpPrefix& key(const Route& r) { return r.prefix; }
    static const IpPrefix& key(const IpPrefix& p) { return p; }
    std::size_t operator()(const auto& r) const { return std::hash<IpPrefix>{}(key(r)); }
    bool operator()(const auto& a, const auto& b) const { return key(a) == key(b); }
  };

  static unsigned root_index(const Address& address) noexcept {
    if constexpr (kBits == 32) {
      return address.value >> 16;
    } else {
      return load_be<std::uint16_t>(address.bytes.data());
    }
  }
  // The kStride bits that follow the first `depth` bits.
  static unsigned step_index(const Address& address, unsigned depth) noexcept {
    if constexpr (kBits == 32) {
      return address.value << depth >> (32 - kStride);
    } else {
      static_assert(8 % kStride == 0);
      return address.bytes[depth / 8] >> (8 - kStride - depth % 8) & (kFanout - 1);
    }
  }

  Entry covering_leaf(const Address& address) const noexcept {
    const Slot& slot = root_[root_index(address)];
    Entry e = slot.below;
    for (unsigned depth = kRootBits; is_child(e); depth += kStride) {
      e = blocks_.entries(child_of(e))[step_index(address, depth)];
    }
    return e == kInherit ? slot.leaf : e;
  }

  void lookup_burst(const Address* addresses, std::size_t count, GroupId* out) const noexcept;
  void prefetch(Entry child, const Address& address, unsigned depth) const noexcept {
    __builtin_prefetch(blocks_.entries(child_of(child)) + step_index(address, depth));
  }

  [[nodiscard]] std::optional<GroupId> record(const Route& route);
  [[nodiscard]] Path path_to(const Address& address, unsigned length);
  [[nodiscard]] std::uint32_t open(Entry& at_root);
  [[nodiscard]] std::uint32_t open(std::uint32_t block, unsigned index);
  void paint_root(const Address& address, unsigned length, const Brush& brush);
  void paint(std::uint32_t block, unsigned first, unsigned count, const Brush& brush);
  void prune(const Address& address, const Path& path);
  [[nodiscard]] Entry leaf_behind(const IpPrefix& prefix) const;

  std::vector<Slot> root_;
  BlockArena<kFanout> blocks_;
  std::unordered_set<Route, ByPrefix, ByPrefix> routes_;
  std::array<std::uint32_t, kBits + 1> routes_of_length_{};
};

extern template class PrefixTable<Ipv4Address>;
extern template class PrefixTable<Ipv6Address>;

}  // namespace rackway::fib
