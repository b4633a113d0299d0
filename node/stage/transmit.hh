// SPDX-License-Identifier: Apache-2.0
// The end of the journey: frames of fate transmit leave by their outputs at once (no frame waits
// for the next burst), then every slot is counted at the place where it came in, so that there
// received = sent + punted + dropped by construction. Hellos, which the node takes in, are taken
// out of that account.
#pragma once

#include "node/burst.hh"
#include "node/stage/departures.hh"

namespace rackway::node {

class Transmit {
 public:
  Transmit(Places& places, std::uint16_t core) : places_(places), core_(core) {}

  // relayed: the frames came by the fabric.
  void run(Burst& burst, const Context& context, bool relayed) noexcept;

 private:
  void send(Burst& burst, const Departures::Group& group, bool relayed) noexcept;
  static void settle(Burst& burst, Counters& in) noexcept;

  Places& places_;
  std::uint16_t core_;
  SortByOutput sort_ = choose_sort_by_output();
  Departures departures_;
};

}  // namespace rackway::node
