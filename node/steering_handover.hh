// SPDX-License-Identifier: Apache-2.0
// A new steering on its way to a forwarding core, whose traffic does not wait for it: the agent
// makes it, the core changes places with it in a moment, the agent takes the old one away. It is
// new because the fabric's tables are; flowlets begin anew.
//
// Each side has one thread. next_ and old_ are each written by exchange, with acquire and release:
// what is behind a pointer was finished by the thread that put it there.
#pragma once

#include <atomic>
#include <memory>
#include <utility>

#include "vlb/steering.hh"

namespace rackway::node {

class SteeringHandover {
 public:
  ~SteeringHandover() {
    delete next_.load(std::memory_order_relaxed);
    delete old_.load(std::memory_order_relaxed);
  }

  // The agent. One that the core has not taken yet is forgotten.
  void offer(std::unique_ptr<vlb::Steering> next) {
    collect();
    delete next_.exchange(next.release(), std::memory_order_acq_rel);
  }
  // The agent, now and then.
  void collect() { delete old_.exchange(nullptr, std::memory_order_acquire); }

  // The core. True: it is another one now, which has seen no links yet.
  bool take(vlb::Steering& current) noexcept {
    if (next_.load(std::memory_order_relaxed) == nullptr) return false;
    auto* const taken = next_.exchange(nullptr, std::memory_order_acquire);
    std::swap(current, *taken);
    delete old_.exchange(taken, std::memory_order_acq_rel);  // seldom: not collected yet
    return true;
  }

 private:
  std::atomic<vlb::Steering*> next_{nullptr}, old_{nullptr};
};

}  // namespace rackway::node
