// SPDX-License-Identifier: Apache-2.0
// Distinct integer types for the things a cluster counts, so that a node can not be passed where a
// port is meant. Values are in host byte order; wire widths are those of the representation.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace rackway {

template <class Tag, class Rep>
struct Id {
  using rep = Rep;
  Rep value{};
  constexpr auto operator<=>(const Id&) const = default;
};

using NodeId = Id<struct NodeTag, std::uint16_t>;  // index of a node in the cluster document
using PortId = Id<struct PortTag, std::uint16_t>;  // index of an external port within its node
using VlanId = Id<struct VlanTag, std::uint16_t>;  // IEEE 802.1Q, 0 = frames without a tag
using AdjacencyId =
    Id<struct AdjacencyTag, std::uint32_t>;          // index within its egress node, 24 bits
using GroupId = Id<struct GroupTag, std::uint32_t>;  // next-hop group, cluster-wide
using Epoch = Id<struct EpochTag, std::uint64_t>;    // version of the whole FIB, 0 = empty

inline constexpr std::size_t kMaxNodes = 4096;  // 12 bits in the fabric tag
inline constexpr std::size_t kMaxPortsPerNode = 256;
inline constexpr std::uint16_t kMaxVlan = 4094;             // 4095 is reserved (IEEE 802.1Q 9.6)
inline constexpr std::uint32_t kMaxAdjacencies = 1u << 24;  // 24 bits in the fabric tag

}  // namespace rackway

template <class Tag, class Rep>
struct std::hash<rackway::Id<Tag, Rep>> {
  std::size_t operator()(rackway::Id<Tag, Rep> id) const noexcept {
    return std::hash<Rep>{}(id.value);
  }
};
