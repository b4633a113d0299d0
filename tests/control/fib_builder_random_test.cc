// SPDX-License-Identifier: Apache-2.0
// Random changes of the kernel, restarts of the controller and lost deltas: after each step the FIB
// that the deltas made is that of the naive builder, up to the numbers of groups and adjacencies,
// and no number is used again too early. At times the kernel changes again before the second half
// of a change is published.
#include <gtest/gtest.h>

#include <random>

#include "tests/control/built_router.hh"
#include "tests/control/naive_builder.hh"

namespace rackway::control::testing {
namespace {

const std::vector<IpAddress> kHosts{ip("10.0.1.2"),        ip("10.0.1.3"),      ip("10.0.1.130"),
                                    ip("10.0.2.2"),        ip("10.0.2.3"),      ip("192.0.2.1"),
                                    ip("169.254.0.2"),     ip("fe80::1"),       ip("fe80::2"),
                                    ip("2001:db8:1::2"),   ip("2001:db8:1::3"), ip("2001:db8:2::2"),
                                    ip("255.255.255.255"), ip("0.0.0.1")};
const std::vector<IpPrefix> kPrefixes{
    prefix("0.0.0.0/0"),        prefix("10.0.0.0/8"),        prefix("10.0.0.0/16"),
    prefix("10.0.1.0/24"),      prefix("10.0.1.0/25"),       prefix("10.0.1.128/25"),
    prefix("10.0.1.2/31"),      prefix("10.0.1.2/32"),       prefix("10.0.2.0/24"),
    prefix("10.0.2.3/32"),      prefix("192.0.2.0/24"),      prefix("198.51.100.0/24"),
    prefix("203.0.113.0/24"),   prefix("169.254.0.0/16"),    prefix("::/0"),
    prefix("2001:db8::/32"),    prefix("2001:db8:1::/64"),   prefix("2001:db8:2::/64"),
    prefix("2001:db8:1::/127"), prefix("2001:db8:1::2/128"), prefix("255.255.255.255/32")};
const std::vector<int> kInterfaces{10, 11, 20, 21, kVlan, kOtherVlan, kTunnel, kLoopback};
constexpr KernelRouteType kOtherTypes[] = {KernelRouteType::local, KernelRouteType::broadcast,
                                           KernelRouteType::blackhole, KernelRouteType::unreachable,
                                           KernelRouteType::prohibit};

class FibBuilderRandomTest : public ::testing::TestWithParam<unsigned> {
 protected:
  unsigned below(unsigned bound) { return random_() % bound; }
  bool one_in(unsigned bound) { return below(bound) == 0; }
  template <class Values>
  const auto& any(const Values& values) {
    return values[below(static_cast<unsigned>(std::size(values)))];
  }

  KernelNextHop random_hop() {
    KernelNextHop hop{any(kInterfaces), std::nullopt, static_cast<std::uint16_t>(1 + below(3))};
    if (!one_in(4)) hop.gateway = any(kHosts);
    return hop;
  }
  KernelRoute random_route() {
    if (one_in(4)) {
      auto hops = one_in(2) ? std::vector{random_hop()} : std::vector<KernelNextHop>{};
      return of_type(any(kOtherTypes), hops);
    }
    if (one_in(3)) return unicast({{any(kInterfaces), std::nullopt, 1}}, kByKernel);
    std::vector<KernelNextHop> hops(1 + below(3));
    for (auto& hop : hops) hop = random_hop();
    return unicast(hops);
  }

  // Each link has a VLAN of its own of a port, as the kernel sees to it.
  void change_vlan() {
    const int ifindex = one_in(2) ? kVlan : kOtherVlan;
    if (one_in(4)) return router_.kernel.remove_link(ifindex);
    const auto id = static_cast<std::uint16_t>(ifindex + (one_in(2) ? 0 : 100));
    router_.kernel.add_vlan(ifindex, one_in(2) ? kPort00 : kPort11, id, one_in(2) ? 1500 : 1400);
    if (one_in(4)) router_.kernel.links.at(ifindex).up = false;
  }
  void change_link() {
    static constexpr std::uint32_t kMtus[] = {1500, 9000, 0, 70000};
    if (one_in(2)) return change_vlan();
    const int ifindex = any(kInterfaces);
    if (one_in(4)) return router_.kernel.remove_link(ifindex);
    router_.kernel.set_mtu(ifindex, any(kMtus));
  }
  void change_address() {
    const auto to = any(kHosts);
    const auto length = static_cast<std::uint8_t>(one_in(2) ? 24 : address_bits(to.family()));
    const KernelAddress address{any(kInterfaces), to, length};
    one_in(2) ? router_.kernel.remove(address) : router_.kernel.add(address);
  }
  void change_neighbor() {
    const KernelNeighborKey key{any(kInterfaces), any(kHosts)};
    one_in(3) ? router_.kernel.remove(key) : router_.kernel.set(key, mac(1 + below(3)));
  }
  void change_route() {
    const auto& to = any(kPrefixes);
    one_in(3) ? router_.kernel.remove(to) : router_.kernel.set(to, random_route());
  }
  void change_kernel() {
    switch (below(8)) {
      case 0: return change_link();
      case 1: return change_address();
      case 2:
      case 3:
      case 4: return change_neighbor();
      default: return change_route();
    }
  }

  // No index comes back before all nodes have the epoch that took it away.
  void watch_indices(const fib::Delta& delta) {
    for (const auto& record : delta.adjacencies) {
      const auto gone = gone_with_.find(record.key);
      if (gone == gone_with_.end()) continue;
      ASSERT_LE(gone->second, everywhere_);
      gone_with_.erase(gone);
    }
    for (const auto key : delta.removed_adjacencies) gone_with_[key] = router_.epoch;
  }
  void publish(bool whole) {
    if (one_in(4))
      everywhere_ = {everywhere_.value + below(1 + router_.epoch.value - everywhere_.value)};
    router_.builder->all_nodes_have(everywhere_);
    if (one_in(16)) {
      (void)router_.builder->take_delta(router_.fib, {router_.epoch.value + 1});
      router_.builder->compare_everything();
    }
    do {
      watch_indices(router_.publish_epoch());
    } while (whole && router_.builder->changed());
  }

  void restart() {
    for (unsigned i = below(10); i > 0; --i) change_kernel();  // while nobody looks
    router_.restart();
    gone_with_.clear();
    naive_.stale_routes.clear();
    naive_.stale_neighbors.clear();
    naive_.restore(router_.fib.snapshot());
    naive_.confirm();
  }
  void settle() {
    router_.builder->settle();
    naive_.stale_routes.clear();
    naive_.stale_neighbors.clear();
  }

  void step() {
    if (one_in(100)) restart();
    if (one_in(40)) settle();
    for (unsigned i = below(6); i > 0; --i) {
      change_kernel();
      if (one_in(2)) take();
    }
    take();
  }
  void take() {
    router_.builder->take(router_.kernel.take_changes());
    naive_.confirm();
  }

  void expect_as_naive() {
    ASSERT_EQ(picture_of(router_.fib), naive_.picture());
    ASSERT_EQ(router_.builder->stale(), naive_.stale_routes.size());
    const auto unresolved = router_.builder->unresolved();
    ASSERT_EQ(std::set(unresolved.begin(), unresolved.end()), naive_.unresolved());
    ASSERT_EQ(unresolved.size(), naive_.unresolved().size());
  }

  // A builder that sees only the present kernel comes to an equal FIB, and so does one that
  // restores this one's, by the same numbers.
  void expect_as_fresh() {
    if (!naive_.stale_routes.empty() || !naive_.stale_neighbors.empty()) return;
    FibBuilder fresh(kNodes, router_.kernel.view());
    bind_all(fresh);
    fib::Fib fib;
    for (const Epoch epoch : {Epoch{1}, Epoch{2}}) {
      ASSERT_TRUE(fib.apply(fresh.take_delta(fib, epoch)));
    }
    ASSERT_FALSE(fresh.changed());
    ASSERT_EQ(picture_of(fib), picture_of(router_.fib));
    FibBuilder restored(kNodes, router_.kernel.view());
    bind_all(restored);
    restored.restore(router_.fib.snapshot());
    ASSERT_EQ(restored.take_delta(router_.fib, {1}), fib::Delta{});
    restored.settle();
    ASSERT_EQ(restored.take_delta(router_.fib, {1}), fib::Delta{});
  }

  std::mt19937 random_{GetParam()};
  BuiltRouter router_;
  NaiveBuilder naive_{router_.kernel, kPorts};
  std::map<fib::AdjacencyKey, Epoch> gone_with_;
  Epoch everywhere_;
};

TEST_P(FibBuilderRandomTest, IsAsTheNaiveOne) {
  for (int i = 0; i < 2000 && !HasFatalFailure(); ++i) {
    step();
    if (one_in(4)) continue;
    const bool whole = !one_in(4);
    publish(whole);
    if (!whole) continue;
    expect_as_naive();
    if (one_in(10)) expect_as_fresh();
    if (HasFailure()) FAIL() << "in step " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FibBuilderRandomTest, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace rackway::control::testing
