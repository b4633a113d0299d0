// SPDX-License-Identifier: Apache-2.0
// Random changes of a kernel and of the operator's routes: the FIB that the deltas made is that of
// a builder that is told everything at once.
#include <gtest/gtest.h>

#include <random>

#include "tests/control/built_router.hh"

namespace rackway::control::testing {
namespace {

class FibBuilderRibRandomTest : public ::testing::TestWithParam<unsigned> {
 protected:
  unsigned below(unsigned bound) { return random_() % bound; }
  bool one_in(unsigned bound) { return below(bound) == 0; }

  IpAddress any_address() {
    // Hosts of the subnets of two ports, and addresses elsewhere.
    static const std::vector<const char*> kNets{"10.0.1.", "10.0.2.", "192.0.2.", "198.51.100."};
    return ip(kNets[below(4)] + std::to_string(2 + below(6)));
  }
  IpPrefix any_prefix() {
    static constexpr std::uint8_t kLengths[] = {0, 8, 24, 25, 30, 31, 32};
    return IpPrefix::covering(any_address(), kLengths[below(7)]);
  }
  void change_kernel() {
    const auto port = one_in(2) ? kPort00 : kPort01;
    switch (below(4)) {
      case 0: {
        const KernelNeighborKey key{ifindex_of(port), any_address()};
        return one_in(3) ? router_.kernel.remove(key) : router_.kernel.set(key, mac(1 + below(3)));
      }
      case 1: return router_.kernel.set(any_prefix(), unicast({on(port)}, kByKernel));
      case 2:
        return router_.kernel.set(any_prefix(),
                                  unicast({{ifindex_of(port), any_address(), 1}}, kByBgp));
      default: return router_.kernel.remove(any_prefix());
    }
  }
  void change_rib() {
    const auto to = any_prefix();
    const auto source = one_in(2) ? RouteSource::added : RouteSource::imported;
    if (one_in(3)) {
      told_.erase({to, source});
      return router_.builder->rib().remove(to, source);
    }
    Paths paths;
    paths.via.push_back({any_address(), static_cast<std::uint16_t>(1 + below(2))});
    const auto other = any_address();
    if (one_in(3) && paths.via[0].address < other) paths.via.push_back({other, 1});
    tell(*router_.builder, to, source, paths);
    told_[{to, source}] = paths;
  }
  static void tell(FibBuilder& builder, const IpPrefix& to, RouteSource source,
                   const Paths& paths) {
    const auto origin = source == RouteSource::added ? RouteOrigin::added : RouteOrigin::imported;
    builder.rib().set(to, source, origin, paths);
  }

  void expect_as_fresh() {
    FibBuilder fresh(kNodes, router_.kernel.view());
    bind_all(fresh);
    for (const auto& [key, paths] : told_) tell(fresh, key.first, key.second, paths);
    fresh.take_routes();
    fib::Fib fib;
    for (const Epoch epoch : {Epoch{1}, Epoch{2}}) {
      ASSERT_TRUE(fib.apply(fresh.take_delta(fib, epoch)));
    }
    ASSERT_FALSE(fresh.changed());
    ASSERT_EQ(picture_of(router_.fib), picture_of(fib));
  }

  std::mt19937 random_{GetParam()};
  BuiltRouter router_;
  std::map<std::pair<IpPrefix, RouteSource>, Paths> told_;
};

TEST_P(FibBuilderRibRandomTest, IsAsAFreshOne) {
  for (int step = 0; step < 500; ++step) {
    for (unsigned i = below(5); i > 0; --i) one_in(2) ? change_kernel() : change_rib();
    if (one_in(4)) {
      router_.builder->take(router_.kernel.take_changes());
      continue;
    }
    if (one_in(50)) router_.builder->compare_everything();
    router_.publish();
    router_.builder->all_nodes_have(router_.epoch);
    expect_as_fresh();
    if (HasFailure()) FAIL() << "in step " << step;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, FibBuilderRibRandomTest, ::testing::Values(1, 2, 3));

}  // namespace
}  // namespace rackway::control::testing
