// SPDX-License-Identifier: Apache-2.0
// What else a machine does while one of its cores forwards: a thread on other cores that changes
// the FIB as the agent does, or only moves memory about, to know what a busy neighbour costs by
// itself.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "fib/left_right.hh"
#include "tests/bench/forward/table_file.hh"

namespace rackway::bench {

enum class Beside {
  nothing,
  loading,  // the whole table anew, again and again
  updates,  // 10,000 routes a second change their next hop, in epochs of 100
  memory,   // copies 64 MB to and fro
};
[[nodiscard]] std::optional<Beside> beside_of(const std::string& name);

class BesideThread {
 public:
  // From now until the end of this object. All given outlives it. Not on forwarding_core.
  BesideThread(Beside what, fib::LeftRight& fib, std::span<const FileRoute> routes,
               unsigned forwarding_core);
  ~BesideThread();
  BesideThread(const BesideThread&) = delete;
  BesideThread& operator=(const BesideThread&) = delete;

  // Changes of routes so far, a second.
  [[nodiscard]] double changes_a_second() const;

 private:
  void run(Beside what);
  void load();
  void update();
  void move_memory() const;
  [[nodiscard]] bool over() const { return stop_.load(std::memory_order_relaxed); }

  fib::LeftRight& fib_;
  std::span<const FileRoute> routes_;
  std::atomic<std::uint64_t> changes_{0};  // relaxed: a figure
  std::atomic<bool> stop_{false};          // relaxed: sooner or later
  double begin_;
  std::thread thread_;
};

}  // namespace rackway::bench
