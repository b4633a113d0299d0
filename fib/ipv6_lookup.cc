// SPDX-License-Identifier: Apache-2.0
#include "fib/ipv6_lookup.hh"

#include <algorithm>
#include <cassert>
#include <limits>

#include "fib/ipv6_walk.hh"
#include "fib/processor.hh"

namespace rackway::fib {
namespace {

constexpr unsigned kNetworkStride = 8;  // of the table behind the root

unsigned log_width_for(std::uint32_t bound) {
  const std::uint32_t greatest = bound - 1;
  if (greatest <= std::numeric_limits<std::uint8_t>::max()) return 0;
  return greatest <= std::numeric_limits<std::uint16_t>::max() ? 1 : 2;
}

#if defined(__x86_64__) && defined(__AVX2__)
using Simplest = Avx2;  // of what the library is compiled for
#else
using Simplest = Scalar;
#endif

}  // namespace

Ipv6Lookup::Ipv6Lookup(VectorUnit unit)
    : lookup_burst_(burst_for(unit)), nodes_(2 * kIpv6Roots * sizeof(Ipv6Cell)) {
  std::fill_n(nodes_.front(), 2 * kIpv6Roots, kIpv6Default.value);
}

NextHopId Ipv6Lookup::lookup(const Ipv6Address& address) const noexcept {
  const Ipv6View at = view();
  const std::size_t high16 = load_be<std::uint16_t>(address.bytes.data());
  Ipv6Cell cell = root_cells(at.base)[high16];
  if (is_node(cell)) {
    cell = walk<Simplest>(at, cell, address);
    if (cell == 0) cell = root_next_hops(at.base)[high16];
  }
  return NextHopId{cell};
}

void Ipv6Lookup::lookup(const Ipv6Address* addresses, std::size_t count,
                        NextHopId* out) const noexcept {
  const Ipv6View at = view();
  for (std::size_t done = 0; done < count; done += kIpv6Burst) {
    lookup_burst_(at, addresses + done, std::min(kIpv6Burst, count - done), out + done);
  }
}

VectorUnit widest_vector_unit() {
#if defined(__x86_64__)
  if (runs_avx512()) return VectorUnit::avx512;
  if (__builtin_cpu_supports("avx2") != 0) return VectorUnit::avx2;
#endif
  return VectorUnit::none;
}

auto Ipv6Lookup::burst_for(VectorUnit unit) -> LookupBurst {
#if defined(__x86_64__)
  if (unit == VectorUnit::avx512) return lookup_ipv6_avx512;
  if (unit == VectorUnit::avx2) return lookup_ipv6_avx2;
#endif
  return unit == VectorUnit::none ? lookup_ipv6_scalar : burst_for(VectorUnit::none);
}

// ---- the root

bool Ipv6Lookup::too_narrow(std::uint32_t bound) const {
  return log_width_for(bound) > nodes_.log_width();
}

void Ipv6Lookup::widen(std::uint32_t bound) {
  for (std::uint32_t high16 = 0; high16 < kIpv6Roots; ++high16) remove_network(high16);
  nodes_.set_log_width(log_width_for(bound));
}

void Ipv6Lookup::set_root(std::uint32_t high16, NextHopId next_hop) {
  root_shown(high16) = next_hop.value;
  if (!has_network(high16)) root_cell(high16) = next_hop.value;
}

bool Ipv6Lookup::has_network(std::uint32_t high16) const {
  return is_node(root_cells(nodes_.base())[high16]);
}

void Ipv6Lookup::make_network(std::uint32_t high16, Intervals intervals) {
  const Ipv6Key place{Ipv6Number{high16} << (128 - kFirstBase), kFirstBase};
  remove_network(high16);
  root_cell(high16) = nodes_.make_table({place, kFirstBase}, kNetworkStride, intervals(place));
}

void Ipv6Lookup::remove_network(std::uint32_t high16) {
  nodes_.give_back(root_cell(high16));
  root_cell(high16) = root_shown(high16);
}

// ---- changes below the root

// A cell and what it is for; the table that it is in, if it is in one.
struct Ipv6Lookup::Place {
  Ipv6Cell* cell;
  Ipv6Region region;
  Ipv6Region table{};
  std::span<Ipv6Cell> siblings{};
};

auto Ipv6Lookup::network_of(const Ipv6Key& key) -> Place {
  return {&root_cell(key.bits(0, kFirstBase)), {key.covering(kFirstBase), kFirstBase}};
}

auto Ipv6Lookup::cell_in_table(const Place& table, std::uint32_t index) -> Place {
  const auto cells = nodes_.table_cells(*table.cell);
  return {&cells[index], table.region.part(stride_of(*table.cell), index), table.region, cells};
}

// One node further if all that follows from the key is behind one of its cells, and not in a leaf.
bool Ipv6Lookup::step_into(Place& place, const Ipv6Key& key) {
  const Ipv6Cell cell = *place.cell;
  const Ipv6Region& region = place.region;
  if (is_table(cell)) {
    const unsigned stride = stride_of(cell);
    if (key.length <= region.key.length + stride) return false;
    place = cell_in_table(place, key.bits(region.key.length, stride));
    return true;
  }
  if (!is_node(cell) || kind_of(cell) != kFork) return false;
  const unsigned base = region.window() + nodes_.fork_advance(cell);
  Ipv6Cell& next = nodes_.fork_cell(cell, window_of(key.address, region.window()));
  if (key.length <= base || !is_node(next)) return false;
  place = {&next, {key.covering(base), base}};
  return true;
}

Ipv6Key Ipv6Lookup::renew(const Ipv6Key& changed, Intervals intervals) {
  Place place = network_of(changed);
  while (step_into(place, changed)) {
  }
  if (!is_table(*place.cell)) {
    renew_part(place, changed, intervals);
    return changed;
  }
  const unsigned length = place.region.key.length;
  const unsigned stride = stride_of(*place.cell);
  assert(length < changed.length && changed.length <= length + stride);
  const std::uint32_t first = changed.bits(length, stride);
  for (std::uint32_t i = 0; i < 1u << (length + stride - changed.length); ++i) {
    renew_cell(cell_in_table(place, first + i), intervals);
  }
  return changed;
}

Ipv6Key Ipv6Lookup::renew_branch(const Ipv6Key& changed, Intervals intervals) {
  const Place branch = cell_in_table(network_of(changed), changed.bits(kFirstBase, kNetworkStride));
  renew_cell(branch, intervals);
  return branch.region.key;
}

void Ipv6Lookup::renew_cell(const Place& place, Intervals intervals) {
  show(place, intervals(place.region.key));
}

// Where no other node is behind the cell, what else it shows is known without asking.
void Ipv6Lookup::renew_part(const Place& place, const Ipv6Key& changed, Intervals intervals) {
  const Ipv6Cell before = *place.cell;
  if (is_node(before) && !is_leaf(before)) return renew_cell(place, intervals);
  std::vector<Interval> known{{place.region.key.address, before}};
  if (is_leaf(before)) known = nodes_.leaf_intervals(before, place.region);
  show(place, with_part(intervals_within(known, place.region.key), place.region.key,
                        intervals(changed), changed));
}

void Ipv6Lookup::show(const Place& place, const std::vector<Interval>& shown) {
  const Ipv6Cell before = *place.cell;
  const bool shared =
      is_leaf(before) && std::count(place.siblings.begin(), place.siblings.end(), before) > 1;
  if (shared && shown.size() > 1 && renew_shared_leaf(place, shown)) return;
  if (!shared) nodes_.give_back(before);
  *place.cell = nodes_.make(place.region, shown);
}

// What the others show is in the leaf itself. False if all together do not fit any more.
bool Ipv6Lookup::renew_shared_leaf(const Place& place, const std::vector<Interval>& shown) {
  const Ipv6Cell before = *place.cell;
  const std::vector<Interval> all = nodes_.leaf_intervals(before, place.region);
  std::vector<Interval> together;
  const unsigned stride = place.region.key.length - place.table.key.length;
  for (std::uint32_t i = 0; i < place.siblings.size(); ++i) {
    if (place.siblings[i] != before) continue;
    const Ipv6Region part = place.table.part(stride, i);
    append_intervals(
        together, part.key.address,
        &place.siblings[i] == place.cell ? fib::Intervals(shown) : intervals_within(all, part.key));
  }
  const Ipv6Cell after = nodes_.remake_leaf(before, place.table, together);
  if (after == 0) return false;
  std::replace(place.siblings.begin(), place.siblings.end(), before, after);
  return true;
}

}  // namespace rackway::fib
