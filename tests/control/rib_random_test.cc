// SPDX-License-Identifier: Apache-2.0
// Random routes of all sources over nested prefixes, next hops among them that lead through each
// other and in circles. A picture that follows only what refresh() says has changed is that of the
// naive RIB after every step.
#include <gtest/gtest.h>

#include <array>
#include <random>

#include "tests/control/fake_kernel.hh"
#include "tests/control/naive_rib.hh"

namespace rackway::control::testing {
namespace {

struct SourceTarget {
  RouteSource source;
  Target target;
  bool operator==(const SourceTarget&) const = default;
};

class RibRandomTest : public ::testing::TestWithParam<unsigned> {
 protected:
  unsigned below(unsigned bound) { return random_() % bound; }
  bool one_in(unsigned bound) { return below(bound) == 0; }

  // 16 addresses, and the prefixes over them: so few that most things meet.
  IpAddress any_address() {
    if (one_in(6)) return ip("2001:db8::" + std::to_string(1 + below(4)));
    return IpAddress(Ipv4Address{0x0a000000 | below(16)});
  }
  IpPrefix any_prefix() {
    const auto address = any_address();
    const auto bits = address_bits(address.family());
    return IpPrefix::covering(
        address, static_cast<std::uint8_t>(one_in(8) ? 0 : bits - static_cast<int>(below(6))));
  }
  Paths via_some() {
    std::set<IpAddress> addresses{any_address()};
    while (one_in(5)) addresses.insert(any_address());
    Paths paths;
    for (const auto& address : addresses) {
      paths.via.push_back({address, static_cast<std::uint16_t>(1 + below(3))});
    }
    return paths;
  }
  Neighbor any_neighbor() {
    return {one_in(2) ? kPort00 : kPort11, ip("192.0.2." + std::to_string(1 + below(3)))};
  }
  Paths of_kernel() {
    if (one_in(3)) return {{fib::GroupKind::glean, {}}, {one_in(2) ? kPort00 : kPort10}, {}};
    if (one_in(2)) {
      std::set<Neighbor> neighbors{any_neighbor(), any_neighbor()};
      Paths paths{{fib::GroupKind::forward, {}}, {}, {}};
      for (const auto& neighbor : neighbors) {
        paths.target.next_hops.push_back({neighbor, static_cast<std::uint16_t>(1 + below(3))});
      }
      return paths;
    }
    static constexpr fib::GroupKind kKinds[] = {fib::GroupKind::local, fib::GroupKind::blackhole,
                                                fib::GroupKind::prohibit,
                                                fib::GroupKind::broadcast};
    return {{kKinds[below(4)], {}}, {}, {}};
  }
  std::pair<RouteOrigin, Paths> any_route(RouteSource source) {
    static constexpr RouteOrigin kOfKernel[] = {RouteOrigin::connected, RouteOrigin::bgp,
                                                RouteOrigin::installed};
    switch (source) {
      case RouteSource::kernel: return {kOfKernel[below(3)], of_kernel()};
      case RouteSource::document: return {RouteOrigin::document, via_some()};
      case RouteSource::added: return {RouteOrigin::added, one_in(5) ? of_kernel() : via_some()};
      case RouteSource::imported: return {RouteOrigin::imported, via_some()};
      case RouteSource::fpm: return {RouteOrigin::bgp, {}};  // by an own set
    }
    return {};
  }

  // Sets that are changed under their routes.
  void change_own() {
    const auto which = below(kOwn);
    own_[which] = of_kernel();
    if (own_ids_[which] == kNoPaths) {
      own_ids_[which] = rib_.hold_own(own_[which]);
    } else {
      rib_.change(own_ids_[which], own_[which]);
    }
    for (const auto& [prefix, owner] : own_of_) {
      if (owner == which) naive_.routes.at(prefix).at(RouteSource::fpm).paths = own_[which];
    }
  }
  void set_own(const IpPrefix& to) {
    const auto which = below(kOwn);
    if (own_ids_[which] == kNoPaths) return;
    rib_.set(to, RouteSource::fpm, RouteOrigin::bgp, own_ids_[which]);
    naive_.routes[to].insert_or_assign(RouteSource::fpm,
                                       NaiveRib::Route{RouteOrigin::bgp, own_[which]});
    own_of_[to] = which;
  }

  void change() {
    if (one_in(12)) return change_own();
    // Kernel routes are rare, or nothing would need to be resolved.
    const auto source = static_cast<RouteSource>(one_in(4) ? 0 : 1 + below(4));
    const auto to = any_prefix();
    if (one_in(source == RouteSource::kernel ? 2 : 3)) {
      rib_.remove(to, source);
      if (source == RouteSource::fpm) own_of_.erase(to);
      const auto at = naive_.routes.find(to);
      if (at == naive_.routes.end()) return;
      at->second.erase(source);
      if (at->second.empty()) naive_.routes.erase(at);
      return;
    }
    if (source == RouteSource::fpm) return set_own(to);
    auto [origin, paths] = any_route(source);
    rib_.set(to, source, origin, paths);
    naive_.routes[to].insert_or_assign(source, NaiveRib::Route{origin, std::move(paths)});
  }

  // By what has changed only.
  void follow() {
    const auto changes = rib_.refresh();
    ASSERT_TRUE(std::ranges::is_sorted(changes.prefixes));
    for (const auto& prefix : changes.prefixes) {
      picture_.erase(prefix);
      if (auto winner = rib_.winner(prefix)) picture_.emplace(prefix, std::move(*winner));
    }
    for (const auto id : changes.paths) {
      if (const auto& target = rib_.target_of(id)) targets_[id] = *target;
    }
    ASSERT_FALSE(rib_.changed());
  }
  [[nodiscard]] std::map<IpPrefix, SourceTarget> followed() const {
    std::map<IpPrefix, SourceTarget> all;
    for (const auto& [prefix, winner] : picture_) {
      all[prefix] = {winner.candidate.source,
                     winner.own ? *winner.own : targets_.at(winner.candidate.paths)};
    }
    return all;
  }
  // Of one that is told everything at once.
  [[nodiscard]] std::map<IpPrefix, SourceTarget> fresh() const {
    Rib rib;
    for (const auto& [prefix, routes] : naive_.routes) {
      for (const auto& [source, route] : routes) rib.set(prefix, source, route.origin, route.paths);
    }
    std::map<IpPrefix, SourceTarget> all;
    for (const auto& prefix : rib.refresh().prefixes) {
      const auto winner = rib.winner(prefix);
      if (winner) all[prefix] = {winner->candidate.source, rib.target_of(*winner)};
    }
    return all;
  }
  void expect_as_naive() {
    const auto expected = naive_.ways();
    const auto all = followed();
    ASSERT_EQ(all.size(), expected.size());
    for (const auto& [prefix, is] : all) {
      ASSERT_TRUE(expected.contains(prefix)) << prefix.to_string();
      const auto& [source, way] = expected.at(prefix);
      ASSERT_EQ(is.source, source) << prefix.to_string();
      ASSERT_EQ(is.target.kind, way.kind) << prefix.to_string();
      const auto shares = NaiveRib::way_of(is.target).shares;
      ASSERT_EQ(shares.size(), way.shares.size()) << prefix.to_string();
      for (const auto& [neighbor, share] : shares) {
        ASSERT_TRUE(way.shares.contains(neighbor)) << prefix.to_string();
        ASSERT_NEAR(share, way.shares.at(neighbor), 0.002) << prefix.to_string();  // 16 bits
      }
    }
    most_ = std::max(most_, all.size());
  }

  std::mt19937 random_{GetParam()};
  Rib rib_;
  NaiveRib naive_;
  std::map<IpPrefix, Winner> picture_;
  std::map<PathsId, Target> targets_;
  std::size_t most_ = 0;

  static constexpr unsigned kOwn = 3;
  std::array<Paths, kOwn> own_;
  std::array<PathsId, kOwn> own_ids_{kNoPaths, kNoPaths, kNoPaths};
  std::map<IpPrefix, unsigned> own_of_;  // whose set the prefix's fpm route goes by
};

TEST_P(RibRandomTest, IsAsTheNaiveOne) {
  for (int step = 0; step < 2000; ++step) {
    for (unsigned i = below(8); i > 0; --i) change();
    follow();
    expect_as_naive();
    ASSERT_EQ(rib_.prefixes(), naive_.routes.size());
    const bool compares = one_in(10);
    ASSERT_TRUE(!compares || followed() == fresh());
    if (HasFailure()) FAIL() << "in step " << step;
  }
  EXPECT_GT(most_, 10u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RibRandomTest, ::testing::Range(1u, 7u));

}  // namespace
}  // namespace rackway::control::testing
