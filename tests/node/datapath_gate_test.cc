// SPDX-License-Identifier: Apache-2.0
// Who holds the gate has the devices for himself. `devices` is a plain number that the core and
// the holders change without any lock: a thread sanitizer sees every overlap.
#include "node/datapath_gate.hh"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

namespace rackway::node {
namespace {

// A core that does nothing but pass the gate and enter the devices, until it is stopped.
class Core {
 public:
  explicit Core(DatapathGate& gate)
      : thread_([this, &gate] {
          gate.attach();
          while (!stop_.load(std::memory_order_relaxed)) {
            gate.checkpoint();
            inside_.store(true, std::memory_order_relaxed);
            ++devices;
            inside_.store(false, std::memory_order_relaxed);
            rounds_.fetch_add(1, std::memory_order_relaxed);
          }
          gate.detach();
        }) {}
  ~Core() { stop(); }
  Core(const Core&) = delete;
  Core& operator=(const Core&) = delete;

  void stop() {
    ask_to_stop();
    if (thread_.joinable()) thread_.join();
  }
  void ask_to_stop() { stop_.store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool inside() const { return inside_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t rounds() const { return rounds_.load(std::memory_order_relaxed); }
  void await_rounds(std::uint64_t more) const {
    const auto until = rounds() + more;
    while (rounds() < until) std::this_thread::yield();
  }

  std::uint64_t devices = 0;

 private:
  std::atomic<bool> stop_{false}, inside_{false};
  std::atomic<std::uint64_t> rounds_{0};
  std::thread thread_;
};

// Long enough for a core that does not stop to go around many times.
void give_the_core_time() {
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

TEST(DatapathGate, WithoutACoreNobodyWaits) {
  DatapathGate gate;
  gate.hold();
  gate.hold();
  gate.release();
  gate.release();
}

TEST(DatapathGate, ACoreThatHasEndedIsNotWaitedFor) {
  DatapathGate gate;
  Core core(gate);
  core.await_rounds(10);
  core.stop();
  gate.hold();
  gate.release();
}

TEST(DatapathGate, TheCoreStaysOutsideWhileHeld) {
  DatapathGate gate;
  Core core(gate);
  core.await_rounds(10);
  for (int i = 0; i < 20; ++i) {
    gate.hold();
    EXPECT_FALSE(core.inside());
    ++core.devices;
    const auto rounds = core.rounds();
    give_the_core_time();
    EXPECT_EQ(core.rounds(), rounds);
    EXPECT_FALSE(core.inside());
    gate.release();
    core.await_rounds(1);
  }
}

TEST(DatapathGate, AHoldWaitsForEveryCore) {
  DatapathGate gate;
  Core first(gate), second(gate);
  first.await_rounds(10);
  second.await_rounds(10);
  for (int i = 0; i < 20; ++i) {
    gate.hold();
    ++first.devices;
    ++second.devices;
    const auto rounds = first.rounds() + second.rounds();
    give_the_core_time();
    EXPECT_EQ(first.rounds() + second.rounds(), rounds);
    EXPECT_FALSE(first.inside() || second.inside());
    gate.release();
    first.await_rounds(1);
    second.await_rounds(1);
  }
}

TEST(DatapathGate, OneCoreEndsAndTheOtherIsStillWaitedFor) {
  DatapathGate gate;
  Core stays(gate);
  {
    Core goes(gate);
    goes.await_rounds(10);
  }
  stays.await_rounds(1);
  gate.hold();
  EXPECT_FALSE(stays.inside());
  const auto rounds = stays.rounds();
  give_the_core_time();
  EXPECT_EQ(stays.rounds(), rounds);
  gate.release();
}

TEST(DatapathGate, HoldsNest) {
  DatapathGate gate;
  Core core(gate);
  core.await_rounds(10);
  gate.hold();
  gate.hold();
  gate.release();
  const auto rounds = core.rounds();
  give_the_core_time();
  EXPECT_EQ(core.rounds(), rounds);
  gate.hold();
  gate.release();
  EXPECT_EQ(core.rounds(), rounds);
  gate.release();
  core.await_rounds(1);
}

TEST(DatapathGate, ACoreThatStartsDuringAHoldWaits) {
  DatapathGate gate;
  gate.hold();
  Core core(gate);
  give_the_core_time();
  EXPECT_EQ(core.rounds(), 0u);
  EXPECT_EQ(core.devices, 0u);
  gate.release();
  core.await_rounds(1);
}

TEST(DatapathGate, ACoreCanEndWhileItIsHeld) {
  DatapathGate gate;
  Core core(gate);
  core.await_rounds(10);
  gate.hold();
  core.ask_to_stop();
  give_the_core_time();
  gate.release();
  core.stop();
}

// Holders come and go, also just when a core leaves its parking place, also when it starts or ends.
TEST(DatapathGate, ManyHoldersAndCoresThatComeAndGo) {
  DatapathGate gate;
  std::mutex among_holders;
  std::uint64_t devices = 0;
  std::atomic<bool> core_stops{false};
  std::atomic<std::uint64_t> devices_of_second{0};
  const auto come_and_go = [&](auto& number) {
    while (!core_stops.load(std::memory_order_relaxed)) {
      gate.attach();
      for (int i = 0; i < 100; ++i) {
        gate.checkpoint();
        ++number;
      }
      gate.checkpoint();  // nobody holds it, or the core has waited for him
      gate.detach();
    }
  };
  std::thread core([&] { come_and_go(devices); });
  std::thread second([&] { come_and_go(devices_of_second); });
  std::vector<std::thread> holders;
  std::atomic<std::uint64_t> overlaps{0};
  for (int h = 0; h < 3; ++h) {
    holders.emplace_back([&, h] {
      for (int i = 0; i < 2000; ++i) {
        gate.hold();
        {
          const std::lock_guard lock(among_holders);
          const auto before = ++devices;
          const auto of_second = devices_of_second.load();
          for (int spin = 0; spin < 100 * h; ++spin)
            std::atomic_signal_fence(std::memory_order_seq_cst);
          if (devices != before || devices_of_second != of_second) overlaps.fetch_add(1);
          devices = before;
        }
        gate.release();
        std::this_thread::yield();
      }
    });
  }
  for (auto& holder : holders) holder.join();
  core_stops.store(true);
  core.join();
  second.join();
  EXPECT_EQ(overlaps.load(), 0u);
}

TEST(DatapathGate, AHoldIsAScopeOfTheOneGate) {
  auto& gate = DatapathGate::instance();
  EXPECT_EQ(&gate, &DatapathGate::instance());
  Core core(gate);
  core.await_rounds(10);
  {
    const DatapathHold outer;
    const DatapathHold inner;
    const auto rounds = core.rounds();
    give_the_core_time();
    EXPECT_EQ(core.rounds(), rounds);
  }
  core.await_rounds(1);
}

}  // namespace
}  // namespace rackway::node
