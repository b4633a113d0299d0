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
  if (is_new && key.length > kRootLength) {
    Network& network = networks_[high16(key)];
    ++network.routes;
    ++network.changes;
    Branch& branch = branch_of(network, key);
    branch.routes += key.length > kBranchLength ? 1 : 0;
    ++branch.changes;
  }
  if (before != next_hop) note_change(key, next_hop);
  return before;
}

std::optional<NextHopId> Ipv6Table::remove(const IpPrefix& prefix) {
  const Ipv6Key key = key_of(prefix);
  const auto at = routes_.find(key);
  if (at == routes_.end()) return std::nullopt;
  const NextHopId before = at->second;
  routes_.erase(at);
  if (key.length > kRootLength) {
    Network& network = networks_.at(high16(key));
    --network.routes;
    ++network.changes;
    Branch& branch = branch_of(network, key);
    branch.routes -= key.length > kBranchLength ? 1 : 0;
    ++branch.changes;
  }
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
  changed_.push_back(key);
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

// ---- the lookup structure

void Ipv6Table::refresh() {
  if (lookup_.too_narrow(next_hop_bound_)) return widen();
  std::sort(changed_.begin(), changed_.end());
  for (auto first = changed_.begin(); first != changed_.end();) {
    const Ipv6Key place = first->covering(kRootLength);
    const auto last = std::find_if(first, changed_.end(),
                                   [&](const Ipv6Key& key) { return key.address > place.last(); });
    refresh_network({first, last});
    first = last;
  }
  changed_.clear();
}

// All anew, with wider leaves.
void Ipv6Table::widen() {
  lookup_.widen(next_hop_bound_);
  std::vector<std::uint32_t> empty;
  for (auto& [high16, network] : networks_) {
    if (network.routes == 0) {
      empty.push_back(high16);
    } else {
      make_network(high16, network);
    }
  }
  for (const std::uint32_t high16 : empty) networks_.erase(high16);
  changed_.clear();
}

// Of one /16.
void Ipv6Table::refresh_network(std::span<const Ipv6Key> changed) {
  constexpr std::size_t kWorth = 256, kFew = 4;  // routes that a change may take along
  const std::uint32_t at = high16(changed.front());
  const auto known = networks_.find(at);
  if (known == networks_.end()) return;
  Network& network = known->second;
  if (network.routes == 0) {
    lookup_.remove_network(at);
    networks_.erase(known);
  } else if (!lookup_.has_network(at) || 2 * changed.size() > network.routes ||
             (2 * network.changes > network.routes &&
              network.routes <= kWorth * (kFew + changed.size()))) {
    make_network(at, network);
  } else {
    renew(network, changed);
  }
}

void Ipv6Table::make_network(std::uint32_t high16, Network& network) {
  lookup_.make_network(high16, [this](const Ipv6Key& place) { return intervals_of(place); });
  network.changes = 0;
  for (Branch& branch : network.branches) branch.changes = 0;
}

// In order; what one change made anew is done for the others in it.
void Ipv6Table::renew(Network& network, std::span<const Ipv6Key> changed) {
  constexpr std::uint32_t kFew = 8;
  const auto intervals = [this](const Ipv6Key& place) { return intervals_of(place); };
  std::optional<Ipv6Key> done;
  for (const Ipv6Key& key : changed) {
    if (done && key.length > done->length && key.covering(done->length) == *done) continue;
    Branch& branch = branch_of(network, key);
    if (key.length > kBranchLength && branch.changes > branch.routes + kFew) {
      branch.changes = 0;
      done = lookup_.renew_branch(key, intervals);
    } else {
      done = lookup_.renew(key, intervals);
    }
  }
}

std::vector<Interval> Ipv6Table::intervals_of(const Ipv6Key& place) const {
  Ipv6Cell outer = 0;
  if (place.length > kRootLength) {
    const auto covering = shorter_route({place.address, place.length + 1}, kRootLength);
    if (covering) outer = covering->next_hop.value;
  }
  IntervalSweep sweep(place, outer);
  const Ipv6Number last = place.last();
  for (auto at = routes_.lower_bound({place.address, place.length + 1});
       at != routes_.end() && at->first.address <= last; ++at) {
    sweep.cover(at->first, at->second.value);
  }
  return std::move(sweep).finish();
}

// ---- figures

std::size_t Ipv6Table::update_bytes() const {
  constexpr std::size_t kBranches = 1u << (kBranchLength - kRootLength);
  return routes_.size() * sizeof(Routes::value_type) + root_lengths_.size() +
         networks_.size() * (sizeof(Network) + kBranches * sizeof(Branch));
}

}  // namespace rackway::fib
