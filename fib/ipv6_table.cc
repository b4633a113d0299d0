// SPDX-License-Identifier: Apache-2.0
#include "fib/ipv6_table.hh"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#include "fib/interval_sweep.hh"

namespace rackway::fib {
namespace {

Ipv6Key key_of(const IpPrefix& prefix) {
  return {number_of(prefix.address.v6()), prefix.length};
}

// Leading bits that two addresses share.
unsigned common_bits(Ipv6Number a, Ipv6Number b) {
  const Ipv6Number differ = a ^ b;
  const auto high = static_cast<std::uint64_t>(differ >> 64);
  if (high != 0) return static_cast<unsigned>(std::countl_zero(high));
  return 64 + static_cast<unsigned>(std::countl_zero(static_cast<std::uint64_t>(differ)));
}

}  // namespace

std::optional<NextHopId> Ipv6Table::set(const IpPrefix& prefix, NextHopId next_hop) {
  const Ipv6Key key = key_of(prefix);
  next_hop_bound_ = std::max(next_hop_bound_, next_hop.value + 1);
  const auto [at, is_new] = routes_.try_emplace(key, next_hop);
  std::optional<NextHopId> before;
  if (!is_new) before = std::exchange(at->second, next_hop);
  if (is_new && key.length > kRootLength) ++directories_[key.bits(0, kRootLength)].routes;
  if (before != next_hop) note_change(key, next_hop);
  return before;
}

std::optional<NextHopId> Ipv6Table::remove(const IpPrefix& prefix) {
  const Ipv6Key key = key_of(prefix);
  const auto at = routes_.find(key);
  if (at == routes_.end()) return std::nullopt;
  const NextHopId before = at->second;
  routes_.erase(at);
  if (key.length > kRootLength) --directories_.at(key.bits(0, kRootLength)).routes;
  note_change(key, std::nullopt);
  return before;
}

void Ipv6Table::lookup(std::span<const Ipv6Address> addresses,
                       std::span<NextHopId> out) const noexcept {
  assert(addresses.size() == out.size());
  lookup_.lookup(addresses.data(), out.size(), out.data());
}

std::optional<NextHopId> Ipv6Table::find(const IpPrefix& prefix) const {
  const auto at = routes_.find(key_of(prefix));
  if (at == routes_.end()) return std::nullopt;
  return at->second;
}

std::optional<TableRoute> Ipv6Table::longest_match(const Ipv6Address& address) const {
  const auto routes = covering(IpPrefix::host(address));
  return routes.empty() ? std::nullopt : std::optional(routes.front());
}

std::vector<TableRoute> Ipv6Table::covering(const IpPrefix& prefix) const {
  std::vector<TableRoute> routes;
  const auto add = [&](const Ipv6Key& key) {
    if (const auto at = routes_.find(key); at != routes_.end()) {
      routes.push_back(table_route(at->first, at->second));
    }
  };
  Ipv6Key key = key_of(prefix);
  add(key);
  while (key.length > 1) {
    const auto shorter = shorter_route(key, 0);
    if (!shorter) break;
    routes.push_back(*shorter);
    key = key_of(shorter->prefix);
  }
  if (prefix.length > 0) add({0, 0});
  return routes;
}

// The route before a key in the order either covers it, and then nothing longer does; or what
// covers the key covers that route as well, so is no longer than what both have in common.
std::optional<TableRoute> Ipv6Table::shorter_route(const Ipv6Key& key, unsigned shortest) const {
  Ipv6Key candidate = key.covering(key.length - 1);
  while (candidate.length > shortest) {
    auto at = routes_.upper_bound(candidate);
    if (at == routes_.begin()) return std::nullopt;
    --at;
    const Ipv6Key& before = at->first;
    if (before.length <= candidate.length && candidate.covering(before.length) == before) {
      if (before.length <= shortest) return std::nullopt;
      return table_route(before, at->second);
    }
    const unsigned common = common_bits(candidate.address, before.address);
    candidate = candidate.covering(std::min({candidate.length, before.length, common}));
  }
  return std::nullopt;
}

// ---- what follows from a change

void Ipv6Table::note_change(const Ipv6Key& key, std::optional<NextHopId> next_hop) {
  if (key.length == 0) return;
  if (key.length <= kRootLength) return paint_root(key, next_hop);
  if (key.length <= kCellLength) return paint_directory(key, next_hop);
  changed_[depth_of(key.length)].push_back(key);
}

void Ipv6Table::paint_root(const Ipv6Key& key, std::optional<NextHopId> next_hop) {
  TableRoute shown{{Ipv6Address{}, 0}, kDefault};
  if (next_hop) {
    shown = table_route(key, *next_hop);
  } else if (const auto shorter = shorter_route(key, 0)) {
    shown = *shorter;
  }
  const std::uint32_t first = key.bits(0, kRootLength);
  for (std::uint32_t at = first; at < first + (1u << (kRootLength - key.length)); ++at) {
    if (root_lengths_[at] > key.length) continue;
    root_lengths_[at] = shown.prefix.length;
    lookup_.set_root(at, shown.next_hop);
  }
}

void Ipv6Table::paint_directory(const Ipv6Key& key, std::optional<NextHopId> next_hop) {
  std::uint8_t length = 0;
  Ipv6Cell outer = 0;
  if (next_hop) {
    length = static_cast<std::uint8_t>(key.length);
    outer = next_hop->value;
  } else if (const auto shorter = shorter_route(key, kRootLength)) {
    length = shorter->prefix.length;
    outer = shorter->next_hop.value;
  }
  Directory& directory = directories_.at(key.bits(0, kRootLength));
  const std::uint32_t first = key.bits(kRootLength, kCellLength - kRootLength);
  for (std::uint32_t at = first; at < first + (1u << (kCellLength - key.length)); ++at) {
    Branch& branch = directory.branches[at];
    if (branch.outer_length > key.length) continue;
    branch.node.outer = outer;
    branch.outer_length = length;
    const Ipv6Number offset = Ipv6Number{at - first} << (128 - kCellLength);
    changed_[kBranchDepth].push_back({key.address + offset, kCellLength});
  }
}

bool Ipv6Table::longer_routes_in(const Ipv6Key& place) const {
  const auto at = routes_.lower_bound({place.address, place.length + 1});
  return at != routes_.end() && at->first.address <= place.last();
}

// ---- the lookup structure

// Changes of one node together.
void Ipv6Table::refresh() {
  if (lookup_.too_narrow(next_hop_bound_)) forget_all_nodes();
  make_room_for_near();
  for (unsigned depth = kDepths; depth-- > kBranchDepth;) {
    auto& changed = changed_[depth];
    std::sort(changed.begin(), changed.end());
    for (auto first = changed.begin(); first != changed.end();) {
      const Ipv6Key place = place_of(*first, depth);
      const auto last = std::find_if(
          first, changed.end(), [&](const Ipv6Key& key) { return key.address > place.last(); });
      if (depth == kBranchDepth) {
        refresh_branch(place, {first, last});
      } else {
        refresh_node(place, depth, {first, last});
      }
      first = last;
    }
    changed.clear();
  }
}

// All will be made anew, with wider cells.
void Ipv6Table::forget_all_nodes() {
  lookup_.set_bound(next_hop_bound_);
  lookup_.resize_near(near_nodes_);
  for (auto& [place, node] : nodes_) lookup_.give_back(node.block);
  nodes_.clear();
  near_nodes_ = 0;
  for (auto& [high16, directory] : directories_) {
    for (std::uint32_t at = 0; at < directory.branches.size(); ++at) {
      Node& node = directory.branches[at].node;
      lookup_.give_back(node.block);
      node.intervals.clear();
      changed_[kBranchDepth].push_back(
          {Ipv6Number{high16 << 8 | at} << (128 - kCellLength), kCellLength});
    }
  }
}

// At most as many /32s come as there are changed ones.
void Ipv6Table::make_room_for_near() {
  std::size_t most = near_nodes_;
  for (unsigned depth = kNearDepth; depth < kDepths; ++depth) {
    auto& changed = changed_[depth];
    if (changed.size() <= 1) {
      most += changed.size();
      continue;
    }
    std::sort(changed.begin(), changed.end());
    for (std::size_t i = 0; i < changed.size(); ++i) {
      most += i == 0 || changed[i].bits(0, 32) != changed[i - 1].bits(0, 32) ? 1 : 0;
    }
  }
  if (!lookup_.too_many_near(most)) return;
  lookup_.resize_near(2 * most);
  for (auto& [place, node] : nodes_) {
    if (place.length == 32) show_node(place, node);
  }
}

// Through the hash table if it is a /32's, or one that the node above leads to.
void Ipv6Table::show_node(const Ipv6Key& place, Node& node) {
  const bool was_near = std::exchange(node.near, false);
  if (place.length == 32) node.near = lookup_.set_near(place.bits(0, 32), node.cell);
  near_nodes_ += (node.near ? 1 : 0) - (was_near ? 1 : 0);
  if (node.near && was_near) return;
  const unsigned above = depth_of(place.length);
  changed_[above].push_back(place);
}

void Ipv6Table::refresh_branch(const Ipv6Key& place, std::span<const Ipv6Key> changed) {
  const std::uint32_t high16 = place.bits(0, kRootLength);
  const auto known = directories_.find(high16);
  if (known == directories_.end()) return;
  if (known->second.routes == 0) {
    for (Branch& branch : known->second.branches) lookup_.give_back(branch.node.block);
    lookup_.close_directory(high16);
    directories_.erase(known);
    return;
  }
  lookup_.open_directory(high16);
  Node& node = known->second.branches[place.bits(kRootLength, kCellLength - kRootLength)].node;
  renew(node, place, kBranchDepth, changed);
  // Where there are longer routes, they may be in the hash table only.
  const bool all_of_it = !longer_routes_in(place);
  lookup_.set_directory(place.bits(0, kCellLength),
                        all_of_it ? node.cell : lookup_.node_of(node.cell));
}

// One that is found through the node above changes that when it comes, goes, or moves.
void Ipv6Table::refresh_node(const Ipv6Key& place, unsigned depth,
                             std::span<const Ipv6Key> changed) {
  const auto known = nodes_.find(place);
  if (!longer_routes_in(place)) {
    if (known != nodes_.end()) forget_node(known);
  } else if (known == nodes_.end()) {
    changed_[depth - 1].push_back(place);
  } else {
    Node node = std::move(known->second);  // others may come meanwhile
    const Ipv6Cell before = node.cell;
    renew(node, place, depth, changed);
    if (node.cell != before) show_node(place, node);
    nodes_[place] = std::move(node);
  }
}

void Ipv6Table::forget_node(Nodes::iterator known) {
  auto& [place, node] = *known;
  lookup_.give_back(node.block);
  if (node.near) {
    lookup_.remove_near(place.bits(0, 32));
    --near_nodes_;
  }
  // Without longer routes the /24 says all by itself again, or is gone with its directory.
  if (!node.near || !longer_routes_in(place.covering(kCellLength))) {
    changed_[depth_of(place.length)].push_back(place);
  }
  nodes_.erase(known);
}

// What the node above is to show there, where `outer` is what it shows without the node.
Ipv6Cell Ipv6Table::cell_of_node(const Ipv6Key& place, unsigned depth, Ipv6Cell outer) {
  const auto known = nodes_.find(place);
  if (known != nodes_.end() && known->second.outer == outer) {
    return known->second.near ? outer : known->second.cell;
  }
  Node node;
  if (known != nodes_.end()) node = std::move(known->second);
  node.outer = outer;
  renew(node, place, depth, {});
  if (place.length == 32) {
    const bool was_near = node.near;
    node.near = lookup_.set_near(place.bits(0, 32), node.cell);
    near_nodes_ += (node.near ? 1 : 0) - (was_near ? 1 : 0);
  }
  const Ipv6Cell cell = node.near ? outer : node.cell;
  nodes_[place] = std::move(node);
  return cell;
}

// Where a few routes of many changed, only their own values are looked at.
void Ipv6Table::renew(Node& node, const Ipv6Key& place, unsigned depth,
                      std::span<const Ipv6Key> changed) {
  constexpr std::size_t kFew = 4;
  const bool all = changed.empty() || changed.size() > kFew || node.intervals.empty() ||
                   changed[0].length <= place.length;
  if (all) {
    node.intervals = intervals_of(place, depth, node.outer);
  } else {
    const std::uint32_t end = first_value(place, depth) + values_of(place, depth);
    for (const Ipv6Key& key : changed) {
      replace_intervals(node.intervals, end,
                        intervals_of(key, depth, shown_by(key, place, node.outer)),
                        first_value(key, depth) + values_of(key, depth));
    }
  }
  node.cell = lookup_.make_node(node.intervals, depth, node.block);
}

// What the key's values show where nothing longer is.
Ipv6Cell Ipv6Table::shown_by(const Ipv6Key& key, const Ipv6Key& place, Ipv6Cell outer) const {
  if (const auto at = routes_.find(key); at != routes_.end()) return at->second.value;
  const auto shorter = shorter_route(key, place.length);
  return shorter ? shorter->next_hop.value : outer;
}

std::vector<Interval> Ipv6Table::intervals_of(const Ipv6Key& range, unsigned depth,
                                              Ipv6Cell outer) {
  const unsigned end_bit = (depth + 1) * kNodeBits;
  const std::uint32_t begin = first_value(range, depth);
  IntervalSweep sweep(begin, begin + values_of(range, depth), outer);
  auto at = routes_.lower_bound({range.address, range.length + 1});
  while (at != routes_.end() && at->first.address <= range.last()) {
    const Ipv6Key& key = at->first;
    const std::uint32_t value = first_value(key, depth);
    if (key.length <= end_bit) {
      sweep.cover(value, values_of(key, depth), at->second.value);
      ++at;
      continue;
    }
    const Ipv6Key below = key.covering(end_bit);
    const Ipv6Cell outer_of_node = sweep.cell_at(value);
    sweep.cover(value, 1, cell_of_node(below, depth + 1, outer_of_node));
    if (below.last() == range.last()) break;
    at = routes_.lower_bound({below.last() + 1, 0});
  }
  return std::move(sweep).finish();
}

// ---- figures

std::size_t Ipv6Table::update_bytes() const {
  return routes_.size() * sizeof(Routes::value_type) + root_lengths_.size() +
         directories_.size() * (sizeof(Directory) + 256 * sizeof(Branch)) +
         nodes_.capacity() * sizeof(Nodes::value_type);
}

}  // namespace rackway::fib
