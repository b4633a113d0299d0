// SPDX-License-Identifier: Apache-2.0
// Random next-hop objects, groups and routes, connections that end, and sweeps: the RIB has what a
// plain table of everything that was said would give.
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "control/fpm/fpm_source.hh"
#include "tests/control/built_router.hh"
#include "tests/control/zebra_frames.hh"

namespace rackway::control::testing {
namespace {

// All that was said, each question answered from nothing.
struct NaiveZebra {
  using Hosts = std::multiset<unsigned>;  // 10.0.1.HOST
  struct Object {
    unsigned host{};
    std::vector<std::uint32_t> members;  // a group
  };
  struct Route {
    std::uint32_t id{};
    std::optional<Hosts> frozen;  // of an earlier connection: where it went then
    bool stale{};
  };
  std::map<std::uint32_t, Object> objects;
  std::map<IpPrefix, Route> routes;

  [[nodiscard]] Hosts hosts_of(std::uint32_t id) const {
    const auto at = objects.find(id);
    if (at == objects.end()) return {};
    if (at->second.members.empty()) return {at->second.host};
    Hosts hosts;
    for (const auto member : at->second.members) {
      const auto one = objects.find(member);
      if (one == objects.end() || !one->second.members.empty()) return {};
      hosts.insert(one->second.host);
    }
    return hosts;
  }
  void remove(std::uint32_t id) {
    objects.erase(id);
    std::set<std::uint32_t> empty;
    for (auto& [group, object] : objects) {
      if (std::erase(object.members, id) > 0 && object.members.empty()) empty.insert(group);
    }
    for (const auto group : empty) objects.erase(group);
  }
  void end() {
    for (auto& [prefix, route] : routes) {
      if (!route.frozen) route.frozen = hosts_of(route.id);
      route.stale = true;
    }
    objects.clear();
  }
  [[nodiscard]] std::map<IpPrefix, Hosts> ways() const {
    std::map<IpPrefix, Hosts> all;
    for (const auto& [prefix, route] : routes) {
      auto hosts = route.frozen ? *route.frozen : hosts_of(route.id);
      if (!hosts.empty()) all[prefix] = std::move(hosts);
    }
    return all;
  }
};

class FpmSourceRandomTest : public ::testing::TestWithParam<unsigned> {
 protected:
  FpmSourceRandomTest() {
    router_.kernel.connect(kPort00, "10.0.1.1", 24);
    router_.publish();
  }
  unsigned below(unsigned bound) { return random_() % bound; }
  IpPrefix any_prefix() {
    return IpPrefix::covering(IpAddress(Ipv4Address{0xc6336400 | below(32) << 3}),
                              static_cast<std::uint8_t>(29 + below(2)));
  }
  std::uint32_t any_id() { return 1 + below(8); }

  // Members are never groups, as in zebra: 1 to 5 are next hops, 6 to 8 groups.
  void put_object() {
    const auto id = any_id();
    // What becomes of stale routes by an object that becomes another is not for certain.
    if (any_stale() && naive_.objects.contains(id)) return;
    if (id < 6) {
      const auto host = 2 + below(4);
      naive_.objects[id] = {host, {}};
      return source_.take(
          next_hop_message(id, ifindex_of(kPort00), "10.0.1." + std::to_string(host)));
    }
    std::set<std::uint32_t> members;
    for (auto count = 1 + below(3); count > 0; --count) members.insert(1 + below(5));
    naive_.objects[id] = {0, {members.begin(), members.end()}};
    source_.take(group_message(id, naive_.objects[id].members));
  }
  [[nodiscard]] bool any_stale() const {
    return std::ranges::any_of(naive_.routes, [](const auto& r) { return r.second.stale; });
  }
  void change() {
    switch (below(16)) {
      case 0: {
        const auto id = any_id();
        if (any_stale()) return;
        naive_.remove(id);
        return source_.take(removed_next_hop_message(id));
      }
      case 1:
      case 2:
      case 3: return put_object();
      case 4:
      case 5:
      case 6: {
        const auto to = any_prefix();
        if (!naive_.routes.contains(to) || !naive_.routes.at(to).stale) naive_.routes.erase(to);
        return source_.take(route_message(true, to.to_string(), 0));
      }
      default: {
        const auto to = any_prefix();
        const auto id = any_id();
        naive_.routes[to] = {id, std::nullopt, false};
        return source_.take(route_message(false, to.to_string(), id));
      }
    }
  }
  void end_or_sweep() {
    if (below(60) == 0) {
      naive_.end();
      source_.mark_stale();
    }
    if (below(30) == 0) {
      const auto gone = std::erase_if(naive_.routes, [](const auto& r) { return r.second.stale; });
      ASSERT_EQ(source_.sweep(), gone);
    }
  }
  [[nodiscard]] std::map<IpPrefix, NaiveZebra::Hosts> ways() const {
    std::map<IpPrefix, NaiveZebra::Hosts> all;
    const auto& rib = router_.builder->rib();
    rib.for_each([&](const IpPrefix& prefix, auto) {
      const auto winner = rib.winner(prefix);
      if (!winner || winner->candidate.source != RouteSource::fpm) return;
      for (const auto& hop : rib.target_of(*winner).next_hops) {
        all[prefix].insert(hop.neighbor.address.data()[3]);
      }
    });
    return all;
  }

  std::mt19937 random_{GetParam()};
  BuiltRouter router_;
  FpmSource source_{*router_.builder};
  NaiveZebra naive_;
};

TEST_P(FpmSourceRandomTest, IsAsTheNaiveOne) {
  std::size_t most = 0;
  for (int step = 0; step < 3000; ++step) {
    for (auto count = below(10); count > 0; --count) change();
    end_or_sweep();
    source_.finish();
    router_.builder->take_routes();
    const auto expected = naive_.ways();
    ASSERT_EQ(ways(), expected) << "in step " << step;
    ASSERT_EQ(source_.routes(), naive_.routes.size());
    ASSERT_EQ(source_.waiting(), naive_.routes.size() - expected.size());
    most = std::max(most, expected.size());
    if (below(10) == 0) router_.publish_taken();
    if (HasFailure()) FAIL() << "in step " << step;
  }
  EXPECT_GT(most, 10u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, FpmSourceRandomTest, ::testing::Range(1u, 5u));

}  // namespace
}  // namespace rackway::control::testing
