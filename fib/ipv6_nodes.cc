// SPDX-License-Identifier: Apache-2.0
#include "fib/ipv6_nodes.hh"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "fib/ipv6_cell.hh"

namespace rackway::fib {
namespace {

constexpr std::size_t kCapacity = std::size_t{kLineMask + 1} * kLineBytes;
constexpr unsigned kAddressBits = 128;
constexpr std::size_t kForkCells = long_keys(kForkWidth) + 1;

// Up to which bit of an address one has to look to tell it from the one before.
unsigned last_bit_of(Ipv6Number first) {
  const auto low = static_cast<std::uint64_t>(first);
  if (low != 0) return kAddressBits - static_cast<unsigned>(std::countr_zero(low));
  const auto high = static_cast<std::uint64_t>(first >> 64);
  return high == 0 ? 0 : kAddressBits / 2 - static_cast<unsigned>(std::countr_zero(high));
}
// The same for where intervals begin but the first.
unsigned last_bit_of(Intervals intervals) {
  Ipv6Number all = 0;
  for (const Interval& interval : intervals.subspan(1)) all |= interval.first;
  return last_bit_of(all);
}

std::uint32_t table_lines(unsigned stride) {
  return (sizeof(Ipv6Cell) << stride) / kLineBytes;
}

void append(std::vector<Interval>& to, Ipv6Number first, Ipv6Cell cell) {
  if (to.empty() || to.back().cell != cell) to.push_back({first, cell});
}

}  // namespace

unsigned Ipv6Region::window() const {
  return base + std::min(key.length - base, kGreatestSkip);
}

Ipv6Region Ipv6Region::part(unsigned stride, std::uint32_t index) const {
  const unsigned length = key.length + stride;
  return {{key.address + (Ipv6Number{index} << (kAddressBits - length)), length}, base};
}

Intervals intervals_within(Intervals intervals, const Ipv6Key& key) {
  const auto behind = [](Ipv6Number address, const Interval& interval) {
    return address < interval.first;
  };
  const auto first = std::upper_bound(intervals.begin() + 1, intervals.end(), key.address, behind);
  const auto last = std::upper_bound(first, intervals.end(), key.last(), behind);
  return {first - 1, last};
}

void append_intervals(std::vector<Interval>& to, Ipv6Number begin, Intervals more) {
  append(to, begin, more[0].cell);
  for (const Interval& interval : more.subspan(1)) append(to, interval.first, interval.cell);
}

std::vector<Interval> with_part(Intervals all, const Ipv6Key& range, Intervals part,
                                const Ipv6Key& part_range) {
  std::vector<Interval> together;
  together.reserve(all.size() + part.size() + 1);
  if (part_range.address != range.address) {
    const Ipv6Number before = part_range.address - 1;
    std::size_t count = 1;
    while (count < all.size() && all[count].first <= before) ++count;
    append_intervals(together, range.address, all.first(count));
  }
  append_intervals(together, part_range.address, part);
  if (part_range.last() != range.last()) {
    const Ipv6Number behind = part_range.last() + 1;
    std::size_t at = 0;
    while (at + 1 < all.size() && all[at + 1].first <= behind) ++at;
    append_intervals(together, behind, all.subspan(at));
  }
  return together;
}

Ipv6Nodes::Ipv6Nodes(std::size_t front) : arena_(front / kLineBytes, kCapacity) {}

// ---- leaves

// 0 if no leaf takes them.
unsigned Ipv6Nodes::leaf_kind(std::size_t count, unsigned last_bit,
                              const Ipv6Region& region) const {
  if (last_bit > region.base + kReach) return 0;
  const unsigned window = region.window();
  if (count <= short_keys(log_width_) + 1 && last_bit <= window + kShortBits) return kShortLeaf;
  if (count <= long_keys(log_width_) + 1 && last_bit <= window + kLongBits) return kLongLeaf;
  return 0;
}

namespace {

// The keys before all but the first interval, and the cells.
template <class Key, class Cell>
void write_line(std::byte* line, unsigned keys, unsigned window, Intervals intervals) {
  constexpr unsigned kKeyBits = 8 * sizeof(Key);
  auto* const key = reinterpret_cast<Key*>(line);
  auto* const cell = reinterpret_cast<Cell*>(line + keys * sizeof(Key));
  std::memset(line, 0xff, keys * sizeof(Key));
  std::memset(line + keys * sizeof(Key), 0, kLineBytes - keys * sizeof(Key));
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (i > 0) {
      key[i - 1] =
          static_cast<Key>((intervals[i].first - 1) << window >> (kAddressBits - kKeyBits));
    }
    cell[i] = static_cast<Cell>(intervals[i].cell);
  }
}

template <class Key>
void write_line(std::byte* line, unsigned keys, unsigned log_width, unsigned window,
                Intervals intervals) {
  switch (log_width) {
    case 0: return write_line<Key, std::uint8_t>(line, keys, window, intervals);
    case 1: return write_line<Key, std::uint16_t>(line, keys, window, intervals);
    default: return write_line<Key, std::uint32_t>(line, keys, window, intervals);
  }
}

Ipv6Cell cell_of_width(const std::byte* cells, unsigned log_width, unsigned index) {
  switch (log_width) {
    case 0: return cell_at<0>(cells, index);
    case 1: return cell_at<1>(cells, index);
    default: return cell_at<2>(cells, index);
  }
}

}  // namespace

void Ipv6Nodes::write_leaf(std::byte* line, unsigned kind, unsigned window,
                           Intervals intervals) const {
  if (kind == kShortLeaf) {
    write_line<std::uint16_t>(line, short_keys(log_width_), log_width_, window, intervals);
  } else {
    write_line<std::uint32_t>(line, long_keys(log_width_), log_width_, window, intervals);
  }
}

Ipv6Cell Ipv6Nodes::make_leaf(const Ipv6Region& region, unsigned kind, Intervals intervals) {
  const std::uint32_t line = arena_.replace({}, 1).line;
  write_leaf(arena_.at(line), kind, region.window(), intervals);
  return node_cell(kind, region.window() - region.base, line);
}

Ipv6Cell Ipv6Nodes::remake_leaf(Ipv6Cell old, const Ipv6Region& region, Intervals intervals) {
  const unsigned kind = leaf_kind(intervals.size(), last_bit_of(intervals), region);
  if (kind == 0) return 0;
  write_leaf(arena_.at(line_of(old)), kind, region.window(), intervals);
  return node_cell(kind, region.window() - region.base, line_of(old));
}

std::vector<Interval> Ipv6Nodes::leaf_intervals(Ipv6Cell leaf, const Ipv6Region& region) {
  const bool is_short = kind_of(leaf) == kShortLeaf;
  const unsigned bits = is_short ? kShortBits : kLongBits;
  const unsigned keys = is_short ? short_keys(log_width_) : long_keys(log_width_);
  const unsigned window = region.base + skip_of(leaf);
  const std::byte* const line = arena_.at(line_of(leaf));
  const std::byte* const cells = line + keys * (bits / 8);
  const Ipv6Number front = region.key.covering(window).address;
  std::vector<Interval> intervals{{front, cell_of_width(cells, log_width_, 0)}};
  for (unsigned i = 0; i < keys; ++i) {
    std::uint32_t key = 0;
    std::memcpy(&key, line + i * (bits / 8), bits / 8);
    if (key == std::numeric_limits<std::uint32_t>::max() >> (32 - bits)) break;
    const unsigned end = window + bits;
    // Windows may reach behind the end of addresses, where keys have zeros.
    const Ipv6Number offset = end <= kAddressBits ? (Ipv6Number{key} + 1) << (kAddressBits - end)
                                                  : (Ipv6Number{key} >> (end - kAddressBits)) + 1;
    intervals.push_back({front + offset, cell_of_width(cells, log_width_, i + 1)});
  }
  return intervals;
}

// ---- any node

Ipv6Cell Ipv6Nodes::make(const Ipv6Region& region, Intervals intervals) {
  if (intervals.size() == 1) return intervals[0].cell;
  const unsigned last_bit = last_bit_of(intervals);
  if (const unsigned kind = leaf_kind(intervals.size(), last_bit, region); kind != 0) {
    return make_leaf(region, kind, intervals);
  }
  if (last_bit > region.base + kReach) {
    if (const Ipv6Cell fork = make_fork(region, intervals); fork != 0) return fork;
  }
  if (region.key.length > region.base + kReach - kLeastStride) {
    const Ipv6Cell behind = make({region.key, region.key.length}, intervals);
    const Interval one{region.key.address, behind};
    return make_fork_of(region, {&one, 1}, region.key.length - region.window());
  }
  return make_table(region, stride_for(region, intervals), intervals);
}

// ---- forks

// Intervals of the window's values; what tells more apart within one value is behind it. 0 if there
// are too many.
Ipv6Cell Ipv6Nodes::make_fork(const Ipv6Region& region, Intervals intervals) {
  const unsigned end = region.window() + kLongBits;
  std::vector<Interval> cells{{region.key.address, intervals[0].cell}};
  std::vector<std::size_t> leading_on;
  for (std::size_t i = 1; i < intervals.size(); ++i) {
    const Interval& interval = intervals[i];
    if (last_bit_of(interval.first) <= end) {
      append(cells, interval.first, interval.cell);
    } else {
      const Ipv6Key value = Ipv6Key{interval.first, kAddressBits}.covering(end);
      const Intervals within = intervals_within(intervals, value);
      if (cells.back().first == value.address) cells.pop_back();
      leading_on.push_back(cells.size());
      cells.push_back({value.address, kNode});
      i += static_cast<std::size_t>(&within.back() - &interval);
      const bool more = i + 1 < intervals.size();
      if (value.last() != region.key.last() &&
          !(more && intervals[i + 1].first == value.last() + 1)) {
        cells.push_back({value.last() + 1, intervals[i].cell});
      }
    }
    if (cells.size() > kForkCells) return 0;
  }
  for (const std::size_t i : leading_on) {
    const Ipv6Key value{cells[i].first, end};
    cells[i].cell = make({value, end}, intervals_within(intervals, value));
  }
  return make_fork_of(region, cells, kLongBits);
}

Ipv6Cell Ipv6Nodes::make_fork_of(const Ipv6Region& region, Intervals intervals, unsigned advance) {
  const std::uint32_t line = arena_.replace({}, 1).line;
  write_line<std::uint32_t>(arena_.at(line), long_keys(kForkWidth), kForkWidth, region.window(),
                            intervals);
  arena_.at(line)[kForkAdvance] = static_cast<std::byte>(advance);
  return node_cell(kFork, region.window() - region.base, line);
}

Ipv6Cell& Ipv6Nodes::fork_cell(Ipv6Cell fork, std::uint32_t value) {
  auto* const keys = reinterpret_cast<std::uint32_t*>(arena_.at(line_of(fork)));
  auto* const end = keys + long_keys(kForkWidth);
  return end[std::lower_bound(keys, end, value) - keys];
}

unsigned Ipv6Nodes::fork_advance(Ipv6Cell fork) {
  return static_cast<unsigned>(arena_.at(line_of(fork))[kForkAdvance]);
}

// ---- tables

namespace {

// What a line less for a lookup is worth, in octets for each interval behind it; and about what an
// interval takes in leaves and tables.
constexpr std::size_t kLineWorth = 3, kIntervalOctets = 6;

}  // namespace

// Cells whose intervals fit into leaves are done; the others need another table.
unsigned Ipv6Nodes::stride_for(const Ipv6Region& region, Intervals intervals) const {
  const unsigned most = std::min({kGreatestStride, kAddressBits - region.key.length,
                                  region.base + kReach - region.key.length});
  unsigned best = kLeastStride;
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (unsigned stride = kLeastStride; stride <= most; ++stride) {
    const Ipv6Region part = region.part(stride, 0);
    std::size_t cost = sizeof(Ipv6Cell) << stride;
    for (std::size_t i = 0; i + 1 < intervals.size();) {
      // Of the cell in which the next interval begins.
      const Ipv6Key key = Ipv6Key{intervals[i + 1].first, kAddressBits}.covering(part.key.length);
      const bool begins = intervals[i + 1].first == key.address;
      std::size_t end = i + 1;
      Ipv6Number all = 0;
      for (; end < intervals.size() && intervals[end].first <= key.last(); ++end) {
        if (intervals[end].first != key.address) all |= intervals[end].first;
      }
      const std::size_t count = end - i - (begins ? 1 : 0);
      if (count > 1) {
        const Ipv6Region cell{key, region.base};
        cost += count * kIntervalOctets;
        if (leaf_kind(count, last_bit_of(all), cell) == 0) {
          cost += kLineBytes + count * kLineWorth;
        }
      }
      i = end - 1;
    }
    if (cost >= least) continue;
    best = stride;
    least = cost;
  }
  return best;
}

// Leaves for cells of one table: each cell's intervals go to the first that has room for them.
class Ipv6Nodes::Groups {
 public:
  Groups(Ipv6Nodes& nodes, const Ipv6Region& table) : nodes_(nodes), table_(table) {}

  // False if they do not fit into any leaf.
  bool add(std::uint32_t index, const Ipv6Region& part, Intervals intervals) {
    const unsigned last_bit = last_bit_of(intervals);
    if (nodes_.leaf_kind(intervals.size(), last_bit, part) == 0) return false;
    const unsigned with_begin = std::max(last_bit, last_bit_of(part.key.address));
    const std::size_t oldest = groups_.size() > kTried ? groups_.size() - kTried : 0;
    for (std::size_t i = oldest; i < groups_.size(); ++i) {
      Group& group = groups_[i];
      const bool goes_on = group.intervals.back().cell == intervals[0].cell;
      const std::size_t count = group.intervals.size() + intervals.size() - (goes_on ? 1 : 0);
      const unsigned bit = std::max(group.last_bit, with_begin);
      if (nodes_.leaf_kind(count, bit, table_) == 0) continue;
      group.add(index, part, intervals);
      group.last_bit = bit;
      return true;
    }
    groups_.push_back({{}, {}, last_bit, part});
    groups_.back().add(index, part, intervals);
    return true;
  }

  void make_leaves(std::span<Ipv6Cell> cells) {
    for (const Group& group : groups_) {
      const Ipv6Region& region = group.cells.size() == 1 ? group.only : table_;
      const unsigned kind = nodes_.leaf_kind(group.intervals.size(), group.last_bit, region);
      const Ipv6Cell leaf = nodes_.make_leaf(region, kind, group.intervals);
      for (const std::uint32_t index : group.cells) cells[index] = leaf;
    }
  }

 private:
  static constexpr std::size_t kTried = 16;

  struct Group {
    std::vector<std::uint32_t> cells;
    std::vector<Interval> intervals;
    unsigned last_bit;
    Ipv6Region only;

    void add(std::uint32_t index, const Ipv6Region& part, Intervals more) {
      cells.push_back(index);
      append_intervals(intervals, part.key.address, more);
    }
  };

  Ipv6Nodes& nodes_;
  const Ipv6Region& table_;
  std::vector<Group> groups_;
};

Ipv6Cell Ipv6Nodes::make_table(const Ipv6Region& region, unsigned stride, Intervals intervals) {
  const std::uint32_t line = arena_.replace({}, table_lines(stride)).line;
  const Ipv6Cell table = node_cell(stride - kLeastStride, region.key.length - region.base, line);
  const std::span<Ipv6Cell> cells = table_cells(table);
  Groups groups(*this, region);
  Intervals rest = intervals;
  for (std::uint32_t i = 0; i < cells.size(); ++i) {
    const Ipv6Region part = region.part(stride, i);
    std::size_t count = 1;
    while (count < rest.size() && rest[count].first <= part.key.last()) ++count;
    // An interval that begins with the cell hides the one before.
    const std::size_t hidden = count > 1 && rest[1].first == part.key.address ? 1 : 0;
    const Intervals own = rest.subspan(hidden, count - hidden);
    if (own.size() == 1) {
      cells[i] = own[0].cell;
    } else if (!groups.add(i, part, own)) {
      cells[i] = make(part, own);
    }
    rest = rest.subspan(count - 1);
  }
  groups.make_leaves(cells);
  return table;
}

std::span<Ipv6Cell> Ipv6Nodes::table_cells(Ipv6Cell table) {
  return {reinterpret_cast<Ipv6Cell*>(arena_.at(line_of(table))),
          std::size_t{1} << stride_of(table)};
}

void Ipv6Nodes::give_back(Ipv6Cell cell) {
  if (!is_node(cell)) return;
  std::vector<Ipv6Cell> below;
  if (is_table(cell)) {
    for (const Ipv6Cell child : table_cells(cell)) {
      if (is_node(child)) below.push_back(child);
    }
    std::sort(below.begin(), below.end());
    below.erase(std::unique(below.begin(), below.end()), below.end());
  } else if (kind_of(cell) == kFork) {
    const std::byte* const cells =
        arena_.at(line_of(cell)) + long_keys(kForkWidth) * sizeof(std::uint32_t);
    for (unsigned i = 0; i < kForkCells; ++i) {
      if (const Ipv6Cell child = cell_at<kForkWidth>(cells, i); is_node(child)) {
        below.push_back(child);
      }
    }
  }
  for (const Ipv6Cell child : below) give_back(child);
  arena_.give_back({line_of(cell), is_table(cell) ? table_lines(stride_of(cell)) : 1});
}

}  // namespace rackway::fib
