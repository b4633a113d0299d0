// SPDX-License-Identifier: Apache-2.0
// The time that a node's cores need for packets: each core takes its packets in order, one at a
// time, and has room for so many that wait. One thread.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "vlb/traffic/virtual_time.hh"

namespace rackway::simulator {

using traffic::Picoseconds;

// Of one packet, on one core.
struct Costs {
  Picoseconds ingress{0}, relay{0}, egress{0};
};

class Cores {
 public:
  Cores(unsigned count, unsigned waiting_packets) : busy_until_(count), waiting_(waiting_packets) {}

  // When the packet is done; nothing if too many wait already. Packets of a flow share a core.
  std::optional<Picoseconds> serve(std::uint32_t flow, Picoseconds cost, Picoseconds now) {
    Picoseconds& busy_until = busy_until_[flow % busy_until_.size()];
    const Picoseconds start = std::max(now, busy_until);
    if (start - now > cost * waiting_) return std::nullopt;
    busy_until = start + cost;
    used_ += cost;
    return busy_until;
  }
  // Since counted anew, all cores together.
  [[nodiscard]] Picoseconds used() const { return used_; }
  void count_anew() { used_ = 0; }
  [[nodiscard]] std::size_t count() const { return busy_until_.size(); }

 private:
  std::vector<Picoseconds> busy_until_;
  Picoseconds waiting_;
  Picoseconds used_{0};
};

}  // namespace rackway::simulator
