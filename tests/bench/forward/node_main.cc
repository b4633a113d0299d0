// SPDX-License-Identifier: Apache-2.0
// forward_node: the forwarding core of this router between ports in memory, for `./dev bench
// forward`. The packets are those of the environment (packet_source.hh); when they have been
// counted it stops and prints the node's own counters as JSON. `--duty bare` is the harness alone:
// what comes in by a port goes out of its neighbour, as in testpmd's mode io.
#include <poll.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <thread>

#include "base/startup_error.hh"
#include "cluster/drop_reason.hh"
#include "fib/processor.hh"
#include "node/eal.hh"
#include "tests/bench/forward/bench_node.hh"
#include "tests/bench/forward/beside.hh"

namespace {

using namespace rackway;
using namespace rackway::bench;

struct Options {
  std::string duty, table, pcap, beside = "nothing";
  unsigned core{};
  std::uint32_t buffers = 8576;  // as l3fwd makes for four ports
};

std::optional<int> parse(int argc, char** argv, Options& options) {
  CLI::App app{"The forwarding core between ports in memory, see ./dev bench forward"};
  app.add_option("--duty", options.duty, "What it does with packets")->required();
  app.add_option("--table", options.table, "Its routes, as a rule file of l3fwd");
  app.add_option("--pcap", options.pcap, "Packets from this file instead of net_null");
  app.add_option("--core", options.core, "CPU of the forwarding core")->required();
  app.add_option("--beside", options.beside, "nothing, loading, updates or memory, on other cores");
  app.add_option("--buffers", options.buffers, "Packet buffers");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  return std::nullopt;
}

// What the slow path does with punted frames, but for sending them on.
void drain_punted(node::Shared& shared, const std::atomic<bool>& stop) {
  std::array<rte_mbuf*, 64> frames;
  pollfd wake{.fd = shared.slow_path_wake.fd(), .events = POLLIN, .revents = 0};
  while (!stop.load(std::memory_order_relaxed)) {
    shared.slow_path_wake.about_to_sleep();
    const bool sleeps = rte_ring_empty(shared.lcores[0]->punt_queue) != 0;
    const bool woken = sleeps && ::poll(&wake, 1, 100) > 0;
    shared.slow_path_wake.awake(woken);
    while (const unsigned n = rte_ring_sc_dequeue_burst(shared.lcores[0]->punt_queue,
                                                        reinterpret_cast<void**>(frames.data()),
                                                        frames.size(), nullptr)) {
      rte_pktmbuf_free_bulk(frames.data(), n);
    }
  }
}

void print_counters(const node::Shared& shared, double changes_a_second) {
  cluster::PlaceCounters all;
  for (const auto& output : shared.places.outputs) {
    const auto of_place = output->counters.read();
    all.received += of_place.received;
    all.sent += of_place.sent;
    all.punted += of_place.punted;
    for (std::size_t i = 0; i < cluster::kDropReasons; ++i) {
      all.dropped[i] += of_place.dropped[i];
    }
  }
  std::cout << "{\"received\": " << all.received << ", \"sent\": " << all.sent
            << ", \"punted\": " << all.punted << ", \"dropped\": {";
  const char* comma = "";
  for (std::size_t i = 0; i < cluster::kDropReasons; ++i) {
    if (all.dropped[i] == 0) continue;
    std::cout << comma << '"' << cluster::to_string(static_cast<cluster::DropReason>(i))
              << "\": " << all.dropped[i];
    comma = ", ";
  }
  std::cout << "}, \"changes_a_second\": " << changes_a_second << "}\n";
}

// Asleep, not by DPDK's busy waiting, which would take a core from somebody.
void wait_for_core(const std::atomic<bool>& stop) {
  while (!stop.load(std::memory_order_relaxed)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  rte_eal_wait_lcore(node::forwarding_lcore());
}

int run_core(void* core) {
  static_cast<node::ForwardingCore*>(core)->run();
  return 0;
}

void forward(Duty duty, const Options& options, SourceOfEnvironment& packets, rte_mempool* pool) {
  const auto routes =
      options.table.empty() ? std::vector<FileRoute>{} : read_table_file(options.table);
  const auto node = std::make_unique<BenchNode>(duty, routes, pool, options.pcap);
  packets.meter.when_over = [&] { node->shared.stop.store(true, std::memory_order_relaxed); };
  node->feed_from(packets.source);
  std::atomic<bool> stop_draining{false};
  std::thread slow_path([&] { drain_punted(node->shared, stop_draining); });
  node::ForwardingCore core(node->shared, 0, true);
  rte_eal_remote_launch(run_core, &core, node::forwarding_lcore());
  double changes_a_second = 0;
  {
    const BesideThread other(*beside_of(options.beside), node->shared.fib, routes, options.core);
    wait_for_core(node->shared.stop);
    changes_a_second = other.changes_a_second();
  }
  stop_draining.store(true, std::memory_order_relaxed);
  slow_path.join();
  print_counters(node->shared, changes_a_second);
}

struct Bare {
  const BenchNode* node;
  std::atomic<bool> stop{false};
};

int run_bare(void* given) {
  auto& bare = *static_cast<Bare*>(given);
  std::array<rte_mbuf*, 32> frames;
  const auto& outputs = bare.node->shared.places.outputs;
  while (!bare.stop.load(std::memory_order_relaxed)) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const auto n = rte_eth_rx_burst(outputs[i]->device, 0, frames.data(), 32);
      if (n == 0) continue;
      const auto sent = rte_eth_tx_burst(outputs[i ^ 1]->device, 0, frames.data(), n);
      if (sent < n) rte_pktmbuf_free_bulk(frames.data() + sent, n - sent);
    }
  }
  return 0;
}

void forward_bare(const Options& options, SourceOfEnvironment& packets, rte_mempool* pool) {
  const BenchNode node(Duty::routed, {}, pool, options.pcap);
  Bare bare{.node = &node};
  packets.meter.when_over = [&] { bare.stop.store(true, std::memory_order_relaxed); };
  node.feed_from(packets.source);
  rte_eal_remote_launch(run_bare, &bare, node::forwarding_lcore());
  wait_for_core(bare.stop);
}

void start(const Options& options) {
  const auto duty = duty_of(options.duty);
  if (!duty && options.duty != "bare")
    throw StartupError("no such duty", options.duty, "see --help");
  if (!beside_of(options.beside)) throw StartupError("no such load", options.beside, "see --help");
  fib::require_processor();
  node::start_eal({.name = "bench", .memory_mb = 128, .cpus = {options.core}});
  auto* packets = source_of_environment();
  if (packets == nullptr) throw StartupError("no packets", "RACKWAY_PACKETS", "name a packet list");
  auto* pool = node::make_packet_pool(options.buffers);
  if (duty) {
    forward(*duty, options, *packets, pool);
  } else {
    forward_bare(options, *packets, pool);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const auto code = parse(argc, argv, options)) return *code;
  try {
    start(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "forward_node: %s\n", error.what());
    return 1;
  }
  return 0;
}
