// SPDX-License-Identifier: Apache-2.0
// Random changes of a namespace with three links, as lines for `ip -batch`; the same seed gives the
// same lines.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/control/kernel_sandbox.hh"

namespace rackway::control::kernel_tests {

inline void add_three_links(const Sandbox& sandbox) {
  for (const std::string i : {"0", "1", "2"}) {
    sandbox.add_link("v" + i);
    sandbox.ip("addr add 10.0." + i + ".1/24 dev v" + i);
    sandbox.ip("addr add fd00:" + i + "::1/64 dev v" + i);
  }
}

// Random lines for `ip -batch`; few names and numbers, so that they meet each other.
class Churn {
 public:
  // Changes of links and addresses make the mirror look at everything again, which would hide a
  // wrong understanding of all others; so there is a churn without them.
  explicit Churn(unsigned seed, bool with_links = true) : random_(seed), with_links_(with_links) {}

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
  std::string destination(bool v4) {
    return v4 ? "20." + number(12) + ".0.0/16" : "fd20:" + number(12) + "::/48";
  }
  // IPv6 routes of unlike kinds keep to metrics of their own: the kernel's dump leaves out what
  // stands between the next hops of a route.
  std::string metric(bool v4, int kind) {
    if (!v4 && kind > 0) return " metric " + std::to_string(100 + kind);
    return below(3) == 0 ? " metric " + std::to_string(10 * (1 + below(3))) : "";
  }
  std::string route() {
    const bool v4 = below(2) == 0;
    const std::string verb =
        "route " + one_of({"add", "replace", "append", "prepend", "del"}) + " ";
    const std::string to = destination(v4);
    switch (below(8)) {
      case 0: return verb + to + metric(v4, 1) + " dev v" + number(3);
      case 1:
        return verb + to + metric(v4, 2) + " nhid " + std::to_string((v4 ? 1 : 61) + below(5));
      case 2:
        return verb + one_of({"blackhole ", "unreachable ", "prohibit ", "throw "}) + to +
               metric(v4, 3);
      case 3:
        return verb + to + metric(v4, 0) + " nexthop via " + gateway(v4) +
               " weight 2 nexthop via " + gateway(v4) + " nexthop via " + gateway(v4);
      case 4: return "route del " + to + metric(v4, below(4));
      default: return verb + to + metric(v4, 0) + " via " + gateway(v4);
    }
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
    switch (with_links_ ? below(40) : 7 + below(33)) {
      case 0: return "link set v" + number(3) + one_of({" up", " up", " down"});
      case 1: return "link set v" + number(3) + "-far " + one_of({" up", " up", " down"});
      case 2: return "link set v" + number(3) + " mtu " + std::to_string(1400 + below(3));
      case 3:
        return one_of({"link add br0 type bridge", "link del br0", "link set br0 name br1",
                       "link set br1 name br0"});
      case 4:
      case 5:
      case 6: return address();
      case 7:
      case 8:
      case 9:
      case 10: return neighbor();
      case 11:
      case 12:
      case 13:
      case 14:
      case 15: return next_hop();
      default: return route();
    }
  }

  std::mt19937 random_;
  bool with_links_;
};

}  // namespace rackway::control::kernel_tests
