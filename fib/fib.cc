// SPDX-License-Identifier: Apache-2.0
#include "fib/fib.hh"

#include "fib/delta_check.hh"
#include "fib/fib_content.hh"

namespace rackway::fib {

struct Fib::State : FibContent {};

Fib::Fib() : state_(std::make_unique<State>()) {}
Fib::~Fib() = default;
Fib::Fib(Fib&&) noexcept = default;
Fib& Fib::operator=(Fib&&) noexcept = default;

Fib Fib::clone() const {
  Fib copy;
  *copy.state_ = *state_;
  return copy;
}

Result<void> Fib::apply(const Delta& delta) {
  auto checked = check_delta(*state_, delta);
  if (checked) state_->apply(delta);
  return checked;
}

Delta Fib::snapshot() const {
  return state_->snapshot();
}

Digest Fib::digest() const {
  return state_->digest;
}

NextHopId Fib::lookup(Ipv4Address address) const noexcept {
  return state_->ipv4.lookup(address);
}

NextHopId Fib::lookup(const Ipv6Address& address) const noexcept {
  return state_->ipv6.lookup(address);
}

void Fib::lookup(std::span<const Ipv4Address> addresses, std::span<NextHopId> out) const noexcept {
  state_->ipv4.lookup(addresses, out);
}

void Fib::lookup(std::span<const Ipv6Address> addresses, std::span<NextHopId> out) const noexcept {
  state_->ipv6.lookup(addresses, out);
}

GroupEntry Fib::group(NextHopId id) const noexcept {
  return state_->groups.entry(id);
}

void Fib::pick(std::span<const NextHopId> ids, std::span<const std::uint32_t> flow_hashes,
               std::span<Bucket> out) const noexcept {
  state_->groups.pick(ids, flow_hashes, out);
}

std::optional<GroupId> Fib::group_of(NextHopId id) const {
  if (id.value >= kFirstNextHop) return state_->groups.group_of(id);
  const auto any = id == kIpv4Default ? IpPrefix{Ipv4Address{}, 0} : IpPrefix{Ipv6Address{}, 0};
  const auto route = state_->find(any);
  return route ? std::optional(route->group) : std::nullopt;
}

NextHopId Fib::next_hop_of(GroupId id) const {
  return state_->groups.next_hop_of(id);
}

std::optional<Route> Fib::longest_match(const IpAddress& address) const {
  return state_->longest_match(address);
}

std::optional<Route> Fib::find(const IpPrefix& prefix) const {
  return state_->find(prefix);
}

std::vector<Route> Fib::covering(const IpPrefix& prefix) const {
  return state_->covering(prefix);
}

std::vector<Route> Fib::routes_after(const std::optional<IpPrefix>& last, std::size_t most) const {
  return state_->routes_after(last, most);
}

Digest Fib::digest_without_routes() const {
  return state_->digest_without_routes();
}

const Group* Fib::find(GroupId id) const {
  return state_->groups.find(id);
}

const Adjacency* Fib::find(AdjacencyKey key) const {
  return state_->adjacencies.find(key);
}

std::span<const LocalAdjacency> Fib::adjacencies_of(NodeId node) const noexcept {
  return state_->adjacencies.of(node);
}

std::span<const PortAddress> Fib::addresses_of(NodeId node) const noexcept {
  return state_->addresses.of(node);
}

Fib::Memory Fib::memory() const {
  return {state_->ipv4.lookup_bytes(), state_->ipv6.lookup_bytes(),
          state_->ipv4.update_bytes() + state_->ipv6.update_bytes()};
}

Fib::Size Fib::size() const {
  return {state_->ipv4.size(), state_->ipv6.size(), state_->groups.size(),
          state_->adjacencies.size(), state_->addresses.size()};
}

}  // namespace rackway::fib
