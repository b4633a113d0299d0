// SPDX-License-Identifier: Apache-2.0
// The sink's view of a run: what was sent and has arrived, in which order, how late. Reordering by
// RFC 4737 over all packets together (each judged within its flow), loss as what never arrived,
// latency from born to arrival. Only packets that were told to sent() may arrive. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "vlb/traffic/flow_order.hh"
#include "vlb/traffic/latency_histogram.hh"
#include "vlb/traffic/packet.hh"

namespace rackway::traffic {

struct Count {
  std::uint64_t packets{0}, octets{0};
  void add(std::uint16_t size) {
    ++packets;
    octets += size;
  }
  bool operator==(const Count&) const = default;
};

class Meter {
 public:
  void sent(const Packet& packet);
  void arrived(const Packet& packet, Picoseconds now);

  [[nodiscard]] Count sent() const { return sent_; }
  [[nodiscard]] Count arrived() const { return arrived_; }
  [[nodiscard]] std::uint64_t lost() const { return sent_.packets - arrived_.packets; }
  [[nodiscard]] std::uint64_t reordered() const { return reordered_; }
  // Of arrived packets and octets; 0 or 1 when there are none.
  [[nodiscard]] double reordered_share() const;
  [[nodiscard]] double goodput() const;
  // Of the extents of reordered packets; the largest for share 1. 0 if there is none.
  [[nodiscard]] std::uint32_t extent(double share) const;
  [[nodiscard]] const LatencyHistogram& latency() const { return latency_; }

 private:
  static constexpr std::uint32_t kExtents = 4096;  // longer ones count as the last

  FlowOrder order_;
  LatencyHistogram latency_;
  Count sent_, arrived_;
  std::uint64_t reordered_{0};
  std::vector<std::uint64_t> extents_ = std::vector<std::uint64_t>(kExtents);
  std::vector<bool> known_;  // by flow: a packet of it was sent
};

}  // namespace rackway::traffic
