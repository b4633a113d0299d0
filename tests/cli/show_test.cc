// SPDX-License-Identifier: Apache-2.0
#include "control/cli/show.hh"

#include <gtest/gtest.h>

#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace rackway::cli {
namespace {

struct Shown {
  int exit_code;
  std::string out, err, request;
};

Shown show_with(const Arguments& arguments, const Result<std::string>& reply) {
  std::ostringstream out, err;
  std::string request;
  const auto ask = [&](const std::string& sent) {
    request = sent;
    return reply;
  };
  const int exit_code = show(arguments, ask, out, err);
  return {exit_code, out.str(), err.str(), request};
}

Shown show_table(const std::string& table, const std::string& reply, bool json = false) {
  return show_with({table, "", "ipc:///run/rackway/api.sock", json}, reply);
}

std::string rows(const std::string& json) {
  return R"({"ok": true, "rows": [)" + json + "]}";
}

void expect_output(const Shown& shown, const std::string& expected) {
  EXPECT_EQ(shown.out, expected);
  EXPECT_EQ(shown.err, "");
  EXPECT_EQ(shown.exit_code, 0);
}

void expect_fault(const Shown& shown, const std::string& expected) {
  EXPECT_EQ(shown.err, expected + "\n");
  EXPECT_EQ(shown.out, "");
  EXPECT_EQ(shown.exit_code, 1);
}

const std::string kCluster =
    R"({"name": "lab", "epoch": 42, "digest": "00112233445566778899aabbccddeeff", "nodes": 3,
        "nodes_up": 2, "nodes_in_sync": 2, "ipv4_routes": 1000000, "ipv6_routes": 0, "groups": 7,
        "adjacencies": 5, "routes_cut_short": 2, "uptime_s": 3601, "settled": false, "vlb_mode": "adaptive",
        "waiting_static_routes": ["203.0.113.0/24: no such subnet", "::/0: link down"]})";

TEST(Show, AsksForTheTable) {
  EXPECT_EQ(show_table("routes", rows("")).request, R"({"show":"routes"})");
}

TEST(Show, AsksForTheNameAsGiven) {
  EXPECT_EQ(show_with({"ports", "n1-p0", "", false}, rows("")).request,
            R"({"show":"ports","name":"n1-p0"})");
  EXPECT_EQ(show_with({"ports", "a\"b\\", "", false}, rows("")).request,
            R"({"show":"ports","name":"a\"b\\"})");
  EXPECT_EQ(show_with({"ports", "\xff", "", false}, rows("")).request,
            "{\"show\":\"ports\",\"name\":\"\xef\xbf\xbd\"}");
}

TEST(Show, GivesTheOrder) {
  EXPECT_EQ(show_with({"nodes", "n3", "", false, "drain"}, rows("")).request,
            R"({"order":"drain","name":"n3"})");
}

TEST(Show, PrintsTheClusterAsLines) {
  expect_output(show_table("cluster", rows(kCluster)),
                "name: lab\n"
                "epoch: 42\n"
                "digest: 00112233445566778899aabbccddeeff\n"
                "nodes: 3\n"
                "nodes_up: 2\n"
                "nodes_in_sync: 2\n"
                "ipv4_routes: 1000000\n"
                "ipv6_routes: 0\n"
                "groups: 7\n"
                "adjacencies: 5\n"
                "routes_cut_short: 2\n"
                "uptime_s: 3601\n"
                "settled: no\n"
                "vlb_mode: adaptive\n"
                "waiting_static_routes: 203.0.113.0/24: no such subnet; ::/0: link down\n");
}

TEST(Show, PrintsNodes) {
  expect_output(show_table("nodes", rows(R"(
          {"name": "n1", "id": 0, "state": "up", "epoch": 42,
           "digest": "00112233445566778899aabbccddeeff", "in_sync": true,
           "boot_id": "0123456789abcdef", "uptime_s": 86400, "ports": 2, "generated": 17,
           "vlb_mode": "adaptive", "draining": false, "flowlet_gap_us": 500, "moved_early": 0, "cannot_reach": ["n2", "n3"]},
          {"name": "node10", "id": 10, "state": "syncing", "epoch": 7,
           "digest": "ffeeddccbbaa99887766554433221100", "in_sync": false,
           "boot_id": "fedcba9876543210", "uptime_s": 3, "ports": 16, "generated": 0,
           "vlb_mode": "direct-vlb", "draining": true, "flowlet_gap_us": 50000, "moved_early": 12, "cannot_reach": []})")),
                "NAME    ID  STATE    IN_SYNC  EPOCH  DIGEST                            PORTS  "
                "GENERATED  VLB_MODE    DRAINING  GAP_US  MOVED_EARLY  UPTIME_S  "
                "BOOT_ID           CANNOT_REACH\n"
                "n1       0  up       yes         42  00112233445566778899aabbccddeeff      2      "
                "   17  adaptive    no           500            0     86400  "
                "0123456789abcdef  n2,n3\n"
                "node10  10  syncing  no           7  ffeeddccbbaa99887766554433221100     16      "
                "    0  direct-vlb  yes        50000           12         3  "
                "fedcba9876543210  -\n");
}

TEST(Show, PrintsPortsWithTheirAddresses) {
  expect_output(show_table("ports", rows(R"(
          {"name": "n1-p0", "node": "n1", "port": "p0", "device": "net_af_packet0,iface=ext0",
           "mac": "02:00:00:00:00:01", "mtu": 1500, "link": "up",
           "addresses": ["10.0.1.1/24", "2001:db8:1111:2222:3333:4444:5555:6666/64"],
           "received": 18446744073709551615, "sent": 1, "punted": 2, "dropped": 3, "injected": 4,
           "icmp_sent": 8, "icmp_withheld": 9,
           "transmitted": 5, "received_bytes": 6, "transmitted_bytes": 7},
          {"name": "n1-p1", "node": "n1", "port": "p1", "device": "0000:01:00.0",
           "mac": "02:00:00:00:00:02", "mtu": 9216, "link": "down", "addresses": [],
           "received": 0, "sent": 0, "punted": 0, "dropped": 0, "injected": 0, "transmitted": 0,
           "icmp_sent": 0, "icmp_withheld": 0,
           "received_bytes": 0, "transmitted_bytes": 0})")),
                "NAME   LINK  MAC                 MTU              RECEIVED  SENT  PUNTED  DROPPED "
                " INJECTED  ICMP_SENT  ICMP_WITHHELD  "
                "TRANSMITTED  RECEIVED_BYTES  TRANSMITTED_BYTES  "
                "ADDRESSES                                              DEVICE\n"
                "n1-p0  up    02:00:00:00:00:01  1500  18446744073709551615     1       2        3 "
                "        4          8              9  "
                "          5               6                  7  "
                "10.0.1.1/24,2001:db8:1111:2222:3333:4444:5555:6666/64  net_af_packet0,iface=ext0\n"
                "n1-p1  down  02:00:00:00:00:02  9216                     0     0       0        0 "
                "        0          0              0  "
                "          0               0                  0  "
                "-                                                      0000:01:00.0\n");
}

TEST(Show, PrintsFabric) {
  expect_output(
      show_table("fabric", rows(R"(
          {"node": "n1", "peer": "n2", "link": 0, "state": "up", "carrier": true,
           "peer_ready": true, "peer_draining": false, "load_percent": 50, "delay_us": 37,
           "received": 100, "sent": 90,
           "punted": 0, "dropped": 10, "direct": 70, "via_relay": 20, "relayed": 5,
           "transmitted": 95, "hellos_sent": 40, "hellos_received": 39,
           "peer_boot_id": "0000000000000abc"},
          {"node": "n2", "peer": "n1", "link": 0, "state": "one-way", "carrier": true,
           "peer_ready": false, "peer_draining": true, "load_percent": 0, "delay_us": 0,
           "received": 0, "sent": 0,
           "punted": 0, "dropped": 0, "direct": 0, "via_relay": 0, "relayed": 0,
           "transmitted": 0, "hellos_sent": 3, "hellos_received": 0,
           "peer_boot_id": "0000000000000000"})")),
      "NODE  PEER  LINK  STATE    CARRIER  READY  DRAINING  LOAD_%  DELAY_US  RECEIVED  SENT  "
      "PUNTED  DROPPED  DIRECT  VIA_RELAY  RELAYED  TRANSMITTED  HELLOS_SENT  HELLOS_RECEIVED  "
      "PEER_BOOT_ID\n"
      "n1    n2       0  up       yes      yes    no            50        37       100    90  "
      "     0       10      70         20        5           95           40               39  "
      "0000000000000abc\n"
      "n2    n1       0  one-way  yes      no     yes            0         0         0     0  "
      "     0        0       0          0        0            0            3                0  "
      "0000000000000000\n");
}

TEST(Show, PrintsEvents) {
  expect_output(show_table("events", rows(R"(
          {"age_s": 12, "seen_by": "n1", "number": 3, "node": "n2", "event": "link one-way"})")),
                "AGE_S  SEEN_BY  NUMBER  NODE  EVENT\n"
                "   12  n1            3  n2    link one-way\n");
}

TEST(Show, PrintsRoutesWithTheirNextHops) {
  expect_output(
      show_table("routes", rows(R"(
          {"prefix": "203.0.113.0/24", "kind": "forward", "protocol": "static", "group": 12,
           "stale": false, "next_hops": [
             {"node": "n1", "port": "n1-p0", "interface": "n1-p0", "address": "10.0.1.2", "mac": "02:00:00:00:01:02",
              "weight": 1},
             {"node": "n2", "port": "n2-p1", "interface": "n2-p1.7", "address": "10.0.2.2",
              "mac": "02:00:00:00:02:02",
              "weight": 3}]},
          {"prefix": "2001:db8:1111:2222:3333:4444:5555:6666/128", "kind": "local",
           "protocol": "kernel", "group": 3, "stale": true,
           "next_hops": [{"node": "n1", "interface": "n1-p0", "weight": 1}]},
          {"prefix": "198.51.100.0/24", "kind": "blackhole", "protocol": "250", "group": 0,
           "stale": false, "next_hops": []})")),
      "PREFIX                                      KIND       PROTOCOL  GROUP  STALE  NEXT_HOPS\n"
      "203.0.113.0/24                              forward    static       12  no     "
      "10.0.1.2@n1-p0 10.0.2.2@n2-p1.7*3\n"
      "2001:db8:1111:2222:3333:4444:5555:6666/128  local      kernel        3  yes    n1-p0\n"
      "198.51.100.0/24                             blackhole  250           0  no     -\n");
}

TEST(Show, PrintsAdjacencies) {
  expect_output(
      show_table("adjacencies", rows(R"(
                    {"node": "n1", "index": 7, "interface": "n1-p0", "next_hop": "10.0.1.2",
                     "mac": "02:00:00:00:01:02", "mtu": 1500},
                    {"node": "n2", "index": 16777215, "interface": "n2-p0.4094",
                     "next_hop": "2001:db8:1111:2222:3333:4444:5555:6666",
                     "mac": "02:00:00:00:02:02", "mtu": 9000})")),
      "NODE     INDEX  INTERFACE   NEXT_HOP                                MAC                 "
      "MTU\n"
      "n1           7  n1-p0       10.0.1.2                                02:00:00:00:01:02  "
      "1500\n"
      "n2    16777215  n2-p0.4094  2001:db8:1111:2222:3333:4444:5555:6666  02:00:00:00:02:02  "
      "9000\n");
}

TEST(Show, PrintsInterfaces) {
  expect_output(show_table("interfaces", rows(R"(
                    {"name": "n1-p0", "node": "n1", "port": "n1-p0", "vlan": 0, "state": "up",
                     "mtu": 1500, "addresses": ["10.0.1.1/24", "fe80::1/64"]},
                    {"name": "n1-p0.100", "node": "n1", "port": "n1-p0", "vlan": 100,
                     "state": "down", "mtu": 1400, "addresses": []})")),
                "NAME       PORT   VLAN  STATE   MTU  ADDRESSES\n"
                "n1-p0      n1-p0     0  up     1500  10.0.1.1/24,fe80::1/64\n"
                "n1-p0.100  n1-p0   100  down   1400  -\n");
}

TEST(Show, PrintsDrops) {
  expect_output(show_table("drops", rows(R"(
                    {"node": "n1", "port": "n1-p0", "reason": "no_route", "packets": 12},
                    {"node": "n1", "port": "fabric n2", "reason": "bad_tag", "packets": 3456})")),
                "NODE  PORT       REASON    PACKETS\n"
                "n1    n1-p0      no_route       12\n"
                "n1    fabric n2  bad_tag      3456\n");
}

TEST(Show, PrintsTheHeaderOfAnEmptyTable) {
  expect_output(show_table("drops", rows("")), "NODE  PORT  REASON  PACKETS\n");
}

TEST(Show, MarksWhatTheControllerDoesNotSend) {
  expect_output(show_table("drops", rows(R"({"node": "n1"}, {"port": null, "packets": 1})")),
                "NODE  PORT  REASON  PACKETS\n"
                "n1    -     -             -\n"
                "-     -     -             1\n");
  expect_output(show_table("routes", rows(R"({"prefix": "::/0", "next_hops": [{}, "x",
                               {"node": "n1", "address": "::1"}, {"interface": "n1-p0", "weight": 2}]})")),
                "PREFIX  KIND  PROTOCOL  GROUP  STALE  NEXT_HOPS\n"
                "::/0    -     -             -  -      - x ::1@- n1-p0*2\n");
  const auto cluster = show_table("cluster", rows(R"({"name": "lab"})"));
  EXPECT_EQ(cluster.out.substr(0, 31), "name: lab\nepoch: -\ndigest: -\nno");
  EXPECT_NE(cluster.out.find("\nsettled: -\nvlb_mode: -\nwaiting_static_routes: -\n"),
            std::string::npos);
  EXPECT_EQ(cluster.exit_code, 0);
}

TEST(Show, IgnoresFieldsThatItDoesNotKnow) {
  expect_output(show_table("drops", rows(R"({"node": "n1", "port": "p", "reason": "r",
                                             "packets": 1, "since": "boot"})")),
                "NODE  PORT  REASON  PACKETS\n"
                "n1    p     r             1\n");
}

TEST(Show, PrintsFieldsOfAnotherTypeAsTheyAre) {
  expect_output(show_table("drops", rows(R"({"node": {"a": 1}, "port": ["x", 2, true],
                                             "reason": "", "packets": "many"})")),
                "NODE     PORT     REASON  PACKETS\n"
                "{\"a\":1}  x,2,yes  -          many\n");
}

TEST(Show, PrintsRowsAsJson) {
  expect_output(show_table("drops", rows(R"({"node": "n1", "packets": 1, "extra": [2]})"), true),
                "[\n"
                "  {\n"
                "    \"node\": \"n1\",\n"
                "    \"packets\": 1,\n"
                "    \"extra\": [\n"
                "      2\n"
                "    ]\n"
                "  }\n"
                "]\n");
  expect_output(show_table("drops", rows(""), true), "[]\n");
}

TEST(Show, PrintsTheClusterAsOneJsonObject) {
  expect_output(show_table("cluster", rows(R"({"name": "lab", "epoch": 42})"), true),
                "{\n"
                "  \"name\": \"lab\",\n"
                "  \"epoch\": 42\n"
                "}\n");
}

TEST(Show, SaysWhatTheControllerSaysIsWrong) {
  for (const bool json : {false, true}) {
    expect_fault(show_with({"routes", "192.0.2.0/24", "ipc:///x", json},
                           R"({"ok": false, "error": "no route covers 192.0.2.0/24"})"),
                 "no route covers 192.0.2.0/24");
  }
  expect_fault(show_table("nodes", R"({"ok": false, "error": "two\nlines\u001b"})"), "two?lines?");
}

TEST(Show, SaysThatNoControllerAnswers) {
  expect_fault(show_with({"nodes", "", "tcp://c:1", false}, fail("no reply within 5 s")),
               "no controller answers at tcp://c:1 (no reply within 5 s); start rackway-controller "
               "or give --controller");
}

TEST(Show, SaysThatTheTransportFails) {
  std::ostringstream out, err;
  const auto ask = [](const std::string&) -> Result<std::string> {
    throw std::runtime_error("too many open files");
  };
  EXPECT_EQ(show({"nodes", "", "tcp://c:1", false}, ask, out, err), 1);
  EXPECT_EQ(err.str(),
            "no controller answers at tcp://c:1 (too many open files); start rackway-controller "
            "or give --controller\n");
}

TEST(Show, RefusesRepliesThatAreNone) {
  const std::vector<std::pair<std::string, std::string>> faults{
      {"", "it is not JSON"},
      {"{\"ok\": true, \"rows\": [", "it is not JSON"},
      {"{\"ok\": true, \"rows\": [\"\xff\"]}", "it is not JSON"},
      {"[]", "it is not an object"},
      {"{}", "it does not say whether it is ok"},
      {R"({"ok": 1, "rows": []})", "it does not say whether it is ok"},
      {R"({"ok": false})", "it names no error"},
      {R"({"ok": false, "error": 5})", "it names no error"},
      {R"({"ok": true})", "it has no rows"},
      {R"({"ok": true, "rows": {}})", "it has no rows"},
      {R"({"ok": true, "rows": [{}, 5]})", "it has no rows"},
  };
  for (const auto& [reply, why] : faults) {
    for (const bool json : {false, true}) {
      expect_fault(show_table("nodes", reply, json),
                   "the controller's reply is not understood (" + why +
                       "); use a rackway command of the controller's version");
    }
  }
  for (const auto& reply : {rows(""), rows("{}, {}")}) {
    EXPECT_NE(show_table("cluster", reply).err.find("(it has not exactly one row)"),
              std::string::npos);
  }
}

TEST(Show, FailsWhenItsOutputCanNotBeWritten) {
  std::ostringstream out, err;
  out.setstate(std::ios::badbit);
  const auto ask = [](const std::string&) -> Result<std::string> { return rows(""); };
  EXPECT_EQ(show({"drops", "", "ipc:///x", false}, ask, out, err), 1);
}

}  // namespace
}  // namespace rackway::cli
