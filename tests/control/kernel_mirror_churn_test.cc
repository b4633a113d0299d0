// SPDX-License-Identifier: Apache-2.0
// The mirror under many changes at once: whatever was missed, overrun or interrupted on the way, in
// the end it is what a new mirror reads from the kernel.
#include <gtest/gtest.h>

#include <cctype>
#include <cerrno>
#include <random>
#include <set>
#include <sstream>
#include <thread>

#include "control/kernel/kernel_mirror.hh"
#include "control/kernel/netlink_socket.hh"
#include "tests/control/kernel_churn.hh"
#include "tests/control/kernel_sandbox.hh"

namespace rackway::control::kernel_tests {
namespace {

class KernelMirrorChurnTest : public testing::TestWithParam<unsigned> {};

TEST_P(KernelMirrorChurnTest, EqualsAFreshDumpAfterIt) {
  const Sandbox sandbox;
  add_three_links(sandbox);
  KernelMirror mirror(sandbox.name());
  Churn churn(GetParam(), GetParam() % 2 == 0);
  sandbox.batch(churn.lines(3000), [&] { mirror.read_events(); });
  EXPECT_TRUE(becomes_equal_to_fresh(mirror, sandbox));
  EXPECT_EQ(mirror.counters().malformed, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, KernelMirrorChurnTest, testing::Range(1u, 13u));

// The changes that a mirror tells, applied to a copy of what it was, give what it is.
TEST(KernelMirrorChanges, AreComplete) {
  const Sandbox sandbox;
  add_three_links(sandbox);
  KernelMirror mirror(sandbox.name());
  Churn churn(77);
  std::map<IpPrefix, KernelRoute> routes;
  std::map<KernelNeighborKey, MacAddress> neighbors;
  std::map<int, KernelLink> links;
  const auto follow = [](const auto& changed, const auto& source, auto& copy) {
    for (const auto& key : changed) {
      copy.erase(key);
      const auto found = source.find(key);
      if (found != source.end()) copy.insert(*found);
    }
  };
  for (int i = 0; i < 40; ++i) {
    sandbox.batch(churn.lines(50));
    catch_up(mirror);
    if (i % 8 == 7) {
      ASSERT_TRUE(mirror.resync());
    }
    const KernelChanges changes = mirror.take_changes();
    follow(changes.routes, mirror.routes(), routes);
    follow(changes.neighbors, mirror.neighbors(), neighbors);
    follow(changes.links, mirror.links(), links);
    ASSERT_EQ(routes, mirror.routes());
    ASSERT_EQ(neighbors, mirror.neighbors());
    ASSERT_EQ(links, mirror.links());
  }
}

// "10.0.0.2 10.0.1.3" of the first route that `ip route show` has for the prefix, "direct" for
// none, "blackhole" and so on; "" without a route.
std::string shown_by_ip(const Sandbox& sandbox, const std::string& to) {
  const std::string family = to.find(':') == std::string::npos ? "-4 " : "-6 ";
  std::istringstream text(sandbox.output_of(family + "route show exact " + to));
  std::set<IpAddress> gateways;
  std::string line, first;
  for (int i = 0; std::getline(text, line) && (i == 0 || line.front() == '\t'); ++i) {
    std::istringstream words(line);
    for (std::string word; words >> word;) {
      if (first.empty()) first = word;
      if (word == "via" && words >> word) gateways.insert(addr(word));
    }
  }
  if (first.empty() || first == "throw") return "";
  if (!std::isdigit(static_cast<unsigned char>(first[0])) && first[0] != 'f') return first;
  std::string all;
  for (const IpAddress& gateway : gateways) all += (all.empty() ? "" : " ") + gateway.to_string();
  return all.empty() ? "direct" : all;
}

std::string shown_by_mirror(const KernelMirror& mirror, const std::string& to) {
  const auto found = mirror.routes().find(prefix(to));
  if (found == mirror.routes().end()) return "";
  switch (found->second.type) {
    case KernelRouteType::blackhole: return "blackhole";
    case KernelRouteType::unreachable: return "unreachable";
    case KernelRouteType::prohibit: return "prohibit";
    default: break;
  }
  std::set<IpAddress> gateways;
  for (const KernelNextHop& hop : found->second.next_hops) {
    if (hop.gateway) gateways.insert(*hop.gateway);
  }
  std::string all;
  for (const IpAddress& gateway : gateways) all += (all.empty() ? "" : " ") + gateway.to_string();
  return all.empty() ? "direct" : all;
}

// Another reader of the same kernel, for what two mirrors could have wrong in common.
TEST(KernelMirrorEvents, AreUnderstoodAsIpUnderstandsThem) {
  const Sandbox sandbox;
  add_three_links(sandbox);
  KernelMirror mirror(sandbox.name());
  Churn churn(13, false);
  for (int i = 0; i < 12; ++i) {
    sandbox.batch(churn.lines(60));
    catch_up(mirror);
    const KernelMirror fresh(sandbox.name());
    for (int n = 0; n < 12; ++n) {
      for (const std::string& to :
           {"20." + std::to_string(n) + ".0.0/16", "fd20:" + std::to_string(n) + "::/48"}) {
        const std::string expected = shown_by_ip(sandbox, to);
        ASSERT_EQ(shown_by_mirror(mirror, to), expected) << to;
        ASSERT_EQ(shown_by_mirror(fresh, to), expected) << to;
      }
    }
  }
}

// The common changes need no look at the kernel's own table.
TEST(KernelMirrorEvents, SufficeForPlainRoutes) {
  const Sandbox sandbox;
  add_three_links(sandbox);
  KernelMirror mirror(sandbox.name());
  std::mt19937 random(5);
  std::string lines;
  for (int i = 0; i < 3000; ++i) {
    const bool v4 = random() % 2 == 0;
    const std::string n = std::to_string(random() % 50);
    const std::string link = std::to_string(random() % 3);
    const std::string metric = " metric " + std::to_string(10 + random() % 3);
    lines += "route ";
    lines += random() % 3 == 0 ? "del " : "replace ";
    lines += (v4 ? "20." + n + ".0.0/16" : "fd20:" + n + "::/48") + metric;
    lines += (v4 ? " via 10.0." + link + ".2\n" : " via fd00:" + link + "::2\n");
  }
  sandbox.batch(lines);
  catch_up(mirror);
  EXPECT_EQ(mirror.counters().resyncs, 1u);
  EXPECT_TRUE(is_equal(mirror, KernelMirror(sandbox.name())));
}

// Nothing is left to the next resync: after each single change the mirror is right.
TEST(KernelMirrorEvents, EachIsUnderstood) {
  const Sandbox sandbox;
  add_three_links(sandbox);
  KernelMirror mirror(sandbox.name());
  Churn churn(99, false);
  for (int i = 0; i < 400; ++i) {
    const std::string line = churn.lines(1);
    sandbox.batch(line);
    catch_up(mirror);
    ASSERT_TRUE(is_equal(mirror, KernelMirror(sandbox.name()))) << i << ": " << line;
  }
}

TEST(KernelMirrorOverrun, EndsInAResync) {
  const Sandbox sandbox;
  add_three_links(sandbox);
  KernelMirror mirror(sandbox.name(), DaemonRoutes::in_kernel, 4096);
  std::string add, remove;
  for (int i = 0; i < 20000; ++i) {
    const std::string to =
        "20." + std::to_string(i / 256) + "." + std::to_string(i % 256) + ".0/24";
    add += "route add " + to + " via 10.0." + std::to_string(i % 3) + ".2\n";
    remove += "route del " + to + "\n";
  }
  const std::size_t before = mirror.routes().size();
  sandbox.batch(add);
  catch_up(mirror);
  EXPECT_GT(mirror.counters().overruns, 0u);
  EXPECT_EQ(mirror.routes().size(), before + 20000);
  EXPECT_TRUE(is_equal(mirror, KernelMirror(sandbox.name())));

  const auto overruns = mirror.counters().overruns;
  sandbox.batch(remove);
  catch_up(mirror);
  EXPECT_GT(mirror.counters().overruns, overruns);
  EXPECT_EQ(mirror.routes().size(), before);
}

TEST(KernelMirrorOverrun, WorkPerCallIsBounded) {
  const Sandbox sandbox;
  add_three_links(sandbox);
  KernelMirror mirror(sandbox.name());
  std::string add;
  for (int i = 0; i < 10000; ++i) {
    add += "route add 20." + std::to_string(i / 256) + "." + std::to_string(i % 256) +
           ".0/24 via 10.0.0.2\n";
  }
  sandbox.batch(add);
  const std::size_t before = mirror.routes().size();
  EXPECT_TRUE(mirror.read_events());
  EXPECT_LT(mirror.routes().size(), before + 10000);
  catch_up(mirror);
  EXPECT_EQ(mirror.routes().size(), before + 10000);
}

// Dumps that changes interrupt, and events older than the dump that they are read after.
TEST(KernelMirrorResync, InTheMiddleOfChurn) {
  const Sandbox sandbox;
  add_three_links(sandbox);
  KernelMirror mirror(sandbox.name());
  std::thread churning([&] {
    Churn churn(4711);
    for (int i = 0; i < 20; ++i) sandbox.batch(churn.lines(200));
  });
  for (int i = 0; i < 300; ++i) {
    (void)mirror.resync();
    mirror.read_events();
    try {
      const KernelMirror another(sandbox.name());
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
  churning.join();
  EXPECT_TRUE(becomes_equal_to_fresh(mirror, sandbox));
}

TEST(UntilConsistent, TriesAnInterruptedDumpAgain) {
  int calls = 0;
  const auto reply = until_consistent([&]() -> NetlinkReply {
    if (++calls < 3) return tl::unexpected(NetlinkRefusal{EINTR, "interrupted"});
    return {};
  });
  EXPECT_TRUE(reply);
  EXPECT_EQ(calls, 3);
}

TEST(UntilConsistent, GivesUpOnOtherFaultsAtOnceAndOnInterruptionsInTheEnd) {
  int calls = 0;
  const auto refused = until_consistent([&]() -> NetlinkReply {
    ++calls;
    return tl::unexpected(NetlinkRefusal{EPERM, "no"});
  });
  EXPECT_EQ(refused.error().code, EPERM);
  EXPECT_EQ(calls, 1);
  calls = 0;
  const auto interrupted = until_consistent([&]() -> NetlinkReply {
    ++calls;
    return tl::unexpected(NetlinkRefusal{EINTR, "interrupted"});
  });
  EXPECT_EQ(interrupted.error().code, EINTR);
  EXPECT_GT(calls, 1);
}

}  // namespace
}  // namespace rackway::control::kernel_tests
