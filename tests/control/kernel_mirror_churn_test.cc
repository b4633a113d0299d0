// SPDX-License-Identifier: Apache-2.0
// The mirror under many changes at once: whatever was missed, overrun or interrupted on the way, in
// the end it is what a new mirror reads from the kernel.
#include <gtest/gtest.h>
#include <sys/socket.h>

#include <cerrno>
#include <random>
#include <thread>

#include "control/kernel/kernel_mirror.hh"
#include "control/kernel/netlink_socket.hh"
#include "tests/control/kernel_sandbox.hh"

namespace rackway::control {
namespace {

void add_three_links(const Sandbox& sandbox) {
  for (const std::string i : {"0", "1", "2"}) {
    sandbox.add_link("v" + i);
    sandbox.ip("addr add 10.0." + i + ".1/24 dev v" + i);
    sandbox.ip("addr add fd00:" + i + "::1/64 dev v" + i);
  }
}

// Random lines for `ip -batch`; few names and numbers, so that they meet each other.
class Churn {
 public:
  explicit Churn(unsigned seed) : random_(seed) {}

  std::string lines(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += line() + "\n";
    return text;
  }

 private:
  int below(int bound) { return static_cast<int>(random_() % static_cast<unsigned>(bound)); }
  std::string number(int bound) { return std::to_string(below(bound)); }
  std::string one_of(const std::vector<std::string>& words) {
    return words[static_cast<std::size_t>(below(static_cast<int>(words.size())))];
  }

  std::string gateway(bool v4) {
    const std::string link = number(3), host = std::to_string(2 + below(4));
    return v4 ? "10.0." + link + "." + host : "fd00:" + link + "::" + host;
  }
  std::string hops(bool v4) {
    switch (below(6)) {
      case 0:
        return " dev v" + number(3);
      case 1:
        return " nhid " + std::to_string((v4 ? 1 : 61) + below(5));
      case 2:
        return " nexthop via " + gateway(v4) + " weight 2 nexthop via " + gateway(v4) +
               " nexthop via " + gateway(v4);
      default:
        return " via " + gateway(v4);
    }
  }
  std::string destination(bool v4) {
    return v4 ? "20." + number(12) + ".0.0/16" : "fd20:" + number(12) + "::/48";
  }
  std::string metric() {
    return below(3) == 0 ? " metric " + std::to_string(10 * (1 + below(3))) : "";
  }

  std::string route() {
    const bool v4 = below(2) == 0;
    const std::string start = "route ";
    const std::string verb = one_of({"add", "replace", "append", "prepend", "del"});
    if (verb == "del" && below(2) == 0) return start + "del " + destination(v4) + metric();
    if (below(8) == 0) {
      const std::string type = one_of({"blackhole ", "unreachable ", "prohibit ", "throw "});
      return start + verb + " " + type + destination(v4) + metric();
    }
    return start + verb + " " + destination(v4) + metric() + hops(v4);
  }
  std::string next_hop() {
    const bool v4 = below(2) == 0;
    const int base = v4 ? 1 : 61;
    const std::string id = std::to_string(base + below(3));
    if (below(3) == 0) return "nexthop del id " + std::to_string(base + below(5));
    if (below(3) == 0) {
      return "nexthop replace id " + std::to_string(base + 3 + below(2)) + " group " + id;
    }
    if (below(3) == 0) {
      return "nexthop replace id " + std::to_string(base + 3 + below(2)) + " group " +
             std::to_string(base) + ",3/" + std::to_string(base + 1) + ",5";
    }
    return "nexthop replace id " + id + " via " + gateway(v4) + " dev v" + number(3);
  }
  std::string address() {
    const std::string verb = one_of({"add", "del"});
    const std::string link = number(3);
    if (below(2) == 0) return "addr " + verb + " 10.0." + link + ".1/24 dev v" + link;
    if (below(2) == 0)
      return "addr " + verb + " 10.0." + link + "." + number(9) + "/24 dev v" + link;
    return "addr " + verb + " fd00:" + link + "::1/64 dev v" + link;
  }
  std::string neighbor() {
    const std::string link = number(3), host = number(9);
    const std::string at =
        (below(2) == 0 ? "10.0." + link + "." : "fd00:" + link + "::") + host + " dev v" + link;
    const std::string replace = "neigh replace " + at + " lladdr 02:00:00:00:00:0" + number(9);
    if (below(3) == 0) return replace + "\nneigh del " + at;  // without an entry, `ip` would end
    return replace + one_of({"", " nud stale", " nud failed", " nud noarp"});
  }
  std::string line() {
    switch (below(40)) {
      case 0:
        return "link set v" + number(3) + one_of({" up", " up", " down"});
      case 1:
        return "link set v" + number(3) + "-far " + one_of({" up", " up", " down"});
      case 2:
        return "link set v" + number(3) + " mtu " + std::to_string(1400 + below(3));
      case 3:
        return one_of({"link add br0 type bridge", "link del br0", "link set br0 name br1",
                       "link set br1 name br0"});
      case 4:
      case 5:
      case 6:
        return address();
      case 7:
      case 8:
      case 9:
      case 10:
        return neighbor();
      case 11:
      case 12:
      case 13:
      case 14:
      case 15:
        return next_hop();
      default:
        return route();
    }
  }

  std::mt19937 random_;
};

class KernelMirrorChurnTest : public testing::TestWithParam<unsigned> {};

TEST_P(KernelMirrorChurnTest, EqualsAFreshDumpAfterIt) {
  const Sandbox sandbox;
  add_three_links(sandbox);
  KernelMirror mirror(sandbox.name());
  Churn churn(GetParam());
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

// Without events that change silently or out of turn, each is understood by itself.
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

TEST(KernelMirrorOverrun, EndsInAResync) {
  const Sandbox sandbox;
  add_three_links(sandbox);
  KernelMirror mirror(sandbox.name());
  const int small = 4096;
  ASSERT_EQ(::setsockopt(mirror.fd(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
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
}  // namespace rackway::control
