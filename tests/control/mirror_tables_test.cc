// SPDX-License-Identifier: Apache-2.0
// Routes of FRR's daemons in a mirror's tables, when zebra tells of them itself and when it does
// not.
#include "control/kernel/mirror_tables.hh"

#include <gtest/gtest.h>

#include "tests/control/fake_kernel.hh"

namespace rackway::control::testing {
namespace {

RouteMessage route_of(std::uint8_t protocol, std::uint32_t metric) {
  RouteMessage message{.prefix = prefix("198.51.100.0/24")};
  message.route.protocol = protocol;
  message.route.metric = metric;
  message.route.hops = {{via(kPort00, "10.0.1.2")}};
  return message;
}

TEST(MirrorTables, ZebrasCopiesAreLeftOutIfZebraTellsThemItself) {
  for (const auto daemons : {DaemonRoutes::in_kernel, DaemonRoutes::by_fpm}) {
    MirrorTables tables(daemons);
    EXPECT_EQ(tables.apply(route_of(kByBoot, 100)), MirrorTables::Silent::nothing);
    EXPECT_EQ(tables.apply(route_of(kByBgp, 20)), MirrorTables::Silent::nothing);
    const bool left_out = daemons == DaemonRoutes::by_fpm;
    EXPECT_EQ(tables.routes().begin()->second.protocol, left_out ? kByBoot : kByBgp);
    auto gone = route_of(kByBgp, 20);
    gone.removed = true;
    // No reason for a look at the kernel's own table.
    EXPECT_EQ(tables.apply(gone), MirrorTables::Silent::nothing);
    EXPECT_EQ(tables.routes().begin()->second.protocol, kByBoot);
  }
}

// It stays so over a dump.
TEST(MirrorTables, BirdsAreNotZebras) {
  constexpr std::uint8_t kByBird = 12;
  MirrorTables tables(DaemonRoutes::by_fpm);
  tables.become(MirrorTables(DaemonRoutes::by_fpm));
  (void)tables.apply(route_of(kByBgp, 20));
  EXPECT_TRUE(tables.routes().empty());
  (void)tables.apply(route_of(kByBird, 32));
  EXPECT_EQ(tables.routes().size(), 1u);
}

}  // namespace
}  // namespace rackway::control::testing
