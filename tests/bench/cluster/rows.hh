// SPDX-License-Identifier: Apache-2.0
// The rows of `./dev bench cluster`: each runs its clusters and adds what they showed, with the
// target where there is one. All meshes have equal nodes and links of 2r/N.
#pragma once

#include <rte_mempool.h>

#include "tests/bench/cluster/mesh_scenario.hh"
#include "tests/bench/report.hh"
#include "vlb/traffic/virtual_time.hh"

namespace rackway::bench {

struct Extent {
  double rate;  // of a node, bits/s
  traffic::Picoseconds warm_up, measured;
  unsigned repeats;  // of what is timed in cycles
};
[[nodiscard]] Extent extent(bool quick);

struct Bench {
  rte_mempool& pool;
  rte_mempool& small_pool;  // for frames of 64 octets
  Extent extent;
  Report& report;

  // A mesh as this bench runs it.
  [[nodiscard]] simulator::Scenario scenario(MeshCase of) const;
};

// Goodput at 95 % and 100 % of what is admissible, for each matrix; what went straight.
void add_goodput_rows(const Bench& bench, std::size_t nodes);
// The heavy-tailed mix at 80 %: order and latency.
void add_order_rows(const Bench& bench, std::size_t nodes);
// A node dies at a set time and comes back.
void add_failure_rows(const Bench& bench, std::size_t nodes);
// Cycles per packet of each role, and the efficiency against a node alone. 64 octets.
void add_cycle_rows(const Bench& bench, std::size_t nodes);

}  // namespace rackway::bench
