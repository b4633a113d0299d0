// SPDX-License-Identifier: Apache-2.0
// A node of the cluster in one process: the product's journey, steering and places, between devices
// in memory. Its FIB is that of the cluster, as in the product. What it costs is measured around
// each place that is polled, with receiving and sending. One thread.
#pragma once

#include <rte_mempool.h>
#include <rte_ring.h>

#include <span>
#include <vector>

#include "fib/fib.hh"
#include "node/journey.hh"
#include "tests/bench/cluster/place_rings.hh"
#include "tests/bench/cluster/role_cycles.hh"
#include "vlb/steering.hh"

namespace rackway::bench {

// Place 0 is the external port, local link i is place 1 + i.
class RealNode {
 public:
  // link_rates: bits/s, by local link.
  RealNode(NodeId self, vlb::Steering steering, std::span<const double> link_rates,
           rte_mempool& pool);
  ~RealNode();
  RealNode(const RealNode&) = delete;
  RealNode& operator=(const RealNode&) = delete;

  // One round of polls, of what is in the rings. The node has the seat. relayed: by link, how many
  // of its frames go on to another node.
  void step(const fib::Fib& fib, const PlaceRings& rings, std::span<const unsigned> relayed,
            vlb::Time now, RoleCycles& cycles);

  [[nodiscard]] vlb::Steering& steering() { return steering_; }
  [[nodiscard]] const node::Places& places() const { return places_; }
  [[nodiscard]] std::size_t links() const { return places_.links(); }

 private:
  struct NodePlaces : node::Places {
    explicit NodePlaces(std::size_t links);
  };

  // Until nothing is left of `frames`. Returns the cycles.
  template <class Take>
  std::uint64_t poll(node::Place& place, unsigned frames, Take take);
  void tell_backlogs(vlb::Time now);
  [[nodiscard]] node::Context context(const fib::Fib& fib, node::Place& in, vlb::Time now) const;

  NodeId self_;
  vlb::Steering steering_;
  NodePlaces places_;
  node::WakeUp slow_path_;
  rte_ring* punts_;
  node::Journey journey_;
  node::Burst burst_;
  std::vector<vlb::LinkBacklog> backlogs_;
};

}  // namespace rackway::bench
