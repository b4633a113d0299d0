// SPDX-License-Identifier: Apache-2.0
#include "tests/bench/forward/beside.hh"

#include <pthread.h>
#include <sched.h>

#include <chrono>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/bench/forward/bench_node.hh"

namespace rackway::bench {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kEpoch = 100;
constexpr std::chrono::milliseconds kEpochEvery{10};  // 10,000 a second
constexpr std::size_t kMemory = std::size_t{64} << 20;

double now() {
  return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
}

void leave_core(unsigned core) {
  cpu_set_t cores;
  ::sched_getaffinity(0, sizeof cores, &cores);
  CPU_CLR(core, &cores);
  ::pthread_setaffinity_np(::pthread_self(), sizeof cores, &cores);
}

void require(const Result<fib::Digest>& prepared) {
  if (!prepared) throw std::runtime_error("the FIB refuses a change: " + prepared.error().message);
}

}  // namespace

std::optional<Beside> beside_of(const std::string& name) {
  if (name == "nothing") return Beside::nothing;
  if (name == "loading") return Beside::loading;
  if (name == "updates") return Beside::updates;
  if (name == "memory") return Beside::memory;
  return std::nullopt;
}

BesideThread::BesideThread(Beside what, fib::LeftRight& fib, std::span<const FileRoute> routes,
                           unsigned forwarding_core)
    : fib_(fib), routes_(routes), begin_(now()), thread_([this, what, forwarding_core] {
        leave_core(forwarding_core);
        run(what);
      }) {}

BesideThread::~BesideThread() {
  stop_.store(true, std::memory_order_relaxed);
  thread_.join();
}

double BesideThread::changes_a_second() const {
  return static_cast<double>(changes_.load(std::memory_order_relaxed)) / (now() - begin_);
}

void BesideThread::run(Beside what) {
  switch (what) {
    case Beside::nothing: return;
    case Beside::loading: return load();
    case Beside::updates: return update();
    case Beside::memory: return move_memory();
  }
}

void BesideThread::load() {
  const auto whole = content(Duty::routed, routes_);
  while (!over()) {
    require(fib_.prepare_snapshot(whole));
    fib_.commit();
    changes_.fetch_add(routes_.size(), std::memory_order_relaxed);
  }
}

void BesideThread::update() {
  std::mt19937_64 random(1);
  for (auto next = Clock::now(); !over(); next += kEpochEvery) {
    std::this_thread::sleep_until(next);
    fib::Delta delta;
    const std::size_t first = random() % (routes_.size() - kEpoch * kEpoch);
    for (std::size_t i = 0; i < kEpoch; ++i) {
      const auto& route = routes_[first + i * kEpoch];
      delta.routes.push_back(
          {route.prefix, GroupId{static_cast<std::uint32_t>(random() % kNextHops)}});
    }
    require(fib_.prepare(std::move(delta)));
    fib_.commit();
    changes_.fetch_add(kEpoch, std::memory_order_relaxed);
  }
}

void BesideThread::move_memory() const {
  std::vector<char> here(kMemory, 1), there(kMemory, 2);
  while (!over()) {
    std::memcpy(here.data(), there.data(), kMemory);
    std::memcpy(there.data(), here.data(), kMemory);
  }
}

}  // namespace rackway::bench
