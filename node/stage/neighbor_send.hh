// SPDX-License-Identifier: Apache-2.0
// Out of this node by one of its adjacencies: the last step of a routed packet, at the node where
// it entered or at the one that the fabric brought it to.
#pragma once

#include "node/burst.hh"
#include "node/stage/rewrite.hh"

namespace rackway::node {

class NeighborSend {
 public:
  // The MACs of the ports must not change any more.
  explicit NeighborSend(const Places& places) {
    for (std::size_t i = 0; i < places.ports; ++i) {
      port_macs_.push_back(mac_word(places.outputs[i]->mac));
    }
  }

  [[nodiscard]] bool is_port(PortId port) const noexcept { return port.value < port_macs_.size(); }

  // For an adjacency of a port of ours.
  void send(Burst& burst, std::size_t i, const fib::LocalAdjacency& adjacency) const noexcept {
    write_macs(burst.octets[i], mac_word(adjacency.destination), port_macs_[adjacency.port.value]);
    burst.transmit(i, adjacency.port.value);
  }

  // Or a counted drop when the index names none, or `size` octets of IP do not fit.
  void send_if_possible(Burst& burst, std::size_t i, AdjacencyId index, std::uint32_t size,
                        std::span<const fib::LocalAdjacency> adjacencies) const noexcept {
    if (index.value >= adjacencies.size() || !adjacencies[index.value].valid ||
        !is_port(adjacencies[index.value].port)) {
      return burst.drop(i, DropReason::adjacency_unknown);
    }
    if (size > adjacencies[index.value].mtu) return burst.drop(i, DropReason::mtu_exceeded);
    send(burst, i, adjacencies[index.value]);
  }

 private:
  std::vector<std::uint64_t> port_macs_;
};

}  // namespace rackway::node
