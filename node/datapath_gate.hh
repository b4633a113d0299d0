// SPDX-License-Identifier: Apache-2.0
// Lets other threads hold the forwarding cores outside all devices for a moment: while the agent
// stops or starts one, and while DPDK's memif driver unmaps the memory of a peer that has gone. The
// driver does that in its own thread without regard for cores inside a receive or transmit call,
// which would crash them; the linker hands its function to us (see memif_fence.cc).
//
// A core calls checkpoint() between bursts: one load when nobody asks. Holds may nest and overlap.
#pragma once

#include <atomic>

namespace rackway::node {

class DatapathGate {
 public:
  // The one gate of the process; the driver's callback has no other way to find it.
  static DatapathGate& instance();

  // By a core, on its thread: it enters the devices now, or waits; and never again.
  void attach() noexcept {
    attached_.fetch_add(1, std::memory_order_seq_cst);
    park();
  }
  void detach() noexcept { attached_.fetch_sub(1, std::memory_order_seq_cst); }
  void checkpoint() noexcept {
    if (holds_.load(std::memory_order_acquire) != 0) [[unlikely]]
      park();
  }

  // Returns once every core that is attached is parked.
  void hold() noexcept;
  void release() noexcept { holds_.fetch_sub(1, std::memory_order_seq_cst); }

 private:
  void park() noexcept;

  // Sequentially consistent among the three: a core announces that it comes, or leaves its parking
  // place, and then looks at holds_; a holder raises holds_ and then looks at the other two; so one
  // sees the other. A core that parks stays until it has seen no hold, or is counted in parked_
  // again; so the two numbers need not be of one instant.
  std::atomic<int> holds_{0};
  std::atomic<int> parked_{0};
  std::atomic<int> attached_{0};
};

class DatapathHold {
 public:
  DatapathHold() { DatapathGate::instance().hold(); }
  ~DatapathHold() { DatapathGate::instance().release(); }
  DatapathHold(const DatapathHold&) = delete;
  DatapathHold& operator=(const DatapathHold&) = delete;
};

}  // namespace rackway::node
