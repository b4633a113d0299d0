// SPDX-License-Identifier: Apache-2.0
// What is asked of the planner. A plain value; bounds are checked where it is read.
#pragma once

#include <string>
#include <vector>

#include "topo/plan/failure_sets.hh"
#include "topo/plan/hardware.hh"
#include "topo/plan/packet_mix.hh"

namespace rackway::plan {

inline constexpr unsigned kMostPorts = 100'000;

// Cycles of a core that a packet costs in each role that a node has for it. docs/performance.md,
// `./dev bench forward`, medians: W4 all to fabric, W5, W6, W2. Ports in memory: what a NIC's
// driver adds is not in them.
struct RoleCosts {
  double ingress{89.8};  // checks, lookup, steering, to the fabric
  double relay{59.6};
  double egress{45.9};
  double local{99.1};  // in and out of the same node; with a full table
};

enum class FabricChoice : std::uint8_t { any, mesh, butterfly };
enum class Objective : std::uint8_t { price, watts, rack_units, servers };

struct Requirement {
  unsigned ports{};
  Mbps rate{};
  std::vector<std::string> servers;  // models to choose from
  // Numbers of ports on the way to `ports`, in order: servers and cables are added, none is moved,
  // and at each of them the guarantee has to hold. Only a mesh grows so.
  std::vector<unsigned> growth;
  FabricChoice fabric{FabricChoice::any};
  Objective objective{Objective::price};
  Survive survive;
  PacketMix packets;
  RoleCosts costs;
  double core_load{0.7};        // a core is planned to be busy for at most so much of its time
  unsigned reserved_cores{2};   // of each server: the system, the agent
  unsigned cables_per_link{1};  // at most so many between two servers, for what can bundle them
};

}  // namespace rackway::plan
