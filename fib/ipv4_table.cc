// SPDX-License-Identifier: Apache-2.0
#include "fib/ipv4_table.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

namespace rackway::fib {
namespace {

template <class Lookup>
bool holds(const Lookup&, std::uint32_t next_hop) {
  return next_hop < Lookup::kDeep;
}

}  // namespace

std::optional<NextHopId> Ipv4Table::set(const IpPrefix& prefix, NextHopId next_hop) {
  const std::uint32_t address = prefix.address.v4().value;
  const auto before = routes_.set(address, prefix.length, next_hop);
  greatest_next_hop_ = std::max(greatest_next_hop_, next_hop.value);
  if (before != next_hop) note_change(address, prefix.length, next_hop, false);
  return before;
}

std::optional<NextHopId> Ipv4Table::remove(const IpPrefix& prefix) {
  const std::uint32_t address = prefix.address.v4().value;
  const auto before = routes_.remove(address, prefix.length);
  if (before) note_change(address, prefix.length, {}, true);
  return before;
}

void Ipv4Table::lookup(std::span<const Ipv4Address> addresses,
                       std::span<NextHopId> out) const noexcept {
  assert(addresses.size() == out.size());
  std::visit([&](const auto& lookup) { lookup.lookup(addresses.data(), out.size(), out.data()); },
             lookup_);
}

std::optional<NextHopId> Ipv4Table::find(const IpPrefix& prefix) const {
  return routes_.find(prefix.address.v4().value, prefix.length);
}

std::optional<TableRoute> Ipv4Table::longest_match(Ipv4Address address) const {
  return covering_route(address.value, Address::kBits, 0);
}

std::vector<TableRoute> Ipv4Table::covering(const IpPrefix& prefix) const {
  std::vector<TableRoute> routes;
  const std::uint32_t address = prefix.address.v4().value;
  auto next = covering_route(address, prefix.length, 0);
  while (next) {
    routes.push_back(*next);
    const unsigned length = next->prefix.length;
    next = length == 0 ? std::nullopt : covering_route(address, length - 1, 0);
  }
  return routes;
}

// The longest of `shortest` to `length` bits that covers the address.
std::optional<TableRoute> Ipv4Table::covering_route(std::uint32_t address, unsigned length,
                                                    unsigned shortest) const {
  for (unsigned bits = length + 1; bits-- > shortest;) {
    const auto prefix = IpPrefix::covering(Ipv4Address{address}, static_cast<std::uint8_t>(bits));
    if (const auto next_hop = find(prefix)) return TableRoute{prefix, *next_hop};
  }
  return std::nullopt;
}

// ---- what follows from a change

void Ipv4Table::note_change(std::uint32_t address, unsigned length, NextHopId next_hop,
                            bool removed) {
  if (length == 0) return;
  if (length <= kSlotLength) return paint_outer(address, length, next_hop, removed);
  const std::uint32_t high24 = address >> (32 - kCellLength);
  // A cell that had longer routes and still has may stay as it is.
  if (length > kCellLength && deep_.contains(high24) &&
      !routes_.below(high24 << (32 - kCellLength), kCellLength).empty()) {
    return note_deep(high24);
  }
  note_slot(address >> (32 - kSlotLength));
}

void Ipv4Table::note_slot(std::uint32_t slot) {
  Slot& at = slot_at(slot);
  if (at.changed) return;
  at.changed = true;
  changed_slots_.push_back(slot);
}

void Ipv4Table::note_deep(std::uint32_t high24) {
  Deep& deep = deep_.at(high24);
  if (deep.changed) return;
  deep.changed = true;
  changed_deep_.push_back(high24);
}

// Where nothing longer up to /18 stands before it.
void Ipv4Table::paint_outer(std::uint32_t address, unsigned length, NextHopId next_hop,
                            bool removed) {
  TableRoute shown{{Ipv4Address{address}, static_cast<std::uint8_t>(length)}, next_hop};
  if (removed) {
    shown =
        covering_route(address, length - 1, 1).value_or(TableRoute{{Ipv4Address{}, 0}, kDefault});
  }
  const std::uint32_t first = address >> (32 - kSlotLength);
  const std::uint32_t count = std::uint32_t{1} << (kSlotLength - length);
  for (std::uint32_t slot = first; slot < first + count; ++slot) {
    Slot& at = slot_at(slot);
    if (at.outer_length > length) continue;
    at.outer = shown.next_hop;
    at.outer_length = shown.prefix.length;
    show_outer(slot);
  }
}

// Cells with longer routes below them have the outer next hop in more than one place.
void Ipv4Table::show_outer(std::uint32_t slot) {
  const Slot& at = slot_at(slot);
  if (at.changed) return;
  std::visit(
      [&](auto& lookup) {
        if (at.deep != 0 || !holds(lookup, at.outer.value)) return note_slot(slot);
        lookup.repaint_slot(slot, at.inner_runs, at.outer);
      },
      lookup_);
}

// ---- the lookup structure

void Ipv4Table::refresh() {
  const bool fits =
      std::visit([&](const auto& lookup) { return holds(lookup, greatest_next_hop_); }, lookup_);
  if (!fits) widen();
  for (const std::uint32_t slot : changed_slots_) make_slot(slot);
  for (const std::uint32_t high24 : changed_deep_) {
    const auto deep = deep_.find(high24);
    if (deep != deep_.end() && deep->second.changed) make_deep(high24, deep->second.outer);
  }
  changed_slots_.clear();
  changed_deep_.clear();
  if (routes_.size() == 0) *this = Ipv4Table();
}

// All is made anew with wider leaves.
void Ipv4Table::widen() {
  if (greatest_next_hop_ < Ipv4Lookup<std::uint16_t>::kDeep) {
    lookup_.emplace<Ipv4Lookup<std::uint16_t>>();
  } else {
    lookup_.emplace<Ipv4Lookup<std::uint32_t>>();
  }
  deep_.clear();
  for (std::uint32_t slot = 0; slot < kSlots; ++slot) {
    const std::uint32_t address = slot << (32 - kSlotLength);
    if (slot_at(slot).outer != kDefault || !routes_.below(address, kSlotLength).empty()) {
      note_slot(slot);
    }
  }
}

void Ipv4Table::make_slot(std::uint32_t slot) {
  const std::uint32_t address = slot << (32 - kSlotLength);
  CellRun cells(slot_at(slot).outer);
  std::uint64_t deep = 0;
  for (const auto& route : routes_.below(address, kSlotLength)) {
    const unsigned cell = route.low() >> (32 - kCellLength) & (kCells - 1);
    if (route.length() > kCellLength) {
      deep |= std::uint64_t{1} << cell;
    } else {
      cells.paint(cell, 1u << (kCellLength - route.length()), route.next_hop.value);
    }
  }
  const std::uint32_t high24 = address >> (32 - kCellLength);
  std::visit(
      [&](auto& lookup) {
        for (std::uint64_t gone = slot_at(slot).deep & ~deep; gone != 0; gone &= gone - 1) {
          const std::uint32_t key = high24 + static_cast<std::uint32_t>(std::countr_zero(gone));
          lookup.remove_deep(key);
          deep_.erase(key);
        }
        for (std::uint64_t rest = deep; rest != 0; rest &= rest - 1) {
          const auto cell = static_cast<unsigned>(std::countr_zero(rest));
          make_deep(high24 + cell, NextHopId{cells.at(cell)});
          cells.paint(cell, 1, lookup.kDeep);
        }
        slot_at(slot).inner_runs = lookup.set_slot(slot, cells);
      },
      lookup_);
  slot_at(slot).deep = deep;
  slot_at(slot).changed = false;
}

void Ipv4Table::make_deep(std::uint32_t high24, NextHopId outer) {
  using Blocks = std::array<CellRun, Ipv4Lookup<std::uint8_t>::kDeepBlocks>;
  Blocks blocks{CellRun(outer), CellRun(outer), CellRun(outer), CellRun(outer)};
  for (const auto& route : routes_.below(high24 << (32 - kCellLength), kCellLength)) {
    const unsigned first = route.low() & 0xff;
    const unsigned count = 1u << (32 - route.length());
    for (unsigned done = 0; done < count; done += kCells) {
      blocks[(first + done) / kCells].paint((first + done) % kCells, std::min(count, kCells),
                                            route.next_hop.value);
    }
  }
  std::visit(
      [&](auto& lookup) {
        for (unsigned i = 0; i < blocks.size(); ++i) (void)lookup.set_deep(high24, i, blocks[i]);
      },
      lookup_);
  deep_[high24] = {outer, false};
}

// ---- figures

std::size_t Ipv4Table::lookup_bytes() const {
  return std::visit([](const auto& lookup) { return lookup.bytes(); }, lookup_);
}

std::size_t Ipv4Table::update_bytes() const {
  return routes_.bytes() + slots_.used() +
         deep_.capacity() * (sizeof(std::uint32_t) + sizeof(Deep));
}

}  // namespace rackway::fib
