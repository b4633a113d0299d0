// SPDX-License-Identifier: Apache-2.0
// What passed one place of the node: an external port, a fabric link, or the controller's frames;
// apart by forwarding core. A core writes its own, any thread reads. received = sent + punted + sum
// of dropped holds, for each core, whenever no burst is on its way. Hellos are in none of
// these.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

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
  // What was counted before it was known better.
  void take_back(std::uint64_t n) noexcept { add(0 - n); }
  [[nodiscard]] std::uint64_t get() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> value_{0};
};

// No core's counters share two cache lines with another's, which are fetched as a pair.
struct alignas(128) Counters {
  Counter received, received_bytes, sent, punted;
  Counter transmitted, transmitted_bytes, direct, via_relay, relayed, injected;
  Counter icmp_sent, icmp_withheld;
  Counter hellos_sent, hellos_received;
  Counter refused_bytes;  // that the device had no room for
  std::array<Counter, cluster::kDropReasons> dropped;

  // Octets of cable that the frames that left here took: with check sequence, preamble and gap.
  [[nodiscard]] std::uint64_t octets_on_cable() const noexcept {
    constexpr std::uint64_t kBesideFrame = 4 + 8 + 12;
    return transmitted_bytes.get() + kBesideFrame * transmitted.get();
  }
  void add_to(cluster::PlaceCounters& sum) const;
  [[nodiscard]] cluster::QueueCounters read() const;
};

class CountersByCore {
 public:
  explicit CountersByCore(std::size_t cores) : of_core_(cores) {}

  [[nodiscard]] Counters& operator[](std::size_t core) noexcept { return of_core_[core]; }
  // Of all cores together.
  [[nodiscard]] cluster::PlaceCounters read() const;
  [[nodiscard]] std::vector<cluster::QueueCounters> read_by_core() const;

 private:
  std::vector<Counters> of_core_;
};

}  // namespace rackway::node
