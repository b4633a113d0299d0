// SPDX-License-Identifier: Apache-2.0
#include "cluster/audit_run.hh"

#include <vector>

namespace rackway::cluster {
namespace {

constexpr std::size_t kRoutesPerStep = 50'000;  // some milliseconds

AuditOutcome outcome_of(const fib::Fib& fib, fib::NextHopId id, const fib::Bucket& bucket) {
  AuditOutcome outcome{.kind = fib.group(id).kind,
                       .group = fib.group_of(id).value_or(AuditOutcome::kNoGroup)};
  if (outcome.kind != fib::GroupKind::forward) return outcome;
  outcome.adjacency = {bucket.node, bucket.index};
  outcome.mtu = bucket.mtu;
  return outcome;
}

// Of one family, in a burst as the cores do it.
template <class Address>
struct Burst {
  std::vector<std::size_t> places;  // in the request
  std::vector<Address> addresses;
  std::vector<std::uint32_t> flow_hashes;

  void add(std::size_t place, const Address& address, std::uint32_t flow_hash) {
    places.push_back(place);
    addresses.push_back(address);
    flow_hashes.push_back(flow_hash);
  }

  void look_up(const fib::Fib& fib, std::vector<AuditOutcome>& outcomes) const {
    std::vector<fib::NextHopId> ids(places.size());
    std::vector<fib::Bucket> buckets(places.size());
    fib.lookup(addresses, ids);
    fib.pick(ids, flow_hashes, buckets);
    for (std::size_t i = 0; i < places.size(); ++i) {
      outcomes[places[i]] = outcome_of(fib, ids[i], buckets[i]);
    }
  }
};

std::vector<AuditOutcome> look_up(const fib::Fib& fib, const std::vector<AuditLookup>& lookups) {
  Burst<Ipv4Address> ipv4;
  Burst<Ipv6Address> ipv6;
  for (std::size_t i = 0; i < lookups.size(); ++i) {
    const auto& [address, flow_hash] = lookups[i];
    if (address.is_v4()) {
      ipv4.add(i, address.v4(), flow_hash);
    } else {
      ipv6.add(i, address.v6(), flow_hash);
    }
  }
  std::vector<AuditOutcome> outcomes(lookups.size());
  ipv4.look_up(fib, outcomes);
  ipv6.look_up(fib, outcomes);
  return outcomes;
}

}  // namespace

AuditRun::AuditRun(const fib::Fib& fib, Epoch epoch, const AuditRequest& request)
    : answer_{.number = request.number, .epoch = epoch} {
  if (epoch != request.epoch) return;
  answer_.outcomes = look_up(fib, request.lookups);
  digest_.emplace(fib);
}

bool AuditRun::step() {
  return !digest_ || digest_->step(kRoutesPerStep);
}

AuditAnswer AuditRun::answer() const {
  AuditAnswer answer = answer_;
  if (!digest_ || !digest_->is_done()) return answer;
  answer.has_digest = true;
  answer.digest = digest_->sum();
  return answer;
}

}  // namespace rackway::cluster
