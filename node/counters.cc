// SPDX-License-Identifier: Apache-2.0
#include "node/counters.hh"

namespace rackway::node {

cluster::PlaceCounters Counters::read() const {
  cluster::PlaceCounters values{.received = received.get(),
                                .received_bytes = received_bytes.get(),
                                .sent = sent.get(),
                                .punted = punted.get(),
                                .transmitted = transmitted.get(),
                                .transmitted_bytes = transmitted_bytes.get(),
                                .direct = direct.get(),
                                .via_relay = via_relay.get(),
                                .relayed = relayed.get(),
                                .injected = injected.get(),
                                .icmp_sent = icmp_sent.get(),
                                .icmp_withheld = icmp_withheld.get()};
  for (std::size_t i = 0; i < cluster::kDropReasons; ++i) values.dropped[i] = dropped[i].get();
  return values;
}

}  // namespace rackway::node
