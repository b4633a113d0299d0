// SPDX-License-Identifier: Apache-2.0
#include "control/rib/next_hop_table.hh"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rackway::control {
namespace {

template <class Index, class Key>
void drop(Index& index, const Key& key, const IpAddress& address) {
  const auto at = index.find(key);
  if (at == index.end()) return;
  at->second.erase(address);
  if (at->second.empty()) index.erase(at);
}

}  // namespace

void NextHopTable::acquire(const IpAddress& address, PathsId user) {
  const auto [at, is_new] = hops_.try_emplace(address);
  at->second.users.insert(user);
  if (!is_new) return;
  dirty_.insert(address);
  visitors_[address].insert(address);
  at->second.addresses = {address};
}

void NextHopTable::release(const IpAddress& address, PathsId user) {
  const auto at = hops_.find(address);
  at->second.users.erase(user);
  if (!at->second.users.empty()) return;
  unlink(address, at->second);
  dirty_.erase(address);
  hops_.erase(at);
}

void NextHopTable::link(const IpAddress& address, const Hop& hop) {
  for (const auto& visited : hop.addresses) visitors_[visited].insert(address);
  for (const auto& prefix : hop.consulted) consulted_by_[prefix].insert(address);
}

void NextHopTable::unlink(const IpAddress& address, const Hop& hop) {
  for (const auto& visited : hop.addresses) drop(visitors_, visited, address);
  for (const auto& prefix : hop.consulted) drop(consulted_by_, prefix, address);
}

void NextHopTable::prefix_changed(const IpPrefix& prefix) {
  for (auto at = visitors_.lower_bound(prefix.address);
       at != visitors_.end() && prefix.covers(at->first); ++at) {
    dirty_.insert(at->second.begin(), at->second.end());
  }
}

NextHopTable::Refreshed NextHopTable::refresh(const Resolver& resolver) {
  Refreshed refreshed;
  for (const auto& address : std::exchange(dirty_, {})) {
    auto& hop = hops_.at(address);
    auto answer = resolver.resolve(address);
    std::ranges::copy(hop.consulted, std::back_inserter(refreshed.consulted));
    std::ranges::copy(answer.consulted, std::back_inserter(refreshed.consulted));
    if (hop.target != answer.target) refreshed.users.insert(hop.users.begin(), hop.users.end());
    unlink(address, hop);
    hop.target = std::move(answer.target);
    hop.consulted = std::move(answer.consulted);
    hop.addresses = std::move(answer.addresses);
    link(address, hop);
  }
  std::ranges::sort(refreshed.consulted);
  const auto twice = std::ranges::unique(refreshed.consulted);
  refreshed.consulted.erase(twice.begin(), twice.end());
  return refreshed;
}

bool NextHopTable::consulted(const IpPrefix& prefix, const std::vector<Via>& via) const {
  const auto at = consulted_by_.find(prefix);
  if (at == consulted_by_.end()) return false;
  return std::ranges::any_of(via, [&](const Via& hop) { return at->second.contains(hop.address); });
}

}  // namespace rackway::control
