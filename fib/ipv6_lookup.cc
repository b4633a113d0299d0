// SPDX-License-Identifier: Apache-2.0
#include "fib/ipv6_lookup.hh"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstring>
#include <iterator>
#include <limits>

#include "fib/ipv6_node.hh"

namespace rackway::fib {
namespace {

// The keys of a header: where every step-th interval but the first begins.
void write_header_keys(std::byte* line, std::span<const Interval> intervals, std::size_t step) {
  std::size_t begins = step;
  for (unsigned key = 0; key < kHeaderKeys; ++key, begins += step) {
    const auto value = static_cast<std::uint16_t>(
        begins < intervals.size() ? intervals[begins].first - 1 : 0xffff);
    std::memcpy(line + key * sizeof value, &value, sizeof value);
  }
}

// A line of leaves of these intervals. Full ones, which are most, in loops of known length.
template <class Cell>
void write_leaf_of(std::byte* line, std::span<const Interval> intervals) {
  constexpr unsigned kKeys = keys_of(std::countr_zero(sizeof(Cell)));
  std::uint16_t keys[kKeys];
  Cell cells[kKeys + 1]{};
  const auto write = [&](std::size_t count) {
    for (std::size_t i = 1; i < count; ++i) {
      keys[i - 1] = static_cast<std::uint16_t>(intervals[i].first - 1);
    }
    for (std::size_t i = 0; i < count; ++i) cells[i] = static_cast<Cell>(intervals[i].cell);
  };
  if (intervals.size() == kKeys + 1) {
    write(kKeys + 1);
  } else {
    std::fill(std::begin(keys), std::end(keys), std::uint16_t{0xffff});
    write(intervals.size());
  }
  std::memcpy(line, keys, sizeof keys);
  std::memcpy(line + sizeof keys, cells, sizeof cells);
}

void write_leaf(std::byte* line, unsigned log_width, std::span<const Interval> intervals) {
  switch (log_width) {
    case 0: return write_leaf_of<std::uint8_t>(line, intervals);
    case 1: return write_leaf_of<std::uint16_t>(line, intervals);
    default: return write_leaf_of<std::uint32_t>(line, intervals);
  }
}

#if defined(__x86_64__) && defined(__AVX2__)
using Simplest = Avx2;  // of what the library is compiled for
#else
using Simplest = Scalar;
#endif

}  // namespace

Ipv6Lookup::Ipv6Lookup(VectorUnit unit)
    : lookup_burst_(burst_for(unit)), arena_(kFrontLines, kCapacity) {
  std::fill_n(&root(0), kIpv6Roots, Ipv6Root{kIpv6NoDirectory, kIpv6Default});
  resize_near(0);
}

NextHopId Ipv6Lookup::lookup(const Ipv6Address& address) const noexcept {
  const Ipv6View at = view();
  const auto head = load_be<std::uint64_t>(address.bytes.data());
  const auto high32 = static_cast<std::uint32_t>(head >> 32);
  const Ipv6Root root = root_of(at.base, high32);
  Ipv6Cell cell = directory_cell(at.base, root.directory, high32);
  if (is_node(cell)) {
    cell = near_cell<Simplest>(at, high32, cell);
    while (is_node(cell)) cell = read_node<Simplest>(at.base, cell, address);
  }
  return cell != 0 ? NextHopId{cell} : root.next_hop;
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
  if (__builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
      __builtin_cpu_supports("avx512vl") != 0)
    return VectorUnit::avx512;
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

// ---- changes

void Ipv6Lookup::open_directory(std::uint32_t high16) {
  if (root(high16).directory != kIpv6NoDirectory) return;
  const Block block = arena_.replace({}, kDirectoryLines);
  std::fill_n(arena_.at(block.line), kDirectoryLines * kLineBytes, std::byte{0});
  root(high16).directory = static_cast<std::uint32_t>(block.line * kLineBytes);
}

void Ipv6Lookup::close_directory(std::uint32_t high16) {
  std::uint32_t& directory = root(high16).directory;
  if (directory == kIpv6NoDirectory) return;
  arena_.give_back({static_cast<std::uint32_t>(directory / kLineBytes), kDirectoryLines});
  directory = kIpv6NoDirectory;
}

Ipv6Cell Ipv6Lookup::node_of(Ipv6Cell cell) {
  if (is_node(cell)) return cell;
  const auto [at, is_new] = constants_.try_emplace(cell);
  if (is_new) {
    const Interval one{0, cell};
    const Block block = arena_.replace({}, 1);
    write_leaf(arena_.at(block.line), log_width_, {&one, 1});
    at->second = node(block.line, false, 1, log_width_);
  }
  return at->second;
}

namespace {

unsigned log_width_for(std::uint32_t greatest) {
  if (greatest <= std::numeric_limits<std::uint8_t>::max()) return 0;
  return greatest <= std::numeric_limits<std::uint16_t>::max() ? 1 : 2;
}

}  // namespace

bool Ipv6Lookup::too_narrow(std::uint32_t bound) const {
  return log_width_for(bound - 1) > log_width_;
}

void Ipv6Lookup::set_bound(std::uint32_t bound) {
  log_width_ = log_width_for(bound - 1);
  for (const auto& [cell, node] : constants_) {
    arena_.give_back({static_cast<std::uint32_t>(offset_of(node) / kLineBytes), 1});
  }
  constants_.clear();
}

void Ipv6Lookup::give_back(Block& block) {
  arena_.give_back(block);
  block = {};
}

// ---- the hash table

// Unused keys are such as belong to another line, so that nobody asks for them here.
void Ipv6Lookup::resize_near(std::size_t count) {
  near_bits_ = kLeastNearBits;
  while (too_many_near(count)) ++near_bits_;
  near_ = arena_.replace(near_, 1u << near_bits_);
  for (std::uint32_t line = 0; line < 1u << near_bits_; ++line) {
    auto* keys = reinterpret_cast<std::uint32_t*>(arena_.at(near_.line + line));
    std::fill_n(keys, kNearKeys, line == near_line(0, 32 - near_bits_) ? 1 : 0);
  }
}

// At half of the keys on average few lines are full.
bool Ipv6Lookup::too_many_near(std::size_t count) const {
  return count > (std::size_t{kNearKeys / 2} << near_bits_);
}

std::byte* Ipv6Lookup::near_line_of(std::uint32_t high32) {
  return arena_.at(near_.line + near_line(high32, 32 - near_bits_));
}

bool Ipv6Lookup::set_near(std::uint32_t high32, Ipv6Cell cell) {
  const Ipv6Cell node = node_of(cell);
  auto* const keys = reinterpret_cast<std::uint32_t*>(near_line_of(high32));
  auto* const end = keys + kNearKeys;
  auto* at = std::find(keys, end, high32);
  if (at == end) {
    at = std::find_if(keys, end, [&](std::uint32_t key) {
      return near_line(key, 32 - near_bits_) != near_line(high32, 32 - near_bits_);
    });
  }
  if (at == end) return false;
  *at = high32;
  at[kNearKeys] = node;
  return true;
}

void Ipv6Lookup::remove_near(std::uint32_t high32) {
  auto* const keys = reinterpret_cast<std::uint32_t*>(near_line_of(high32));
  auto* const at = std::find(keys, keys + kNearKeys, high32);
  if (at == keys + kNearKeys) return;
  *at = near_line(0, 32 - near_bits_) == near_line(high32, 32 - near_bits_) ? 1 : 0;
}

// ---- nodes

namespace {

// A part is a line of leaves, or a header and 32 parts.
std::size_t full_lines(std::size_t capacity, std::size_t in_leaf) {
  return capacity == in_leaf ? 1 : 1 + kHeaderParts * full_lines(capacity / kHeaderParts, in_leaf);
}

// Of a part that holds `count` intervals, 1 to its capacity.
std::size_t lines_for(std::size_t count, std::size_t capacity, std::size_t in_leaf) {
  if (capacity == in_leaf) return 1;
  const std::size_t in_part = capacity / kHeaderParts;
  const std::size_t full_parts = (count - 1) / in_part;
  return 1 + full_parts * full_lines(in_part, in_leaf) +
         lines_for(count - full_parts * in_part, in_part, in_leaf);
}

struct PartWriter {
  unsigned log_width;
  std::size_t in_leaf;

  void write(std::byte* line, std::span<const Interval> intervals, std::size_t capacity) const {
    if (capacity == in_leaf) return write_leaf(line, log_width, intervals);
    const std::size_t in_part = capacity / kHeaderParts;
    const std::size_t lines = full_lines(in_part, in_leaf);
    write_header_keys(line, intervals, in_part);
    const auto stored = static_cast<std::uint16_t>(lines);
    std::memcpy(line + kHeaderKeys * sizeof stored, &stored, sizeof stored);
    line += kLineBytes;
    for (std::size_t first = 0; first < intervals.size(); first += in_part) {
      write(line, intervals.subspan(first, std::min(in_part, intervals.size() - first)), in_part);
      line += lines * kLineBytes;
    }
  }
};

}  // namespace

Ipv6Cell Ipv6Lookup::make_node(std::span<const Interval> intervals, unsigned depth, Block& block) {
  if (intervals.size() == 1) {
    give_back(block);
    return intervals[0].cell;
  }
  const bool leads_on =
      std::any_of(intervals.begin(), intervals.end(),
                  [](const Interval& interval) { return is_node(interval.cell); });
  const unsigned log_width = leads_on ? 2 : log_width_;
  const std::size_t in_leaf = keys_of(log_width) + 1;
  std::size_t capacity = in_leaf;
  while (capacity < intervals.size()) capacity *= kHeaderParts;
  block = arena_.replace(
      block, static_cast<std::uint32_t>(lines_for(intervals.size(), capacity, in_leaf)));
  PartWriter{log_width, in_leaf}.write(arena_.at(block.line), intervals, capacity);
  return node(block.line, capacity > in_leaf, depth, log_width);
}

}  // namespace rackway::fib
