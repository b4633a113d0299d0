// SPDX-License-Identifier: Apache-2.0
// What a run found out, of the packets born in the measured time. A plain value.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/id.hh"
#include "vlb/simulator/line.hh"
#include "vlb/traffic/meter.hh"

namespace rackway::simulator {

enum class DropCause : std::uint8_t {
  node_busy,  // too many waited for a core
  no_path,    // steering or relaying knew no live link
  link_down,  // sent into a dead link or node, or under way when it died
  link_full,  // no room in front of a fabric link
  port_full,  // no room in front of the external ports
  hops_spent,
};
inline constexpr std::size_t kDropCauses = 6;

[[nodiscard]] constexpr std::string_view name_of(DropCause cause) {
  constexpr std::string_view kNames[kDropCauses] = {"node_busy", "no_path",   "link_down",
                                                    "link_full", "port_full", "hops_spent"};
  return kNames[static_cast<std::size_t>(cause)];
}

// One direction of a fabric link, or a node's external ports (from == to).
struct LineReport {
  NodeId from, to;
  double load;            // share of its rate that was carried
  double mean_queue;      // octets, as frames found it
  double largest_queue;   // octets
  std::uint64_t dropped;  // no room
};

[[nodiscard]] LineReport report_of(NodeId from, NodeId to, const Line& line, Picoseconds time);

struct Report {
  traffic::Meter meter;
  traffic::Count bystanders_sent, bystanders_arrived;  // neither end is a node with a fault
  Picoseconds last_bystander_loss{0};  // when the last one that was lost was born; 0: none
  std::array<std::uint64_t, kDropCauses> dropped{};
  std::uint64_t entered{0};                  // went into the fabric
  std::uint64_t straight{0};                 // of these, straight to the egress node
  std::uint64_t path_changes{0};             // of flows, between two of their packets
  std::uint64_t path_changes_while_live{0};  // of these, off a path whose link was live
  std::uint64_t moved_early{0};              // flowlets off a dead path, before their gap
  std::vector<LineReport> links, ports;
  std::vector<double> core_use;  // by node: share of its cores' time
  std::uint64_t events{0};

  [[nodiscard]] double straight_share() const {
    return entered == 0 ? 1 : static_cast<double>(straight) / static_cast<double>(entered);
  }
  [[nodiscard]] double largest_link_load() const;
  [[nodiscard]] double mean_link_load() const;
};

}  // namespace rackway::simulator
