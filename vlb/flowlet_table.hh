// SPDX-License-Identifier: Apache-2.0
// Which path the flowlets of one forwarding core are on. A flowlet is a run of a flow's packets
// with no gap in it longer than the flowlet gap; between two of them the flow may change its path
// without changing its order (Kandula, Katabi et al., "Dynamic load balancing without packet
// reordering", CCR 2007; RouteBricks, SOSP'09, section 6.1). The table is direct mapped and never
// full: flows that share an entry take each other's place, and each goes back to the path that
// steering gives it. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "base/id.hh"

namespace rackway::vlb {

// Microseconds of a monotonic clock, mod 2^32.
using Time = std::uint32_t;

class FlowletTable {
 public:
  static constexpr unsigned kOrder = 14;
  static constexpr std::uint32_t kEntries = 1u << kOrder;

  // Where the parts of an entry begin, in bits.
  static constexpr unsigned kLast = 0, kPath = 32, kEgress = 48;

  // The time of the last packet, the index of its path in Steering's (0: none), its egress node;
  // one integer, so that it is loaded and stored whole.
  class Entry {
   public:
    Entry() = default;
    Entry(Time last, std::uint16_t path, NodeId egress) noexcept
        : bits_(last | std::uint64_t{path} << kPath | std::uint64_t{egress.value} << kEgress) {}
    [[nodiscard]] Time last() const noexcept { return static_cast<Time>(bits_ >> kLast); }
    [[nodiscard]] std::uint16_t path() const noexcept {
      return static_cast<std::uint16_t>(bits_ >> kPath);
    }
    [[nodiscard]] NodeId egress() const noexcept {
      return NodeId{static_cast<std::uint16_t>(bits_ >> kEgress)};
    }

   private:
    std::uint64_t bits_{};
  };

  static constexpr std::uint32_t kSpread = 0x9e3779b1;
  // Of a flow to that egress node; the same hash to another one is another flow.
  [[nodiscard]] static std::uint32_t index(std::uint32_t flow_hash, NodeId egress) noexcept {
    return (flow_hash + egress.value * kSpread) >> (32 - kOrder);
  }
  [[nodiscard]] const Entry& operator[](std::uint32_t index) const noexcept {
    return entries_[index];
  }
  [[nodiscard]] Entry* data() noexcept { return entries_.data(); }

 private:
  std::vector<Entry> entries_ = std::vector<Entry>(kEntries);
};

}  // namespace rackway::vlb
