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
#include "node/stage/tag.hh"

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

    // For an adjacency of one of them and without a tag; both in one comparison, as the VLAN lies
    // above the port.
    [[nodiscard]] bool send_untagged(const fib::LocalAdjacency& adjacency) const noexcept {
      constexpr std::size_t kPort = offsetof(fib::LocalAdjacency, port);
      static_assert(offsetof(fib::LocalAdjacency, vlan) == kPort + 2);
      std::uint32_t port_and_vlan;
      std::memcpy(&port_and_vlan, reinterpret_cast<const char*>(&adjacency) + kPort,
                  sizeof port_and_vlan);
      return port_and_vlan < count;
    }
    // For an adjacency of one of them.
    void write_macs(std::uint8_t* octets, const fib::LocalAdjacency& adjacency) const noexcept {
      static_assert(offsetof(fib::LocalAdjacency, destination) == 0);
      std::uint64_t destination;  // and two octets more
      std::memcpy(&destination, &adjacency, sizeof destination);
      node::write_macs(octets, destination, macs[adjacency.port.value]);
    }
  };
  [[nodiscard]] Ports ports() const noexcept { return {port_macs_.data(), port_macs_.size()}; }

  // Those of the slots whose adjacency is of a port of ours and needs no tag leave by it. All
  // indices name one that is there. before(octets) is called for each packet that goes.
  template <class Before>
  void send_all(Burst& burst, Mask slots, const std::array<fib::Bucket, kBurst>& buckets,
                std::span<const fib::LocalAdjacency> adjacencies, Before&& before) const noexcept {
    const auto* const adjacency_of = adjacencies.data();
    const Ports all = ports();
    Mask sent = 0;
    for_each(slots, [&](std::size_t i) {
      const fib::LocalAdjacency& adjacency = adjacency_of[buckets[i].index.value];
      if (!all.send_untagged(adjacency)) [[unlikely]]
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

  // With its tag, if it has one. Or a counted drop when the index names none, `size` octets of IP
  // do not fit, or there is no room for the tag.
  void send_if_possible(Burst& burst, std::size_t i, AdjacencyId index, std::uint32_t size,
                        std::span<const fib::LocalAdjacency> adjacencies) const noexcept {
    if (index.value >= adjacencies.size()) return burst.drop(i, DropReason::adjacency_unknown);
    const fib::LocalAdjacency& adjacency = adjacencies[index.value];
    if (!adjacency.valid || adjacency.port.value >= port_macs_.size()) {
      return burst.drop(i, DropReason::adjacency_unknown);
    }
    if (size > adjacency.mtu) return burst.drop(i, DropReason::mtu_exceeded);
    if (adjacency.vlan != VlanId{} && !put_tag_on(burst, i, adjacency.vlan.value)) {
      return burst.drop(i, DropReason::no_headroom);
    }
    ports().write_macs(burst.octets[i], adjacency);
    burst.transmit(i, adjacency.port.value);
  }

 private:
  std::vector<std::uint64_t> port_macs_;
};

}  // namespace rackway::node
