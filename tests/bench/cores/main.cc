// SPDX-License-Identifier: Apache-2.0
// `./dev bench cores`: does a second forwarding core add what it carries alone? One node with a
// full table of IPv4 forwards between ports in memory (W2 of `./dev bench forward`), each core from
// queues and by queues of its own: first one core, then the other, then both, round after round.
#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <time.h>

#include <array>
#include <chrono>
#include <iostream>
#include <memory>
#include <thread>

#include "fib/rcu.hh"
#include "node/eal.hh"
#include "node/forwarding_core.hh"
#include "tests/bench/core.hh"
#include "tests/bench/forward/bench_node.hh"
#include "tests/bench/forward/full_table.hh"
#include "tests/bench/forward/packets.hh"
#include "tests/bench/measure.hh"
#include "tests/bench/program.hh"
#include "tests/bench/report.hh"

namespace rackway::bench {
namespace {

constexpr std::size_t kCores = 2;
constexpr std::uint32_t kBuffers = 2 * 8576;
constexpr double kUndisturbed = 0.97;  // of the time, that a thread had its core
constexpr int kTries = 20;             // of a round, until nothing disturbs it
constexpr double kWantedShare = 0.9;   // of what the cores carry alone

struct Arguments {
  std::string json;
  unsigned rounds = 7;
  double seconds = 0.3;
};

// One forwarding core and what it gets; on an lcore of its own while it runs.
class Worker {
 public:
  Worker(node::Shared& shared, std::uint16_t number, const PacketList& packets)
      : number_(number),
        meter_({.warm_up_seconds = 1e6}),
        source_(packets, meter_),
        core_(shared, number, true) {}

  void feed(const BenchNode& node) { node.feed_from(source_, number_); }

  void start(double seconds) {
    seconds_ = seconds;
    rte_eal_remote_launch([](void* self) { return static_cast<Worker*>(self)->run(), 0; }, this,
                          node::forwarding_lcore(number_));
  }
  // Million packets a second; none if something else had the core for a while.
  [[nodiscard]] std::optional<double> wait() {
    // Asleep, as DPDK's own waiting would take a core from one of them.
    while (rte_eal_get_lcore_state(node::forwarding_lcore(number_)) != WAIT) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    rte_eal_wait_lcore(node::forwarding_lcore(number_));
    if (cpu_seconds_ < kUndisturbed * took_) return std::nullopt;
    return static_cast<double>(frames_) / took_ / 1e6;
  }

 private:
  static double cpu_seconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
  }

  void run() {
    fib::rcu::ReaderThread reader;
    const auto hz = static_cast<double>(rte_get_tsc_hz());
    const auto steps_until = [&](std::uint64_t end) {
      std::uint64_t frames = 0, now = 0;
      while ((now = rte_rdtsc()) < end) {
        frames += core_.step(now);
        reader.quiescent();
      }
      return frames;
    };
    steps_until(rte_rdtsc() + static_cast<std::uint64_t>(hz / 20));
    const std::uint64_t begin = rte_rdtsc();
    const double cpu = cpu_seconds();
    frames_ = steps_until(begin + static_cast<std::uint64_t>(hz * seconds_));
    took_ = static_cast<double>(rte_rdtsc() - begin) / hz;
    cpu_seconds_ = cpu_seconds() - cpu;
  }

  std::uint16_t number_;
  ThroughputMeter meter_;
  PacketSource source_;
  node::ForwardingCore core_;
  double seconds_{}, took_{}, cpu_seconds_{};
  std::uint64_t frames_{};
};

using Workers = std::array<std::unique_ptr<Worker>, kCores>;
using Rates = std::array<double, kCores>;

// All at the same time; again while something disturbs one of them.
Rates measure(Workers& workers, std::span<const std::size_t> of, double seconds) {
  for (int i = 0; i < kTries; ++i) {
    Rates rates{};
    bool undisturbed = true;
    for (const auto core : of) workers[core]->start(seconds);
    for (const auto core : of) {
      const auto rate = workers[core]->wait();
      undisturbed &= rate.has_value();
      rates[core] = rate.value_or(0);
    }
    if (undisturbed) return rates;
  }
  throw StartupError("the cores are never free", "", "stop what else runs here");
}

void add_rows(const std::vector<Rates>& alone, const std::vector<Rates>& together, Report& report) {
  std::vector<double> sums, shares;
  for (std::size_t core = 0; core < kCores; ++core) {
    std::vector<double> of_alone, of_together;
    for (const auto& rates : alone) of_alone.push_back(rates[core]);
    for (const auto& rates : together) of_together.push_back(rates[core]);
    const auto name = "core " + std::to_string(core);
    report.add({name + " alone", median(of_alone), "Mpps", "", {}, {}});
    report.add({name + " beside the other",
                median(of_together),
                "Mpps",
                name + " alone",
                median(of_together) / median(of_alone),
                {}});
  }
  for (std::size_t round = 0; round < alone.size(); ++round) {
    sums.push_back(together[round][0] + together[round][1]);
    shares.push_back(sums.back() / (alone[round][0] + alone[round][1]));
  }
  report.add({"both together", median(sums), "Mpps", "their sum alone", median(shares),
              ratio_at_least(kWantedShare)});
}

void run(const Arguments& arguments) {
  auto json = json_file(arguments.json);
  const auto other = other_core(last_core());
  if (!other) throw StartupError("there is one core", "", "use a machine with two");
  node::start_eal({.name = "bench-cores",
                   .memory_mb = 256,
                   .cores = kCores,
                   .cpus = {static_cast<unsigned>(*other), static_cast<unsigned>(last_core())}});
  const auto routes = full_table();
  const auto packets = packets_to(routes);
  BenchNode node(Duty::routed, routes, node::make_packet_pool(kBuffers), {}, kCores);
  Workers workers;
  for (std::uint16_t core = 0; core < kCores; ++core) {
    workers[core] = std::make_unique<Worker>(node.shared, core, packets);
    workers[core]->feed(node);
  }
  std::vector<Rates> alone, together;
  for (unsigned round = 0; round < arguments.rounds; ++round) {
    const auto first = measure(workers, std::array<std::size_t, 1>{0}, arguments.seconds);
    const auto second = measure(workers, std::array<std::size_t, 1>{1}, arguments.seconds);
    alone.push_back({first[0], second[1]});
    together.push_back(measure(workers, std::array<std::size_t, kCores>{0, 1}, arguments.seconds));
  }
  Report report("cores");
  add_rows(alone, together, report);
  report.note("W2 of ./dev bench forward with a generated table; medians of " +
              std::to_string(arguments.rounds) + " rounds");
  std::cout << report.text();
  if (json.is_open()) json << report.json();
}

}  // namespace
}  // namespace rackway::bench

int main(int argc, char** argv) {
  using namespace rackway::bench;
  CLI::App app("Whether a second forwarding core of a node adds what it carries alone.",
               "./dev bench cores");
  Arguments arguments;
  app.add_option("--json", arguments.json, "Also write the rows to this file")->type_name("FILE");
  app.add_option("--rounds", arguments.rounds, "Of which the medians are taken")
      ->check(CLI::Range(1u, 100u));
  app.add_option("--seconds", arguments.seconds, "To measure each time")
      ->check(CLI::Range(0.05, 60.0));
  if (const auto code = parse(app, "bench_cores", argc, argv, std::cout, std::cerr)) return *code;
  return exit_code("bench_cores", std::cerr, [&] { run(arguments); });
}
