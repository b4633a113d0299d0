// SPDX-License-Identifier: Apache-2.0
// Makes the packets of a traffic matrix, in order of time at each ingress node, the same for the
// same seed whoever asks in which order. Open loop: nothing that happens to a packet changes what
// comes after it.
//
// The traffic of each pair of nodes is as much as the matrix says over any stretch of a few bursts,
// so that an admissible matrix stays admissible: an ingress node sends bursts, the next one always
// from the pair that is most behind; random are the flow, the sizes, the lengths and the gaps. The
// cable of the ingress node is never faster than its rate. Owned by one thread.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "vlb/traffic/flow_mix.hh"
#include "vlb/traffic/packet.hh"
#include "vlb/traffic/packet_sizes.hh"
#include "vlb/traffic/random.hh"
#include "vlb/traffic/traffic_matrix.hh"

namespace rackway::traffic {

// One ingress node.
class Source {
 public:
  // line_rate: bits/s, at least as much as enters there.
  Source(const TrafficMatrix& matrix, NodeId ingress, double line_rate, const FlowMix& mix,
         const PacketSizes& sizes, const FlowShares& shares, std::uint64_t seed);

  [[nodiscard]] bool sends() const { return !pairs_.empty(); }
  // Only if it sends.
  [[nodiscard]] Packet next();
  // What would have been sent until then is not (a node that was dead).
  void skip_to(Picoseconds time);

 private:
  struct Flow {
    std::uint32_t number, sequence, left;
  };
  struct Pair {
    double due;       // when it gets its next burst, in units of its own
    double interval;  // by which an octet moves that
    NodeId egress;
    std::uint32_t first_flow;  // in flows_
  };

  [[nodiscard]] static bool later(const Pair& a, const Pair& b);
  void begin_burst();
  void renew(Flow& flow);

  const FlowMix* mix_;
  const PacketSizes* sizes_;
  const FlowShares* shares_;
  NodeId ingress_;
  std::uint32_t nodes_;
  Random random_;
  double ps_per_octet_{};  // of the line
  double idle_ratio_{};    // mean gap by time on the cable
  Picoseconds now_{0};
  std::vector<Pair> pairs_;  // the last one sends; the others are a heap, the most behind first
  std::vector<Flow> flows_;
  std::uint32_t next_flow_{0};
  std::uint32_t in_burst_{0};
  Flow* flow_{nullptr};
};

class Generator {
 public:
  // line_rates: bits/s by node.
  Generator(const TrafficMatrix& matrix, std::span<const double> line_rates, FlowMix mix,
            PacketSizes sizes, std::uint64_t seed);
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;

  [[nodiscard]] Source& at(NodeId ingress) { return sources_[ingress.value]; }
  [[nodiscard]] std::size_t nodes() const { return sources_.size(); }

 private:
  FlowMix mix_;
  PacketSizes sizes_;
  FlowShares shares_;
  std::vector<Source> sources_;
};

}  // namespace rackway::traffic
