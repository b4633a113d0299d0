// SPDX-License-Identifier: Apache-2.0
// The IPv4 routes of a FIB and longest-prefix match over them. set() and remove() change the routes
// and note which parts of the lookup structure follow from them; refresh() makes those anew, each
// once however many of its routes changed. Between a change and refresh() a lookup may give the old
// answer or the new one: routes up to /18 are painted at once.
//
// What a slot of 2^14 addresses shows is made of two things: its "outer" next hop, of the longest
// route up to /18 that covers it, and the longer routes in it. So a route up to /18 costs its slots
// one small write each, a longer one costs one slot, and one longer than /24 the cells of its /24.
// The default route stands for kIpv4Default and is in no slot.
// One writer while nobody reads; reading is const and safe from any number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "fib/hash_map.hh"
#include "fib/ipv4_lookup.hh"
#include "fib/ipv4_routes.hh"
#include "fib/reserved_memory.hh"
#include "fib/table_route.hh"

namespace rackway::fib {

class Ipv4Table {
 public:
  using Address = Ipv4Address;
  static constexpr NextHopId kDefault = kIpv4Default;

  Ipv4Table() : slots_(kSlots * sizeof(Slot)) { (void)slots_.extend(kSlots * sizeof(Slot)); }

  // Both return the next hop that the prefix had before. The prefix is of this family and its host
  // bits are clear; the next hop is kFirstNextHop or more.
  std::optional<NextHopId> set(const IpPrefix& prefix, NextHopId next_hop);
  std::optional<NextHopId> remove(const IpPrefix& prefix);
  void refresh();

  // The next hop of the longest route that covers the address, kDefault if only the default route
  // does or none.
  [[nodiscard]] NextHopId lookup(Ipv4Address address) const noexcept {
    return std::visit([&](const auto& lookup) { return lookup.lookup(address); }, lookup_);
  }
  // out[i] = lookup(addresses[i]), with the misses of a burst overlapped. Sizes are equal.
  void lookup(std::span<const Ipv4Address> addresses, std::span<NextHopId> out) const noexcept;

  [[nodiscard]] std::optional<NextHopId> find(const IpPrefix& prefix) const;
  // The longest route that covers the address, also the default route.
  [[nodiscard]] std::optional<TableRoute> longest_match(Ipv4Address address) const;

  // Every route that covers the prefix, its own among them, longest first.
  [[nodiscard]] std::vector<TableRoute> covering(const IpPrefix& prefix) const;

  [[nodiscard]] std::size_t size() const { return routes_.size(); }
  // visit(TableRoute) for every route, in order of prefix.
  template <class Visit>
  void for_each(Visit visit) const {
    routes_.for_each([&](std::uint32_t address, unsigned length, NextHopId next_hop) {
      visit(TableRoute{{Ipv4Address{address}, static_cast<std::uint8_t>(length)}, next_hop});
    });
  }
  // The same for at most that many routes behind the prefix; from the first on if there is none.
  template <class Visit>
  void visit_after(const std::optional<IpPrefix>& last, std::size_t most, Visit visit) const {
    std::optional<Ipv4Routes::Place> place;
    if (last) place = {last->address.v4().value, last->length};
    routes_.visit_after(place, most, [&](std::uint32_t address, unsigned length, NextHopId id) {
      visit(TableRoute{{Ipv4Address{address}, static_cast<std::uint8_t>(length)}, id});
    });
  }

  // Octets of what lookups read, and of what only changes need.
  [[nodiscard]] std::size_t lookup_bytes() const;
  [[nodiscard]] std::size_t update_bytes() const;

 private:
  static constexpr unsigned kSlotLength = Ipv4Lookup<std::uint8_t>::kRootBits;
  static constexpr std::uint32_t kSlots = Ipv4Lookup<std::uint8_t>::kSlots;
  static constexpr unsigned kCellLength = 24;

  // Zero says: shows the default.
  struct Slot {
    std::uint64_t inner_runs;  // runs of its block that show something else than the outer next hop
    std::uint64_t deep;        // cells with routes longer than /24
    NextHopId outer;
    std::uint8_t outer_length;
    bool changed;
  };
  struct Deep {
    NextHopId outer;
    bool changed;
  };

  [[nodiscard]] Slot& slot_at(std::uint32_t slot) {
    return reinterpret_cast<Slot*>(slots_.data())[slot];
  }

  void note_change(std::uint32_t address, unsigned length, NextHopId next_hop, bool removed);
  void note_slot(std::uint32_t slot);
  void note_deep(std::uint32_t high24);
  void paint_outer(std::uint32_t address, unsigned length, NextHopId next_hop, bool removed);
  void show_outer(std::uint32_t slot);
  [[nodiscard]] std::optional<TableRoute> covering_route(std::uint32_t address, unsigned length,
                                                         unsigned shortest) const;

  void make_slot(std::uint32_t slot);
  void make_deep(std::uint32_t high24, NextHopId outer);
  void widen();

  Ipv4Routes routes_;
  ReservedMemory slots_;
  HashMap<std::uint32_t, Deep> deep_;  // /24s with longer routes, by upper 24 bits
  std::vector<std::uint32_t> changed_slots_, changed_deep_;
  std::uint32_t greatest_next_hop_ = 0;
  std::variant<Ipv4Lookup<std::uint8_t>, Ipv4Lookup<std::uint16_t>, Ipv4Lookup<std::uint32_t>>
      lookup_;
};

}  // namespace rackway::fib
