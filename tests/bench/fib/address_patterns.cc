// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/fib/address_patterns.hh"

#include <algorithm>
#include <random>

#include "tests/fib/naive_table.hh"

namespace rackway::bench {
namespace {

using fib::testing::address_of;
using fib::testing::host_mask;
using fib::testing::Number;
using fib::testing::number_of;

constexpr std::uint64_t kSeed = 4711;

Ipv4Address address_in(const IpPrefix& prefix, Ipv4Address) {
  return prefix.address.v4();
}
Ipv6Address address_in(const IpPrefix& prefix, Ipv6Address) {
  return prefix.address.v6();
}

template <class Address>
class AddressSource {
 public:
  explicit AddressSource(std::span<const fib::TableRoute> routes) : routes_(routes) {
    Number end = 0;
    for (const auto& [prefix, next_hop] : routes) {
      const Number begin = number_of(address_in(prefix, Address{}));
      if (!outermost_.empty() && begin < end) continue;
      end = begin + host_mask<Address>(prefix.length) + 1;
      outermost_.push_back({begin, covered_});
      covered_ += end - begin;
    }
  }

  Address anywhere() { return address_of<Address>(number()); }
  Address in_prefix() {
    const auto& prefix = routes_[random_() % routes_.size()].prefix;
    const Number begin = number_of(address_in(prefix, Address{}));
    return address_of<Address>(begin | (number() & host_mask<Address>(prefix.length)));
  }
  // The outermost prefixes end to end, and a point on that line.
  Address covered() {
    const Number at = number() % covered_;
    const auto behind = std::upper_bound(
        outermost_.begin(), outermost_.end(), at,
        [](Number point, const Outermost& prefix) { return point < prefix.before; });
    const Outermost& prefix = *std::prev(behind);
    return address_of<Address>(prefix.begin + (at - prefix.before));
  }
  double fraction() { return double(random_() >> 11) * 0x1p-53; }

 private:
  struct Outermost {
    Number begin;
    Number before;  // addresses in those before it
  };
  Number number() { return Number{random_()} << 64 | random_(); }

  std::span<const fib::TableRoute> routes_;
  std::mt19937_64 random_{kSeed};
  std::vector<Outermost> outermost_;
  Number covered_ = 0;
};

// Which flow each packet is of: the n-th with a share of 1 / n.
template <class Source>
std::size_t zipf(Source& source, const std::vector<double>& until) {
  const double at = source.fraction() * until.back();
  const auto found = std::upper_bound(until.begin(), until.end(), at);
  return static_cast<std::size_t>(std::min(found, until.end() - 1) - until.begin());
}

}  // namespace

template <class Address>
AddressPatterns<Address> address_patterns(std::span<const fib::TableRoute> routes) {
  constexpr std::size_t kFlows = 1'000'000;
  AddressSource<Address> source(routes);
  std::vector<Address> flows(kFlows);
  for (Address& flow : flows) flow = source.in_prefix();
  std::vector<double> until(kFlows);
  double sum = 0;
  for (std::size_t i = 0; i < kFlows; ++i) until[i] = sum += 1.0 / double(i + 1);

  AddressPatterns<Address> patterns;
  for (std::size_t i = 0; i < kAddresses; ++i) {
    patterns[0].push_back(source.covered());
    patterns[1].push_back(source.in_prefix());
    patterns[2].push_back(flows[zipf(source, until)]);
    patterns[3].push_back(source.anywhere());
  }
  return patterns;
}

template AddressPatterns<Ipv4Address> address_patterns(std::span<const fib::TableRoute>);
template AddressPatterns<Ipv6Address> address_patterns(std::span<const fib::TableRoute>);

}  // namespace rackway::bench
