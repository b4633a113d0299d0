// SPDX-License-Identifier: Apache-2.0
#include "fib/ipv6_lookup.hh"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

#include "base/byte_order.hh"
#include "fib/interval_line.hh"

namespace rackway::fib {
namespace {

// ---- a reference: bit 31, then the width of the node's cells, its levels - 1, its first line

constexpr Ipv6Cell kNode = 1u << 31;
constexpr unsigned kWidthShift = 29, kLevelShift = 27;
constexpr std::uint32_t kLineMask = (1u << kLevelShift) - 1;

constexpr bool is_node(Ipv6Cell cell) {
  return (cell & kNode) != 0;
}
constexpr std::uint32_t line_of(Ipv6Cell cell) {
  return cell & kLineMask;
}
constexpr CellWidth width_of(Ipv6Cell cell) {
  return static_cast<CellWidth>(cell >> kWidthShift & 3);
}
constexpr unsigned headers_of(Ipv6Cell cell) {
  return cell >> kLevelShift & 3;
}
constexpr Ipv6Cell node(std::uint32_t line, CellWidth width, unsigned headers) {
  return kNode | static_cast<std::uint32_t>(width) << kWidthShift | headers << kLevelShift | line;
}

// ---- a node: headers level by level, each level but the last in full, then the lines of leaves

constexpr unsigned kBranches = kLineKeys + 1;
// Lines before the n-th level.
constexpr std::array<std::uint32_t, 4> kLevelStart{0, 1, 1 + kBranches,
                                                   1 + kBranches + kBranches* kBranches};

std::uint16_t bits_at(const Ipv6Address& address, unsigned offset) noexcept {
  return load_be<std::uint16_t>(address.bytes.data() + offset);
}

}  // namespace

Ipv6Lookup::Ipv6Lookup() : arena_(kRoots * sizeof(Root) / kLineBytes, kCapacity) {
  std::fill_n(&root(0), kRoots, Root{kIpv6Default, 0});
}

NextHopId Ipv6Lookup::lookup(const Ipv6Address& address) const noexcept {
  const Root& root = roots()[bits_at(address, 0)];
  if (root.directory == 0) return root.next_hop;
  const auto* directory = reinterpret_cast<const Ipv6Cell*>(arena_.at(root.directory));
  NextHopId found = root.next_hop;
  Ipv6Cell cell = directory[address.bytes[2]];
  for (unsigned offset = 2; is_node(cell); offset += 2) {
    const std::uint16_t value = bits_at(address, offset);
    std::uint32_t branch = 0, line = line_of(cell);
    for (unsigned level = 1; level <= headers_of(cell); ++level) {
      branch = branch * kBranches + branch_of(arena_.at(line), value);
      line = line_of(cell) + kLevelStart[level] + branch;
    }
    cell = cell_in(arena_.at(line), width_of(cell), value);
  }
  if (cell != 0) found = {cell};
  return found;
}

void Ipv6Lookup::lookup(const Ipv6Address* addresses, std::size_t count,
                        NextHopId* out) const noexcept {
  for (std::size_t done = 0; done < count; done += kBurst) {
    lookup_burst(addresses + done, std::min(kBurst, count - done), out + done);
  }
}

// In passes over those that are not at their end yet, each pass reading one line that the pass
// before has asked for. What a pass finds is kept or passed on without a branch on it.
void Ipv6Lookup::lookup_burst(const Ipv6Address* addresses, std::size_t count,
                              NextHopId* out) const noexcept {
  std::array<std::uint8_t, kBurst> waiting, headed;
  std::array<const std::byte*, kBurst> lines;
  std::array<Ipv6Cell, kBurst> cells;
  std::size_t left = 0, headers = 0;
  const auto take = [&](std::size_t i, Ipv6Cell cell) {
    out[i].value = cell - 1 < kNode - 1 ? cell : out[i].value;
    const std::byte* line = arena_.at(line_of(cell));
    __builtin_prefetch(line);
    cells[left] = cell;
    lines[left] = line;
    waiting[left] = static_cast<std::uint8_t>(i);
    headed[headers] = static_cast<std::uint8_t>(left);
    left += is_node(cell) ? 1 : 0;
    headers += headers_of(cell) > 0 ? 1 : 0;
  };

  const Root* const all = roots();
  std::size_t longer = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Root& root = all[bits_at(addresses[i], 0)];
    out[i] = root.next_hop;
    lines[longer] = arena_.at(root.directory) + addresses[i].bytes[2] * sizeof(Ipv6Cell);
    __builtin_prefetch(lines[longer]);
    waiting[longer] = static_cast<std::uint8_t>(i);
    longer += root.directory != 0 ? 1 : 0;
  }
  for (std::size_t w = 0; w < longer; ++w) {
    Ipv6Cell cell;
    std::memcpy(&cell, lines[w], sizeof cell);
    take(waiting[w], cell);
  }
  for (unsigned offset = 2; left > 0; offset += 2) {
    for (unsigned level = 1; headers > 0; ++level) {
      std::size_t again = 0;
      for (std::size_t h = 0; h < headers; ++h) {
        const std::size_t w = headed[h];
        const unsigned branch = branch_of(lines[w], bits_at(addresses[waiting[w]], offset));
        const std::byte* first = arena_.at(line_of(cells[w]));
        const auto passed = static_cast<std::size_t>(lines[w] - first) / kLineBytes;
        lines[w] =
            first + (kLevelStart[level] + (passed - kLevelStart[level - 1]) * kBranches + branch) *
                        kLineBytes;
        __builtin_prefetch(lines[w]);
        headed[again] = static_cast<std::uint8_t>(w);
        again += headers_of(cells[w]) > level ? 1 : 0;
      }
      headers = again;
    }
    const std::size_t here = left;
    left = 0;
    for (std::size_t w = 0; w < here; ++w) {
      const std::size_t i = waiting[w];
      take(i, cell_in(lines[w], width_of(cells[w]), bits_at(addresses[i], offset)));
    }
  }
}

// ---- changes

void Ipv6Lookup::open_directory(std::uint32_t high16) {
  if (root(high16).directory != 0) return;
  const Block block = arena_.replace({}, kDirectoryLines);
  std::fill_n(arena_.at(block.line), kDirectoryLines * kLineBytes, std::byte{0});
  root(high16).directory = block.line;
}

void Ipv6Lookup::close_directory(std::uint32_t high16) {
  if (root(high16).directory == 0) return;
  arena_.give_back({root(high16).directory, kDirectoryLines});
  root(high16).directory = 0;
}

Ipv6Cell& Ipv6Lookup::directory_cell(std::uint32_t high24) {
  return reinterpret_cast<Ipv6Cell*>(arena_.at(root(high24 >> 8).directory))[high24 & 0xff];
}

void Ipv6Lookup::give_back(Block& block) {
  arena_.give_back(block);
  block = {};
}

namespace {

CellWidth narrowest(std::span<const Interval> intervals) {
  std::uint32_t greatest = 0;
  for (const auto& interval : intervals) greatest = std::max(greatest, interval.cell);
  if (greatest <= std::numeric_limits<std::uint8_t>::max()) return CellWidth::octet;
  if (greatest <= std::numeric_limits<std::uint16_t>::max()) return CellWidth::word;
  return CellWidth::wide;
}

// Writes intervals first, first + step, ... as the keys of a line: where each but the first begins.
void write_keys(std::byte* line, std::span<const Interval> intervals, std::size_t first,
                std::size_t step, unsigned most) {
  for (unsigned key = 0; key < most; ++key) {
    const std::size_t begins = first + (key + std::size_t{1}) * step;
    const auto value = static_cast<std::uint16_t>(
        begins < intervals.size() ? intervals[begins].first - 1 : 0xffff);
    std::memcpy(line + key * sizeof value, &value, sizeof value);
  }
}

void write_cells(std::byte* line, const LineFormat& format, std::span<const Interval> intervals) {
  for (std::size_t i = 0; i < intervals.size(); ++i) {  // little-endian: the low octets
    std::memcpy(line + format.offset + i * format.width, &intervals[i].cell, format.width);
  }
}

}  // namespace

Ipv6Cell Ipv6Lookup::make_node(std::span<const Interval> intervals, Block& block) {
  if (intervals.size() == 1) {
    give_back(block);
    return intervals[0].cell;
  }
  const CellWidth width = narrowest(intervals);
  const LineFormat& format = format_of(width);
  const std::size_t in_line = format.keys + 1;
  const std::size_t leaves = (intervals.size() + in_line - 1) / in_line;
  unsigned headers = 0;
  for (std::size_t reach = 1; reach < leaves; reach *= kBranches) ++headers;
  block = arena_.replace(block, kLevelStart[headers] + static_cast<std::uint32_t>(leaves));
  assert(block.line <= kLineMask);

  std::size_t step = in_line;  // intervals below one line of the level
  for (unsigned level = headers + 1; level-- > 0; step *= level == headers ? 1 : kBranches) {
    std::byte* line = arena_.at(block.line + kLevelStart[level]);
    const bool is_leaf = level == headers;
    const std::size_t reach = is_leaf ? in_line : step * kBranches;
    for (std::size_t first = 0; first < intervals.size(); first += reach, line += kLineBytes) {
      write_keys(line, intervals, first, is_leaf ? 1 : step, is_leaf ? format.keys : kLineKeys);
      if (!is_leaf) continue;
      const auto mine = intervals.subspan(first, std::min(in_line, intervals.size() - first));
      write_cells(line, format, mine);
    }
  }
  return node(block.line, width, headers);
}

}  // namespace rackway::fib
