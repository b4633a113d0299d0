// SPDX-License-Identifier: Apache-2.0
// What is wrong with a cluster document is found, and said with its place; see
// cluster_document_test.cc for what is right.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "tests/topo/good_document.hh"

namespace rackway::topo {
namespace {

// A fault, made by one replacement in the good document.
struct Fault {
  const char* from;
  const char* to;
  const char* pointer;
  std::vector<const char*> words;
};

const std::vector<Fault> kFaults{
    // Keys.
    {R"("vlb")",
     R"("vbl")",
     "/vbl",
     {R"(unknown key "vbl")", "name, controller, nodes, fabric, vlb"}},
    {R"("namespace")", R"("netns")", "/controller/netns", {R"(unknown key "netns")", "namespace"}},
    {R"("mtu")", R"("a/b~c")", "/nodes/0/ports/0/a~1b~0c", {R"(unknown key "a/b~c")"}},
    {R"("mtu")", R"("\n")", "/nodes/0/ports/0/\\n", {R"(unknown key "\n")"}},
    {R"({"name": "n-3"})", R"({"name": "n-3", "Ports": []})", "/nodes/2/Ports", {"unknown key"}},
    {R"({"links")",
     R"({"size": 1, "links")",
     "/fabric/size",
     {"unknown key", "are: links, queues, hello"}},
    {R"("devices")", R"("device")", "/fabric/links/0/device", {"unknown key", "between, devices"}},
    {R"("interval_ms": 50)",
     R"("interval": 50)",
     "/fabric/hello/interval",
     {"unknown key", "interval_ms, multiplier"}},
    {R"("interval_ms": 50)",
     R"("interval_ms": 0)",
     "/fabric/hello/interval_ms",
     {"0 is out of bounds", "1 to 10000"}},
    {R"("interval_ms": 50)",
     R"("interval_ms": 10001)",
     "/fabric/hello/interval_ms",
     {"10001 is out of bounds"}},
    {R"("multiplier": 5)",
     R"("multiplier": 1)",
     "/fabric/hello/multiplier",
     {"1 is out of bounds", "2 to 50"}},
    {R"("multiplier": 5)", R"("multiplier": 51)", "/fabric/hello/multiplier", {"out of bounds"}},
    {R"("mode")", R"("modes")", "/vlb/modes", {"unknown key", "mode, flowlet_gap_us"}},
    {R"("type": "bl)", R"("kind": "bl)", "/routes/1/kind", {"unknown key", "prefix, type, via"}},
    {R"("name": "lab.one",)", "", "", {R"(the key "name" is missing)", "(lab.json)", "add it"}},
    {R"({"name": "n-3"})", "{}", "/nodes/2", {R"(the key "name" is missing)"}},
    {R"("name": "p.1", )", "", "/nodes/0/ports/1", {R"(the key "name" is missing)"}},
    {R"(, "device": "0000:01:00.0")", "", "/nodes/0/ports/1", {R"(the key "device" is missing)"}},
    {R"("between": ["n2", "n1"], )", "", "/fabric/links/0", {R"(the key "between" is missing)"}},
    {R"("prefix": "::/0", )", "", "/routes/4", {R"(the key "prefix" is missing)"}},
    {R"(, "via": ["10.0.1.2", "10.0.1.3"])", "", "/routes/0", {R"(the key "via" is missing)"}},
    {R"("mtu": 9000)",
     R"("mtu": 9000, "mtu": 9000)",
     "/nodes/0/ports/0/mtu",
     {R"(the key "mtu" is given twice)", "remove one"}},
    {R"("vlb")", R"("name": "lab", "vlb")", "/name", {R"(the key "name" is given twice)"}},
    {R"("type": "unicast")",
     R"("prefix": "::/0", "type": "unicast")",
     "/routes/2/prefix",
     {R"(the key "prefix" is given twice)"}},
    // Types.
    {R"("lab.one")", "7", "/name", {"must be a text, is 7"}},
    {R"("lab.one")", "null", "/name", {"must be a text, is null"}},
    {R"({"mode": "direct-vlb", "flowlet_gap_us": [200, 40000]})",
     "[]",
     "/vlb",
     {"must be an object, is an array"}},
    {R"({"name": "n-3"})", R"("n-3")", "/nodes/2", {R"(must be an object, is "n-3")"}},
    {R"(["n2", "n1"])", "{}", "/fabric/links/0/between", {"must be an array, is an object"}},
    {"9000",
     R"("9000")",
     "/nodes/0/ports/0/mtu",
     {R"(must be a number, is "9000")", "whole number, 1280 to 9216"}},
    {"9000", "true", "/nodes/0/ports/0/mtu", {"must be a number, is true"}},
    {R"("10.0.1.3")", "[]", "/routes/0/via/1", {"must be a text, is an array"}},
    // Numbers.
    {"9000",
     R"(9000, "urpf": "tight")",
     "/nodes/0/ports/0/urpf",
     {R"("tight" is not a mode of uRPF)", "off, loose or strict"}},
    {"9000", R"(9000, "urpf": true)", "/nodes/0/ports/0/urpf", {"must be a text, is true"}},
    {"9000", R"(9000, "urpf": "Strict")", "/nodes/0/ports/0/urpf", {"is not a mode of uRPF"}},
    {"9000", "1279", "/nodes/0/ports/0/mtu", {"1279 is out of bounds", "1280 to 9216"}},
    {"9000", "9217", "/nodes/0/ports/0/mtu", {"9217 is out of bounds"}},
    {R"({"links")", R"({"queues": 0, "links")", "/fabric/queues", {"0 is out of", "1 to 64"}},
    {R"({"links")", R"({"queues": 65, "links")", "/fabric/queues", {"65 is out of bounds"}},
    {"9000", "-1500", "/nodes/0/ports/0/mtu", {"-1500 is out of bounds"}},
    {"9000", "1500.0", "/nodes/0/ports/0/mtu", {"1500.0 is not a whole number"}},
    {"9000", "67036", "/nodes/0/ports/0/mtu", {"67036 is out of bounds"}},  // 1500 in 16 bits
    {"9000", "18446744073709551616", "/nodes/0/ports/0/mtu", {"is not a whole number"}},
    {"40000", "10000001", "/vlb/flowlet_gap_us/1", {"10000001 is out of bounds", "0 to 10000000"}},
    {"[200, 40000]", "[200]", "/vlb/flowlet_gap_us", {"2"}},
    {"[200, 40000]",
     "[40001, 40000]",
     "/vlb/flowlet_gap_us",
     {"40001 is more than the most, 40000"}},
    {R"("direct-vlb")",
     R"("vlb")",
     "/vlb/mode",
     {R"("vlb" is not a mode of steering)", "adaptive"}},
    {"9000",
     R"(9000, "rate": "100")",
     "/nodes/0/ports/0/rate",
     {R"("100" is not a rate)", "e.g. 100G"}},
    {R"({"name": "n-3"})", R"({"name": "n-3", "rate": 7})", "/nodes/2/rate", {"must be a text"}},
    {R"("between": ["n2", "n1"],)",
     R"("between": ["n2", "n1"], "rate": "0G",)",
     "/fabric/links/0/rate",
     {R"("0G" is not a rate)"}},
    {"2000", "3600001", "/controller/settle_max_ms", {"3600001 is out of bounds", "0 to 3600000"}},
    {R"("audit_s": 0)", R"("audit_s": 86401)", "/controller/audit_s", {"86401 is out of bounds"}},
    {"8192", "4095", "/controller/netlink_buffer", {"4095 is out of bounds", "4096 to 1073741823"}},
    {"8192", "1073741824", "/controller/netlink_buffer", {"1073741824 is out of bounds"}},
    {R"("settle_ms": 1000)",
     R"("settle_ms": 1000, "distances": {"bgp": 0})",
     "/controller/distances/bgp",
     {"0 is out of bounds", "1 to 254"}},
    {R"("settle_ms": 1000)",
     R"("settle_ms": 1000, "distances": {"connected": 1})",
     "/controller/distances/connected",
     {"unknown key", "kernel, document, added"}},
    {R"("settle_ms": 1000)",
     R"("settle_ms": 1000, "fpm": {"port": 0})",
     "/controller/fpm/port",
     {"0 is out of bounds", "1 to 65535"}},
    {R"("settle_ms": 1000)",
     R"("settle_ms": 1000, "fpm": {"address": "localhost"})",
     "/controller/fpm/address",
     {"localhost", "is not an address"}},
    {R"("settle_ms": 1000)", R"("settle_ms": 1000, "fpm": true)", "/controller/fpm", {"object"}},
    {R"("settle_ms": 1000)", R"("settle_ms": 3600001)", "/controller/settle_ms", {"out of bounds"}},
    {R"("settle_ms": 1000)",
     R"("settle_ms": 2001)",
     "/controller",
     {"settle_max_ms 2000 is less than settle_ms 2001"}},
    // Names.
    {R"("lab.one")",
     R"("lab one")",
     "/name",
     {R"("lab one" is not a name)", "1 to 64 of letters, digits _ . -"}},
    {R"("lab.one")", R"("")", "/name", {"must not be empty"}},
    {R"("lab.one")", R"("lab\u0000")", "/name", {"not printable ASCII", R"("lab\u0000")"}},
    {R"("lab.one")", R"("läb")", "/name", {"not printable ASCII", R"("l\u00e4b")"}},
    {R"("n-3"})",
     R"("node-33"})",
     "/nodes/2/name",
     {R"("node-33" is not a name)", "1 to 6 of letters, digits _ -"}},
    {R"("n-3"})", R"("n.3"})", "/nodes/2/name", {R"("n.3" is not a name)"}},
    {R"("p.1")", R"("port.1234")", "/nodes/0/ports/1/name", {"is not a name", "1 to 8 of"}},
    {R"("p.1")", R"("p/1")", "/nodes/0/ports/1/name", {R"("p/1" is not a name)"}},
    {R"("lab_ns")", R"("a/b")", "/controller/namespace", {R"("a/b" is not a name)"}},
    {R"("lab_ns")", R"("..")", "/controller/namespace", {R"(".." is not a name)"}},
    {R"("n-3"})",
     R"("n2"})",
     "/nodes/2/name",
     {R"(the node name "n2" is already used at /nodes/1/name)"}},
    {R"("p.1")",
     R"("p0")",
     "/nodes/0/ports/1/name",
     {R"(the port name "p0" is already used at /nodes/0/ports/0/name)"}},
    {R"({"name": "n-3"})",
     R"({"name": "n1-p", "ports": [{"name": "0", "device": "d"}]},
       {"name": "n1-", "ports": [{"name": "p-0", "device": "d"}]},
       {"name": "n1--p", "ports": [{"name": "0", "device": "d"}]})",
     "/nodes/4/ports/0/name",
     {R"(the interface name "n1--p-0" is already used at /nodes/3/ports/0/name)"}},
    // Devices.
    {R"("0000:01:00.0")", R"("")", "/nodes/0/ports/1/device", {"must not be empty"}},
    {R"("0000:01:00.0")",
     R"("net_af_packet0,iface=ext0")",
     "/nodes/0/ports/1/device",
     {R"(in node "n1", the device "net_af_packet0,iface=ext0" is already used at )"
      "/nodes/0/ports/0/device"}},
    {R"("net_memif1,id=1")",
     R"("net_memif0,id=0")",
     "/fabric/links/1/devices/0",
     {R"(in node "n2")", "already used at /fabric/links/0/devices/0"}},
    {R"("net_memif0,id=0"]})",
     R"("0000:01:00.0"]})",
     "/fabric/links/0/devices/1",
     {R"(in node "n1")", "already used at /nodes/0/ports/1/device"}},
    // Fabric.
    {R"(["n2", "n1"])",
     R"(["n2"])",
     "/fabric/links/0/between",
     {"has 1 entries", "give exactly 2"}},
    {R"(["n2", "n1"])", R"(["n2", "n1", "n-3"])", "/fabric/links/0/between", {"has 3 entries"}},
    {R"(, "net_memif0,id=0"])", "]", "/fabric/links/0/devices", {"has 1 entries", "exactly 2"}},
    {R"(["n2", "n1"])",
     R"(["n2", "n4"])",
     "/fabric/links/0/between/1",
     {R"(there is no node "n4")"}},
    {R"(["n2", "n1"])",
     R"(["n2", "n2"])",
     "/fabric/links/0/between",
     {R"(node "n2" is linked to itself)"}},
    {R"(["n2", "n-3"])",
     R"(["n1", "n2"])",
     "/fabric/links/1/between",
     {R"(the pair "n1", "n2" is already used at /fabric/links/0/between)", "remove one"}},
    {R"({"name": "n-3"})",
     R"({"name": "n-3"}, {"name": "n4"}, {"name": "n5"})",
     "/nodes/3",
     {R"(node "n4" is not reachable from node "n1" over the fabric)", "/fabric/links"}},
    // Endpoints.
    {R"("tcp://10.0.0.1:7700")",
     R"("udp://10.0.0.1:7700")",
     "/controller/control",
     {R"("udp://10.0.0.1:7700" is not an endpoint)", "tcp:// or ipc://", "ipc:///PATH"}},
    {":7701", ":0", "/controller/packets", {"is not an endpoint", "port is not 1 to 65535"}},
    {R"("ipc:///run/lab/api.sock")", R"("ipc://api.sock")", "/controller/api", {"its path"}},
    {R"("tcp://[2001:db8::1]:7701")",
     R"("tcp://10.0.0.1:7700")",
     "/controller",
     {R"(control and packets are both "tcp://10.0.0.1:7700")"}},
    {R"("ipc:///run/lab/api.sock")",
     R"("tcp://[2001:db8::1]:7701")",
     "/controller",
     {"packets and api are both"}},
    {R"("tcp://10.0.0.1:7700", "packets": "tcp://[2001:db8::1]:7701")",
     R"("tcp://127.0.0.1:7601")",
     "/controller",
     {"control and packets are both"}},  // the default
    // Routes.
    {R"("203.0.113.0/24")",
     R"("203.0.113.1/24")",
     "/routes/0/prefix",
     {R"("203.0.113.1/24" is not a prefix)", "clear the host bits: 203.0.113.0/24"}},
    {R"("2001:db8::/32")",
     R"("2001:db8::1/32")",
     "/routes/2/prefix",
     {"clear the host bits: 2001:db8::/32"}},
    {R"("203.0.113.0/24")", R"("203.0.113.0/33")", "/routes/0/prefix", {"write ADDRESS/LENGTH"}},
    {R"("203.0.113.0/24")", R"("203.0.113.0")", "/routes/0/prefix", {"write ADDRESS/LENGTH"}},
    {R"("203.0.113.0/24")", R"("default")", "/routes/0/prefix", {R"("default" is not a prefix)"}},
    {R"("198.51.100.0/24")",
     R"("203.0.113.0/24")",
     "/routes/1/prefix",
     {"the prefix 203.0.113.0/24 is already used at /routes/0/prefix"}},
    {R"("2001:db8::/32")", R"("0:0::/0")", "/routes/4/prefix", {"the prefix ::/0 is already used"}},
    {R"("10.0.1.3")",
     R"("2001:db8::1")",
     "/routes/0/via/1",
     {R"("2001:db8::1" is not of the prefix's family, which is IPv4)"}},
    {R"("2001:db8:1::2")", R"("10.0.1.2")", "/routes/2/via/0", {"family, which is IPv6"}},
    {R"("10.0.1.3")", R"("10.0.1")", "/routes/0/via/1", {R"("10.0.1" is not an address)"}},
    {R"("10.0.1.3")", R"("10.0.1.2")", "/routes/0/via/1", {"10.0.1.2 is given twice"}},
    {R"("10.0.1.3")", R"("0.0.0.0")", "/routes/0/via/1", {"is no neighbour's address"}},
    {R"("2001:db8:1::2")", R"("fe80::1")", "/routes/2/via/0", {R"("fe80::1" is link-local)"}},
    {R"(["2001:db8:1::2"])", "[]", "/routes/2/via", {"has 0 entries", "1 to 64"}},
    {R"("type": "blackhole")",
     R"("type": "drop")",
     "/routes/1/type",
     {R"("drop" is not a type of route)", "unicast, blackhole, unreachable or prohibit"}},
    {R"("type": "blackhole")",
     R"("type": "blackhole", "via": [])",
     "/routes/1/via",
     {"only a unicast route has next hops"}},
};

TEST(ClusterDocumentFaults, NamesTheFaultItsPlaceAndTheBound) {
  for (const auto& fault : kFaults) {
    SCOPED_TRACE(std::string(fault.from) + " -> " + fault.to);
    const auto message = fault_of(with(kGood, fault.from, fault.to));
    const std::string pointer = fault.pointer;
    const auto place = pointer.empty() ? " (lab.json); " : " (lab.json at " + pointer + "); ";
    EXPECT_NE(message.find(place), std::string::npos) << message;
    for (const auto* word : fault.words) {
      EXPECT_NE(message.find(word), std::string::npos) << message << "\n  has not: " << word;
    }
    EXPECT_TRUE(std::all_of(message.begin(), message.end(), [](char c) { return c >= ' '; }));
  }
}

TEST(ClusterDocumentFaults, RefusesTooFewAndTooManyEntries) {
  EXPECT_EQ(fault_of(R"({"name": "x", "nodes": []})"),
            "has 0 entries (lab.json at /nodes); give 1 to 4096");
  const auto repeated = [](const std::string& entry, int times) {
    std::string entries;
    for (int i = 0; i < times; ++i) entries += (i > 0 ? "," : "") + entry;
    return entries;
  };
  EXPECT_EQ(fault_of(with(kSmallest, R"({"name": "a"})", repeated("{}", 4097))),
            "has 4097 entries (lab.json at /nodes); give 1 to 4096");
  EXPECT_EQ(fault_of(with(kSmallest, R"("a")", R"("a", "ports": [)" + repeated("{}", 257) + "]")),
            "has 257 entries (lab.json at /nodes/0/ports); give 0 to 256");
  EXPECT_EQ(fault_of(with(kGood, R"("10.0.1.2")", repeated("7", 64))),
            "has 65 entries (lab.json at /routes/0/via); give 1 to 64");
}

TEST(ClusterDocumentFaults, BoundsAndShortensTexts) {
  const std::string longest(255, 'd');
  EXPECT_EQ(fault_of(with(kGood, "0000:01:00.0", longest)), "");
  const auto message = fault_of(with(kGood, "0000:01:00.0", longest + "d"));
  EXPECT_EQ(message, "\"" + longest.substr(0, 64) + "...\" has 256 characters (lab.json at " +
                         "/nodes/0/ports/1/device); give 1 to 255 printable ASCII characters");
  const auto key = fault_of(with(kGood, "\"mtu\"", "\"" + std::string(100000, 'k') + "\""));
  EXPECT_LT(key.size(), 300u);
}

TEST(ClusterDocumentFaults, SyntaxFaultsHaveLineAndColumn) {
  EXPECT_EQ(
      fault_of("{\n  \"name\": lab\n}"),
      "not valid JSON: syntax error while parsing value - invalid literal (lab.json at line 2, "
      "column 11); correct it, the file must be JSON in UTF-8");
  EXPECT_NE(fault_of("").find("unexpected end of input"), std::string::npos);
  EXPECT_NE(fault_of("").find("(lab.json at line 1, column 1)"), std::string::npos);
  EXPECT_NE(fault_of("\xc3\xa4\n \x07").find("line 1, column 1"), std::string::npos);
  EXPECT_NE(fault_of("{\"\xc3\xa4\": x").find("line 1, column 7"), std::string::npos);
  EXPECT_NE(fault_of("{\"a\": 1e999}").find("number overflow"), std::string::npos);
  EXPECT_NE(fault_of(kSmallest + "{}").find("line 1, column 40"), std::string::npos);
  EXPECT_NE(fault_of(with(kGood, "5}},\n  \"vlb\"", "5,}},\n  \"vlb\"")).find("(lab.json at line "),
            std::string::npos);
}

TEST(ClusterDocumentFaults, RefusesWhatIsNotUtf8) {
  for (const char* bytes : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"}) {
    const auto message = fault_of(with(kGood, "lab.one", bytes));
    EXPECT_NE(message.find("ill-formed UTF-8 byte (lab.json at line 2, column"), std::string::npos)
        << message;
  }
  EXPECT_NE(fault_of(std::string("\xff\xfe{\0", 4)).find("line 1"), std::string::npos);
  EXPECT_NE(fault_of(R"({"name": "\ud800"})").find("surrogate"), std::string::npos);
}

TEST(ClusterDocumentFaults, RefusesDeepNesting) {
  const auto repeated = [](const std::string& part, std::size_t times) {
    std::string text;
    for (std::size_t i = 0; i < times; ++i) text += part;
    return text;
  };
  const std::string levels = "nested deeper than 16 levels (lab.json at /";
  EXPECT_NE(fault_of(repeated("[", 1'000'000)).find(levels), std::string::npos);
  EXPECT_NE(fault_of(repeated("{\"a\":", 1'000'000)).find(levels), std::string::npos);
  EXPECT_NE(
      fault_of(with(kGood, "9000", repeated("[", 100000) + repeated("]", 100000))).find(levels),
      std::string::npos);
  EXPECT_NE(fault_of(repeated("[", 16) + repeated("]", 16)).find("must be an object"),
            std::string::npos);
}

TEST(ClusterDocumentFaults, EveryTruncationIsAFault) {
  for (std::size_t size = 0; size < kGood.size(); ++size) {
    EXPECT_NE(fault_of(kGood.substr(0, size)), "") << size;
  }
}

TEST(ClusterDocumentFaults, GarbageIsAFaultOrADocument) {
  const std::string interesting("\0\x80\xff\"{}[],:\\0-9eE.nt u/", 22);
  for (std::size_t at = 0; at < kGood.size(); ++at) {
    for (const char byte : interesting) {
      auto text = kGood;
      text[at] = byte;
      (void)fault_of(text);
    }
    auto shorter = kGood;
    (void)fault_of(shorter.erase(at, 1));
  }
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    auto text = kGood;
    for (int changes = 0; changes < 4; ++changes) {
      const auto from = random() % kGood.size(), to = random() % text.size();
      text.replace(to, random() % 8, kGood.substr(from, 1 + random() % 40));
    }
    (void)fault_of(text);
    std::string noise(random() % 64, '\0');
    for (char& c : noise) c = static_cast<char>(random());
    EXPECT_NE(fault_of(noise), "");
  }
}

}  // namespace
}  // namespace rackway::topo
