// SPDX-License-Identifier: Apache-2.0
// Lets other threads hold the forwarding core outside all devices for a moment: while the agent
// stops or starts one, and while DPDK's memif driver unmaps the memory of a peer that has gone. The
// driver does that in its own thread without regard for cores inside a receive or transmit call,
// which would crash them; the linker hands its function to us (see memif_fence.cc).
//
// The core calls checkpoint() between bursts: one load when nobody asks. Holds may nest and
// overlap.
#pragma once

#include <atomic>

namespace rackway::node {

class DatapathGate {
 public:
  // The one gate of the process; the driver's callback has no other way to find it.
  static DatapathGate& instance();

  // By the core: it enters the devices now / never again.
  void attach() noexcept { attached_.store(true, std::memory_order_seq_cst); }
  void detach() noexcept { attached_.store(false, std::memory_order_seq_cst); }
  void checkpoint() noexcept {
    if (holds_.load(std::memory_order_acquire) != 0) [[unlikely]]
      park();
  }

  // Returns once the core is parked (at once when it is not attached).
  void hold() noexcept;
  void release() noexcept { holds_.fetch_sub(1, std::memory_order_seq_cst); }

 private:
  void park() noexcept;

  // Sequentially consistent among holds_, parked_ and attached_: the core announces that it leaves
  // and then looks at holds_, the holder raises holds_ and then looks at parked_, so one sees the
  // other.
  std::atomic<int> holds_{0};
  std::atomic<bool> parked_{false};
  std::atomic<bool> attached_{false};
};

class DatapathHold {
 public:
  DatapathHold() { DatapathGate::instance().hold(); }
  ~DatapathHold() { DatapathGate::instance().release(); }
  DatapathHold(const DatapathHold&) = delete;
  DatapathHold& operator=(const DatapathHold&) = delete;
};

}  // namespace rackway::node
