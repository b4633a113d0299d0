// SPDX-License-Identifier: Apache-2.0
#include "node/counters.hh"

namespace rackway::node {

void Counters::add_to(cluster::PlaceCounters& sum) const {
  sum.received += received.get();
  sum.received_bytes += received_bytes.get();
  sum.sent += sent.get();
  sum.punted += punted.get();
  sum.transmitted += transmitted.get();
  sum.transmitted_bytes += transmitted_bytes.get();
  sum.direct += direct.get();
  sum.via_relay += via_relay.get();
  sum.relayed += relayed.get();
  sum.injected += injected.get();
  sum.icmp_sent += icmp_sent.get();
  sum.icmp_withheld += icmp_withheld.get();
  sum.hellos_sent += hellos_sent.get();
  sum.hellos_received += hellos_received.get();
  for (std::size_t i = 0; i < cluster::kDropReasons; ++i) sum.dropped[i] += dropped[i].get();
}

cluster::QueueCounters Counters::read() const {
  cluster::QueueCounters values{.received = received.get(),
                                .sent = sent.get(),
                                .punted = punted.get(),
                                .transmitted = transmitted.get()};
  for (const auto& of_reason : dropped) values.dropped += of_reason.get();
  return values;
}

cluster::PlaceCounters CountersByCore::read() const {
  cluster::PlaceCounters sum;
  for (const auto& of_core : of_core_) of_core.add_to(sum);
  return sum;
}

std::vector<cluster::QueueCounters> CountersByCore::read_by_core() const {
  std::vector<cluster::QueueCounters> all;
  for (const auto& of_core : of_core_) all.push_back(of_core.read());
  return all;
}

}  // namespace rackway::node
