// SPDX-License-Identifier: Apache-2.0
#include "node/datapath_gate.hh"

#include <chrono>
#include <thread>

namespace rackway::node {
namespace {
constexpr std::chrono::microseconds kWait{20};
}

DatapathGate& DatapathGate::instance() {
  static DatapathGate gate;
  return gate;
}

void DatapathGate::hold() noexcept {
  holds_.fetch_add(1, std::memory_order_seq_cst);
  while (parked_.load(std::memory_order_seq_cst) < attached_.load(std::memory_order_seq_cst)) {
    std::this_thread::sleep_for(kWait);
  }
}

void DatapathGate::park() noexcept {
  while (holds_.load(std::memory_order_seq_cst) != 0) {
    parked_.fetch_add(1, std::memory_order_seq_cst);
    while (holds_.load(std::memory_order_seq_cst) != 0) std::this_thread::sleep_for(kWait);
    parked_.fetch_sub(1, std::memory_order_seq_cst);
  }
}

}  // namespace rackway::node
