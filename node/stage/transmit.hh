// SPDX-License-Identifier: Apache-2.0
// The end of the journey: frames of fate transmit leave by their outputs at once (no frame waits
// for the next burst), then every slot is counted at the place where it came in, so that there
// received = sent + punted + dropped by construction.
#pragma once

#include "node/burst.hh"

namespace rackway::node {

class Transmit {
 public:
  explicit Transmit(Places& places) : places_(places), queues_(places.outputs.size()) {}

  // relayed: the frames came by the fabric.
  void run(Burst& burst, const Context& context, bool relayed) noexcept;

 private:
  // The frames for one output, and the slots that they have in the burst.
  struct Queue {
    std::uint16_t size{0};
    std::array<rte_mbuf*, kBurst> frames;
    std::array<std::uint8_t, kBurst> slots;
  };
  void flush(Burst& burst, std::size_t output, bool relayed) noexcept;
  void count_passage(const Burst& burst, Counters& counters, const Queue& queue, std::size_t sent,
                     bool relayed) const noexcept;
  static void settle(Burst& burst, Place& in) noexcept;

  Places& places_;
  std::vector<Queue> queues_;  // by output
};

}  // namespace rackway::node
