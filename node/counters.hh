// SPDX-License-Identifier: Apache-2.0
// What passed one place of the node: an external port, a fabric link, or the controller's frames.
// One forwarding core writes, any thread reads. received = sent + punted + sum of dropped holds
// whenever no burst is on its way.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "cluster/drop_reason.hh"
#include "cluster/messages.hh"

namespace rackway::node {

// Written by one thread: a plain load and store, no locked instruction. Relaxed: readers want each
// number whole, not an order among them.
class Counter {
 public:
  void add(std::uint64_t n) noexcept {
    value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t get() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

struct alignas(64) Counters {
  Counter received, received_bytes, sent, punted;
  Counter transmitted, transmitted_bytes, direct, via_relay, relayed, injected;
  Counter icmp_sent, icmp_withheld;
  std::array<Counter, cluster::kDropReasons> dropped;

  [[nodiscard]] cluster::PlaceCounters read() const;
};

}  // namespace rackway::node
