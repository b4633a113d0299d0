// SPDX-License-Identifier: Apache-2.0
// forward_silence: a million packets through a full table of IPv4 (W2 of `./dev bench forward`)
// touch no lock, allocate nothing and make no system call. First it shows that each would be seen.
// Runs without root and hugepages. Exit codes: 0 so it is, 1 it is not, 77 this kernel can not
// tell.
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <stdexcept>
#include <thread>

#include "node/eal.hh"
#include "tests/bench/forward/bench_node.hh"
#include "tests/bench/forward/full_table.hh"
#include "tests/bench/forward/packets.hh"
#include "tests/bench/forward/silence_watch.hh"

namespace {

using namespace rackway;
using namespace rackway::bench;

constexpr int kSilent = 0, kNoisy = 1, kCanNotTell = 77;
constexpr std::uint64_t kWarmUp = 100'000, kWatched = 1'000'000;
constexpr std::uint32_t kBuffers = 8192;
constexpr std::chrono::seconds kPatience{120};

void require(bool holds, const char* what) {
  if (!holds) throw std::runtime_error(what);
}

std::string all_cpus() {
  cpu_set_t allowed;
  ::sched_getaffinity(0, sizeof allowed, &allowed);
  std::string all;
  for (unsigned i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &allowed)) all += (all.empty() ? "" : ",") + std::to_string(i);
  }
  return "(" + all + ")";
}

void start_dpdk() {
  std::vector<std::string> words{"forward_silence",
                                 "--lcores",
                                 "0@" + all_cpus() + ",1@" + all_cpus(),
                                 "--no-huge",
                                 "--no-shconf",
                                 "--no-pci",
                                 "--no-telemetry",
                                 "--log-level",
                                 "*:critical",
                                 "-m",
                                 "64",
                                 "--file-prefix",
                                 "silence-" + std::to_string(::getpid())};
  std::vector<char*> arguments;
  for (auto& word : words) arguments.push_back(word.data());
  require(rte_eal_init(static_cast<int>(arguments.size()), arguments.data()) >= 0,
          "DPDK does not start");
  std::error_code ignored;
  std::filesystem::remove_all(rte_eal_get_runtime_dir(), ignored);
}

// One system call, one allocation and its end, one lock: all are seen. False: the filter is not
// there.
bool instruments_work() {
  bool there = false;
  std::mutex mutex;
  std::thread([&] {
    void* volatile memory = std::malloc(1);  // the first of a thread asks the kernel
    std::free(memory);
    there = begin_watch();
    if (!there) return;
    (void)::getppid();
    memory = std::malloc(1);
    std::free(memory);
    mutex.lock();
    end_watch();
    mutex.unlock();
  }).join();
  const Noises heard = noises();
  require(!there || (heard.system_calls == 1 && heard.allocations == 2 && heard.locks == 1),
          "a noise was not heard");
  return there;
}

// Begins and ends the watch when so many packets have come.
struct Watch {
  std::uint64_t packets = 0;
  std::atomic<bool> over{false};
};

std::uint16_t count(std::uint16_t, std::uint16_t, rte_mbuf**, std::uint16_t n, std::uint16_t,
                    void* given) {
  auto& watch = *static_cast<Watch*>(given);
  const auto before = watch.packets;
  watch.packets += n;
  if (before < kWarmUp && watch.packets >= kWarmUp) (void)begin_watch();
  if (before < kWarmUp + kWatched && watch.packets >= kWarmUp + kWatched) {
    end_watch();
    watch.over.store(true, std::memory_order_release);
  }
  return n;
}

int run_core(void* core) {
  static_cast<node::ForwardingCore*>(core)->run();
  return 0;
}

// The core can not be stopped: its thread may make no system call any more.
[[noreturn]] void leave(int code) {
  std::fflush(stdout);
  std::_Exit(code);
}

[[noreturn]] void listen(BenchNode& node, PacketSource& source) {
  Watch watch;
  node.feed_from(source);
  for (std::uint16_t port = 0; port < kPorts; ++port) {
    require(rte_eth_add_rx_callback(port, 0, count, &watch) != nullptr, "no receive callback");
  }
  const Noises before = noises();
  node::ForwardingCore core(node.shared, 0, true);
  rte_eal_remote_launch(run_core, &core, 1);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (!watch.over.load(std::memory_order_acquire)) {
    require(std::chrono::steady_clock::now() < until, "it does not forward");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const Noises after = noises();
  std::uint64_t sent = 0, kept_back = 0;
  for (const auto& output : node.shared.places.outputs) {
    const auto counters = output->counters.read();
    sent += counters.sent;
    kept_back += counters.punted + counters.dropped_total();
  }
  const auto calls = after.system_calls - before.system_calls;
  const auto allocations = after.allocations - before.allocations;
  const auto locks = after.locks - before.locks;
  std::printf("%llu packets: %llu system calls, %llu allocations, %llu locks; %llu not sent\n",
              static_cast<unsigned long long>(kWatched), static_cast<unsigned long long>(calls),
              static_cast<unsigned long long>(allocations), static_cast<unsigned long long>(locks),
              static_cast<unsigned long long>(kept_back));
  if (calls > 0) std::printf("the last system call was number %ld\n", after.last_system_call);
  const bool silent = calls == 0 && allocations == 0 && locks == 0;
  leave(silent && kept_back == 0 && sent >= kWatched ? kSilent : kNoisy);
}

int run() {
  if (!instruments_work()) return kCanNotTell;
  start_dpdk();
  const auto routes = full_table();
  ThroughputMeter meter({.warm_up_seconds = 1e6});
  PacketSource source(packets_to(routes), meter);
  BenchNode node(Duty::routed, routes, node::make_packet_pool(kBuffers));
  listen(node, source);
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "forward_silence: %s\n", error.what());
    std::_Exit(kNoisy);
  }
}
