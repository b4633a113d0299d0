// SPDX-License-Identifier: Apache-2.0
// Hellos end here: of the frames of a fabric link, those that Relay found to be of kind hello go to
// the fabric watch, which reads them before their buffers are freed. One that is taken in is no
// packet and is not counted among what the place received, but by itself.
#pragma once

#include "node/burst.hh"
#include "node/fabric_watch.hh"

namespace rackway::node {

// Who has the hellos that come to a core: the watch, of the first one, or a queue to it. Neither:
// nobody listens, and hellos are malformed data.
struct HelloTakers {
  FabricWatch* watch{};
  rte_ring* queue{};
};

class Hello {
 public:
  Hello(const Places& places, HelloTakers takers) : places_(places), takers_(takers) {}

  // burst.hellos, all undecided.
  void run(Burst& burst, const Context& context) const noexcept;

 private:
  [[nodiscard]] std::size_t link_of(const Place& in) const noexcept;
  void hand_over(Burst& burst, std::size_t i, const Context& context) const noexcept;

  const Places& places_;
  HelloTakers takers_;
};

}  // namespace rackway::node
