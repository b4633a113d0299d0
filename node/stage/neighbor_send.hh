// SPDX-License-Identifier: Apache-2.0
// Out of this node by one of its adjacencies: the last step of a routed packet, at the node where
// it entered or at the one that the fabric brought it to.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

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

  // What a loop over packets needs. A value of its own: the octets of a packet may be any object's
  // for all the compiler knows, and what is in objects would be loaded anew after each.
  struct Ports {
    const std::uint64_t* macs;
    std::size_t count;

    // For an adjacency of one of them.
    void write_macs(std::uint8_t* octets, const fib::LocalAdjacency& adjacency) const noexcept {
      static_assert(offsetof(fib::LocalAdjacency, destination) == 0);
      std::uint64_t destination;  // and two octets more
      std::memcpy(&destination, &adjacency, sizeof destination);
      node::write_macs(octets, destination, macs[adjacency.port.value]);
    }
  };
  [[nodiscard]] Ports ports() const noexcept { return {port_macs_.data(), port_macs_.size()}; }

  // Those of the slots whose adjacency is of a port of ours leave by it. All indices name one that
  // is there. before(octets) is called for each packet that goes.
  template <class Before>
  void send_all(Burst& burst, Mask slots, const std::array<fib::Bucket, kBurst>& buckets,
                std::span<const fib::LocalAdjacency> adjacencies, Before&& before) const noexcept {
    const auto* const adjacency_of = adjacencies.data();
    const Ports all = ports();
    Mask sent = 0;
    for_each(slots, [&](std::size_t i) {
      const fib::LocalAdjacency& adjacency = adjacency_of[buckets[i].index.value];
      if (adjacency.port.value >= all.count) [[unlikely]]
        return;
      std::uint8_t* const octets = burst.octets[i];
      before(octets);
      all.write_macs(octets, adjacency);
      burst.output[i] = adjacency.port.value;
      sent |= bit(i);
    });
    burst.transmitted |= sent;
    burst.undecided &= ~sent;
  }

  // Or a counted drop when the index names none, or `size` octets of IP do not fit.
  void send_if_possible(Burst& burst, std::size_t i, AdjacencyId index, std::uint32_t size,
                        std::span<const fib::LocalAdjacency> adjacencies) const noexcept {
    if (index.value >= adjacencies.size()) return burst.drop(i, DropReason::adjacency_unknown);
    const fib::LocalAdjacency& adjacency = adjacencies[index.value];
    if (!adjacency.valid || adjacency.port.value >= port_macs_.size()) {
      return burst.drop(i, DropReason::adjacency_unknown);
    }
    if (size > adjacency.mtu) return burst.drop(i, DropReason::mtu_exceeded);
    ports().write_macs(burst.octets[i], adjacency);
    burst.transmit(i, adjacency.port.value);
  }

 private:
  std::vector<std::uint64_t> port_macs_;
};

}  // namespace rackway::node
