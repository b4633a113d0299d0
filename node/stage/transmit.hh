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

  void run(Burst& burst, const Context& context) noexcept;

 private:
  struct Queue {
    std::array<std::uint16_t, kBurst> slots;
    std::uint16_t size{0};
  };
  void flush(Burst& burst, std::size_t output) noexcept;
  static void settle(Burst& burst, Place& in) noexcept;

  Places& places_;
  std::vector<Queue> queues_;  // by output
};

}  // namespace rackway::node
