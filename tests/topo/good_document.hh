// SPDX-License-Identifier: Apache-2.0
// A cluster document that uses every key, the smallest one, and how the tests of the parser change
// them and learn what it says.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/startup_error.hh"
#include "topo/cluster_document.hh"

namespace rackway::topo {

inline const std::string kGood = R"({
  "name": "lab.one",
  "controller": {"control": "tcp://10.0.0.1:7700", "packets": "tcp://[2001:db8::1]:7701",
                 "api": "ipc:///run/lab/api.sock", "namespace": "lab_ns",
                 "settle_ms": 1000, "settle_max_ms": 2000, "netlink_buffer": 8192,
                 "audit_s": 0},
  "nodes": [
    {"name": "n1", "ports": [{"name": "p0", "device": "net_af_packet0,iface=ext0", "mtu": 9000},
                             {"name": "p.1", "device": "0000:01:00.0"}]},
    {"name": "n2", "ports": [{"name": "p0", "device": "net_af_packet0,iface=ext0"}]},
    {"name": "n-3"}
  ],
  "fabric": {"links": [
    {"between": ["n2", "n1"], "devices": ["net_memif0,id=0", "net_memif0,id=0"]},
    {"between": ["n2", "n-3"], "devices": ["net_memif1,id=1", "net_memif0,id=1"]}
  ], "hello": {"interval_ms": 50, "multiplier": 5}},
  "vlb": {"mode": "direct-vlb", "flowlet_gap_us": [200, 40000]},
  "routes": [
    {"prefix": "203.0.113.0/24", "via": ["10.0.1.2", "10.0.1.3"]},
    {"prefix": "198.51.100.0/24", "type": "blackhole"},
    {"prefix": "2001:db8::/32", "type": "unicast", "via": ["2001:db8:1::2"]},
    {"prefix": "0.0.0.0/0", "type": "unreachable"},
    {"prefix": "::/0", "type": "prohibit"}
  ]
})";

inline const std::string kSmallest = R"({"name": "x", "nodes": [{"name": "a"}]})";

// The text with the first `from` replaced.
inline std::string with(const std::string& text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return std::string(text).replace(at, from.size(), to);
}

// What the parser says, empty if it takes the document. Lets no other exception through.
inline std::string fault_of(const std::string& json) {
  try {
    (void)parse_cluster_document(json, "lab.json");
  } catch (const StartupError& fault) {
    return fault.what();
  }
  return "";
}

}  // namespace rackway::topo
