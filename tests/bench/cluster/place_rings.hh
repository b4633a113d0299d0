// SPDX-License-Identifier: Apache-2.0
// Devices in memory for many nodes in one process: each place of each node has a ring for what
// comes in and one for what goes out, as DPDK's net_ring has, and the nodes take turns at the same
// DPDK ports. DPDK has room for 32 ports, a mesh of 16 nodes has 256 places; so the ports are
// entries of DPDK's table of fast-path functions and nothing else, and seat() puts a node's rings
// behind them. A polling of them costs what a device of rings costs. One in a process, one thread.
#pragma once

#include <rte_ring.h>

#include <cstdint>
#include <vector>

namespace rackway::bench {

class PlaceRings {
 public:
  static constexpr unsigned kFrames = 2047;  // that fit into a ring

  PlaceRings(std::size_t nodes, std::size_t places);
  ~PlaceRings();
  PlaceRings(const PlaceRings&) = delete;
  PlaceRings& operator=(const PlaceRings&) = delete;

  // From now on DPDK port i is place i of this node.
  void seat(std::size_t node) noexcept;

  [[nodiscard]] rte_ring* to_node(std::size_t node, std::size_t place) const {
    return rings_[2 * (node * places_ + place)];
  }
  [[nodiscard]] rte_ring* from_node(std::size_t node, std::size_t place) const {
    return rings_[2 * (node * places_ + place) + 1];
  }

 private:
  std::size_t places_;
  std::vector<rte_ring*> rings_;
  std::vector<void*> rx_, tx_;  // by port: the ring of its only queue
  void* no_callback_{nullptr};
};

}  // namespace rackway::bench
