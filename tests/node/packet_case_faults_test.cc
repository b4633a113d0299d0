// SPDX-License-Identifier: Apache-2.0
// What is wrong with a packet case is said with its file and place, before anything is run.
#include <gtest/gtest.h>

#include <string>

#include "tests/node/packet_case.hh"

namespace rackway::node::testing {
namespace {

// A sound case, to be spoilt in one place each.
const std::string kSound = R"({
  "title": "t", "shows": "s",
  "router": {
    "addresses": {"p0": ["10.0.0.1/24"]},
    "neighbors": {"b": {"port": "p1", "address": "10.0.1.2", "mac": "02:bb:00:00:00:02"}},
    "routes": {"198.51.100.0/24": "b"},
    "controller": "present", "live_links": ["n0"], "mode": "valiant"
  },
  "frames": [
    {"in": "p0", "send": {"ipv4": {"source": "192.0.2.7", "destination": "198.51.100.1", "ttl": 9}},
     "expect": {"sent": {"to": "b", "ipv4": {"ttl": 8}}}}
  ]
})";

std::string fault_of(const std::string& text) {
  try {
    const PacketCase subject(text, "f.json");
  } catch (const CaseFault& fault) {
    return fault.what();
  }
  return "";
}

std::string with(const std::string& part, const std::string& instead) {
  std::string text = kSound;
  const auto at = text.find(part);
  if (at == std::string::npos) throw std::logic_error("not in the sound case: " + part);
  return text.replace(at, part.size(), instead);
}

TEST(PacketCase, ASoundOneHasNoFault) {
  EXPECT_EQ(fault_of(kSound), "");
  const PacketCase subject(kSound, "f.json");
  EXPECT_EQ(subject.title, "t");
  EXPECT_EQ(subject.frames(0).size(), 1u);
}

TEST(PacketCase, EveryFaultNamesItsPlace) {
  struct Case {
    const char *part, *instead, *place, *what;
  };
  const Case cases[] = {
      {R"("title": "t")", R"("name": "t")", "/name", "unknown key"},
      {R"("title": "t", )", "", "/", "\"title\" is missing"},
      {R"("title": "t")", R"("title": 1)", "/title", "must be a text"},
      {R"("controller": "present")", R"("controller": "gone")", "/router/controller", "away"},
      {R"("controller")", R"("control")", "/router/control", "unknown key"},
      {R"("valiant")", R"("brave")", "/router/mode", "no mode"},
      {R"(["n0"])", R"(["n1"])", "/router/live_links/0", "none of"},
      {R"(["n0"])", R"("n0")", "/router/live_links", "must be an array"},
      {R"("10.0.0.1/24")", R"("10.0.0.1")", "/router/addresses/p0/0", "is not like"},
      {R"({"p0": [)", R"({"q0": [)", "/router/addresses/q0", "is not a port"},
      {R"("port": "p1", )", "", "/router/neighbors/b", "\"port\" is missing"},
      {R"("mac": "02:bb)", R"("mac": "02-bb)", "/router/neighbors/b/mac", "not a MAC"},
      {R"("10.0.1.2")", R"("10.0.1")", "/router/neighbors/b/address", "not an IP"},
      {R"({"b": {)", R"({"glean": {)", "/router/neighbors/glean", "a kind of route"},
      {R"({"b": {)", R"({"m2..m1": {)", "/router/neighbors/m2..m1", "a range is like"},
      {R"(/24": "b")", R"(/24": "x")", "/router/routes/198.51.100.0/24", "no neighbour \"x\""},
      {R"(/24": "b")", R"(/24": {"b": 0})", "/24/b", "1 to 65535"},
      {R"("198.51.100.0/24")", R"("198.51.100.1/24")", "/router/routes", "is not a prefix"},
      {R"("in": "p0")", R"("in": "p7")", "/frames/0/in", "none of"},
      {R"("ttl": 9)", R"("ttl": 256)", "/frames/0/send/ipv4/ttl", "0 to 255"},
      {R"("ttl": 9)", R"("ttl": -1)", "/frames/0/send/ipv4/ttl", "whole number"},
      {R"("ttl": 9)", R"("ttl": "9")", "/frames/0/send/ipv4/ttl", "whole number"},
      {R"("ttl": 9)", R"("hops": 9)", "/frames/0/send/ipv4/hops", "unknown key"},
      {R"("source": "192.0.2.7")", R"("source": "::1")", "/send/ipv4/source", "other family"},
      {R"("ttl": 9}})", R"("ttl": 9}, "udp": {}, "tcp": {}})", "/frames/0/send", "exclude"},
      {R"("ttl": 9}})", R"("ttl": 9}, "payload": "0"})", "/send/payload", "hex digits"},
      {R"("ttl": 9}})", R"("ttl": 9}, "raw": "00"})", "/frames/0/send", "unknown key"},
      {R"({"to": "b", )", R"({"to": "x", )", "/frames/0/expect/sent/to", "no neighbour"},
      {R"({"to": "b", )", "{", "/frames/0/expect/sent", "must say"},
      {R"({"to": "b", "ipv4")", R"({"to": "b", "ipv5")", "/frames/0/expect/sent/ipv5", "unknown"},
      {R"({"sent": {"to": "b", "ipv4": {"ttl": 8}}})", R"({"dropped": "dull"})",
       "/frames/0/expect/dropped", "\"dull\" is none of: frame_too_short"},
      {R"({"sent": {"to": "b", "ipv4": {"ttl": 8}}})", R"({"punted": "dull"})",
       "/frames/0/expect/punted", "\"dull\" is none of: routing"},
      {R"({"sent": {"to": "b", "ipv4": {"ttl": 8}}})", "{}", "/frames/0/expect", "one of"},
      {R"("frames": [)", R"("repeat": {"times": 2, "counting": "udp.source"}, "frames": [)",
       "/repeat/counting", "in no frame"},
  };
  for (const auto& [part, instead, place, what] : cases) {
    const auto fault = fault_of(with(part, instead));
    EXPECT_TRUE(fault.starts_with("f.json at /")) << instead << ": " << fault;
    EXPECT_NE(fault.find(place), std::string::npos) << fault;
    EXPECT_NE(fault.find(what), std::string::npos) << fault;
  }
}

TEST(PacketCase, BadJsonIsNamedByLineAndAKeyTwiceIsRefused) {
  EXPECT_NE(fault_of("{\n\"title\": }").find("f.json at line 2"), std::string::npos);
  EXPECT_NE(fault_of(with(R"("title": "t")", R"("title": "t", "title": "u")")).find("given twice"),
            std::string::npos);
}

TEST(PacketCase, ACaseWithoutFramesIsRefused) {
  const auto fault = fault_of(R"({"title": "t", "shows": "s", "router": {}, "frames": []})");
  EXPECT_EQ(fault, "f.json at /frames: must not be empty");
}

// The octets are written out here, so that the builder does not vouch for itself.
TEST(PacketCase, LayersBecomeOctets) {
  const auto bytes_of = [](const std::string& send) {
    const PacketCase subject(R"({"title": "t", "shows": "s", "router": {}, "frames": [{"send": )" +
                                 send + R"(, "expect": {"dropped": "no_route"}}]})",
                             "f.json");
    return to_hex(subject.frames(0).front().bytes);
  };
  EXPECT_EQ(bytes_of(R"({"ether": {"source": "02:00:00:00:00:09"},
                         "ipv4": {"source": "192.0.2.7", "destination": "198.51.100.1", "id": 7},
                         "udp": {"checksum": 0}, "payload": "beef", "pad_to": 46, "pad_with": 1})"),
            "02 52 57 00 00 00 02 00 00 00 00 09 08 00 45 00\n"
            "00 1e 00 07 00 00 40 11 8e 8c c0 00 02 07 c6 33\n"
            "64 01 03 e8 07 d0 00 0a 00 00 be ef 01 01");
  EXPECT_EQ(bytes_of(R"({"arp": {"operation": "reply", "sender": "10.0.0.2", "target": "10.0.0.1"},
                         "cut_to": 20})"),
            "ff ff ff ff ff ff 02 aa 00 00 00 01 08 06 00 01\n08 00 06 04");
  EXPECT_EQ(bytes_of(R"({"fabric": {"target": "n1", "egress": "n3", "ingress": "n2",
                                    "adjacency": "0x012345", "type": "0x0800"}})"),
            "d2 00 10 03 20 00 ae 00 20 01 23 45 08 00");
}

}  // namespace
}  // namespace rackway::node::testing
