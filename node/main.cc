// SPDX-License-Identifier: Apache-2.0
// rackway-node: the forwarding cores of one server. Parse, join, build, run, stop.
#include <rte_launch.h>
#include <rte_ring.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <thread>

#include "base/log.hh"
#include "base/startup_error.hh"
#include "cluster/key_file.hh"
#include "fib/processor.hh"
#include "node/agent.hh"
#include "node/devices.hh"
#include "node/eal.hh"
#include "node/forwarding_core.hh"
#include "node/slow_path.hh"
#include "node/state_keeper.hh"
#include "node/steering_of.hh"
#include "topo/endpoint.hh"

namespace {

using namespace rackway;
using namespace rackway::node;

constexpr unsigned kQueue = 4096;
constexpr int kMostCores = 64;
constexpr std::uint32_t kSmallBuffersPerMb = 128;    // about a third of the memory
constexpr auto kPatience = std::chrono::seconds(2);  // with a controller, when there is a state

std::atomic<bool> stop_requested{false};
std::atomic<Shared*> running{nullptr};

void on_signal(int) {
  stop_requested.store(true, std::memory_order_relaxed);
  if (auto* shared = running.load(std::memory_order_relaxed)) {
    shared->stop.store(true, std::memory_order_relaxed);
  }
}

struct Options {
  EalOptions eal;
  std::string controller;
  std::string state;  // folder; none if empty
  std::string key, controller_key;
  bool insecure{false};
  std::string log_level{"info"};
  bool busy{false};
};

// Returns the exit code when there is nothing to run.
std::optional<int> parse(int argc, char** argv, Options& options) {
  CLI::App app{"The forwarding cores of one server of a Rackway cluster"};
  const std::map<std::string, Hugepages> hugepages{
      {"auto", Hugepages::automatic}, {"require", Hugepages::require}, {"never", Hugepages::never}};
  app.add_option("--name", options.eal.name, "Name of this node in the cluster document")
      ->required()
      ->check([](const std::string& name) {
        const bool good = !name.empty() && name.size() <= 6;
        return good ? std::string() : "a node's name has 1 to 6 characters";
      });
  app.add_option("--controller", options.controller,
                 "ZeroMQ endpoint of the controller's `control`")
      ->required()
      ->check([](const std::string& endpoint) {
        return topo::endpoint_fault(endpoint).value_or(std::string());
      });
  app.add_option("--state", options.state,
                 "Folder for what a start without a controller needs (default: keep nothing)");
  auto* key = app.add_option("--key", options.key, "File with this node's key (rackway key)");
  auto* controller_key = app.add_option("--controller-key", options.controller_key,
                                        "File with the controller's public key");
  key->needs(controller_key);
  controller_key->needs(key);
  app.add_flag("--insecure", options.insecure, "Without keys: obey whoever answers")->excludes(key);
  app.add_option("--memory", options.eal.memory_mb, "Packet memory in MB")
      ->check(CLI::Range(32, 65536))
      ->capture_default_str();
  app.add_option("--hugepages", options.eal.hugepages, "auto, require or never")
      ->transform(CLI::CheckedTransformer(hugepages));
  auto* cores = app.add_option("--cores", options.eal.cores, "Number of forwarding cores")
                    ->check(CLI::Range(1, kMostCores))
                    ->capture_default_str();
  app.add_option("--cpu", options.eal.cpus,
                 "CPUs of the forwarding cores, one each: 2,3 (default: any)")
      ->delimiter(',')
      ->expected(1, kMostCores);
  app.add_flag("--busy", options.busy, "Poll without ever sleeping");
  app.add_flag("--pci", options.eal.pci, "Look for PCI devices");
  app.add_option("--log-level", options.log_level, "debug, info, warning or error")
      ->check(CLI::IsMember({"debug", "info", "warning", "error"}));
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    std::fprintf(stderr, "rackway-node: %s (see rackway-node --help)\n", error.what());
    return 2;
  }
  const auto cpus = options.eal.cpus.size();
  if (cpus != 0 && cores->count() == 0) options.eal.cores = static_cast<std::uint16_t>(cpus);
  if (cpus != 0 && cpus != options.eal.cores) {
    std::fprintf(stderr, "rackway-node: --cpu names %zu CPUs for %u cores\n", cpus,
                 unsigned{options.eal.cores});
    return 2;
  }
  return std::nullopt;
}

// None: without keys.
std::optional<cluster::NodeKeys> keys_of(const Options& options) {
  if (options.key.empty()) {
    if (options.insecure || topo::is_private_endpoint(options.controller)) return std::nullopt;
    throw StartupError("anybody who answers at " + options.controller + " could give orders", "",
                       "give --key and --controller-key (docs/keys.md), or say --insecure");
  }
  auto own = cluster::read_key_file(options.key);
  if (!own) throw StartupError(own.error().message, "", "see docs/keys.md");
  auto controller = cluster::read_public_key_file(options.controller_key);
  if (!controller) throw StartupError(controller.error().message, "", "see docs/keys.md");
  return cluster::NodeKeys{std::move(*own), *controller};
}

// As many as have room in the same memory.
rte_mempool* make_pool(std::uint32_t memory_mb, std::uint16_t largest_mtu) {
  constexpr std::uint32_t kBeside = 256;  // headroom, rte_mbuf
  const std::uint16_t room = buffer_room(largest_mtu);
  const std::uint64_t small = std::uint64_t{memory_mb} * kSmallBuffersPerMb;
  const std::uint64_t buffers = small * (buffer_room(1500) + kBeside) / (room + kBeside);
  return make_packet_pool(static_cast<std::uint32_t>(buffers), room);
}

rte_ring* make_queue(const std::string& name, unsigned flags = RING_F_SP_ENQ | RING_F_SC_DEQ) {
  auto* ring = rte_ring_create(name.c_str(), kQueue, static_cast<int>(rte_socket_id()), flags);
  if (ring == nullptr) throw StartupError("no memory for queues", name, "give more --memory");
  return ring;
}

// A core sends by a queue of its own, and both ends of a link have to have the same queues.
void check_cores(std::uint16_t cores, std::uint16_t fabric_queues) {
  if (cores <= fabric_queues) return;
  throw StartupError(
      std::to_string(cores) + " cores, but fabric links have " + std::to_string(fabric_queues) +
          " queues",
      "", "set fabric.queues in the cluster document to " + std::to_string(cores) + " or more");
}

vlb::HelloTiming timing_of(const topo::HelloConfig& hello) {
  return {hello.interval_ms * vlb::Time{1000}, hello.multiplier};
}

std::unique_ptr<FabricWatch> watch_of(const cluster::Welcome& welcome, std::uint64_t boot_id,
                                      Shared& shared) {
  return std::make_unique<FabricWatch>(shared.places, shared.lcores[0]->steering.table(),
                                       welcome.self, boot_id, timing_of(welcome.hello),
                                       shared.link_rates, *shared.pool);
}

std::unique_ptr<Shared> build(const cluster::Welcome& welcome, std::uint64_t boot_id,
                              std::uint16_t cores, rte_mempool* pool) {
  if (!welcome.link_devices.empty()) check_cores(cores, welcome.fabric_queues);
  auto shared = std::make_unique<Shared>(welcome.self, steering_of(welcome, cores), cores);
  for (std::uint16_t core = 0; core < cores; ++core) {
    shared->lcores[core]->punt_queue = make_queue("punt-" + std::to_string(core));
    shared->lcores[core]->inject_queue = make_queue("inject-" + std::to_string(core));
  }
  constexpr double kMegabit = 1e6;
  for (const auto rate : welcome.link_rates) shared->link_rates.push_back(rate * kMegabit);
  shared->pool = pool;
  make_places(shared->places, welcome, shared->lcores[0]->steering.table(), pool);
  shared->watch = watch_of(welcome, boot_id, *shared);
  shared->hellos = make_queue("hellos", RING_F_SC_DEQ);
  return shared;
}

int run_core(void* core) {
  static_cast<ForwardingCore*>(core)->run();
  return 0;
}

void run(Agent& agent, Shared& shared, const Options& options, const PacketChannel& packets,
         StateKeeper* keeper, rte_mempool* pool) {
  running.store(&shared, std::memory_order_relaxed);
  shared.stop.store(stop_requested.load(std::memory_order_relaxed), std::memory_order_relaxed);
  std::vector<std::unique_ptr<ForwardingCore>> cores;
  for (std::uint16_t core = 0; core < options.eal.cores; ++core) {
    cores.push_back(std::make_unique<ForwardingCore>(shared, core, options.busy));
  }
  for (std::uint16_t core = 0; core < options.eal.cores; ++core) {
    rte_eal_remote_launch(run_core, cores[core].get(), forwarding_lcore(core));
  }
  std::thread slow_path([&] { run_slow_path(shared, packets, pool); });
  log::info("forwarding: {} ports, {} fabric links, {} cores", shared.places.ports,
            shared.places.links(), cores.size());
  agent.run(shared, keeper);
  slow_path.join();
  for (std::uint16_t core = 0; core < options.eal.cores; ++core) {
    rte_eal_wait_lcore(forwarding_lcore(core));
  }
  running.store(nullptr, std::memory_order_relaxed);
}

// Empty: nothing is kept.
std::filesystem::path state_file(const std::filesystem::path& folder) {
  if (folder.empty()) return {};
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (!failed) return folder / "state";
  throw StartupError("can not make the folder: " + failed.message(), folder.string(),
                     "choose another with --state");
}

// By the controller's word; by its own, from the last time, when there is no controller.
std::optional<cluster::Welcome> join(Agent& agent, const std::filesystem::path& state) {
  if (state.empty()) return agent.join(stop_requested);
  agent.keeps_state();
  if (auto welcome = agent.join(stop_requested, kPatience)) return welcome;
  if (stop_requested.load(std::memory_order_relaxed)) return std::nullopt;
  if (auto welcome = agent.resume(state)) return welcome;
  return agent.join(stop_requested);
}

int start(const Options& options) {
  fib::require_processor();
  const auto keys = keys_of(options);
  const auto state = state_file(options.state);
  start_eal(options.eal);
  Agent agent(options.eal.name, options.controller, keys);
  const auto welcome = join(agent, state);
  if (welcome) {
    auto* pool = make_pool(options.eal.memory_mb, welcome->fabric_mtu);
    const auto shared = build(*welcome, agent.boot_id(), options.eal.cores, pool);
    agent.bring_back(*shared);
    std::optional<StateKeeper> keeper;
    if (!state.empty()) keeper.emplace(state, options.eal.name, agent.boot_id(), shared->fib);
    run(agent, *shared, options, {options.eal.name, welcome->packets, keys},
        keeper ? &*keeper : nullptr, pool);
    keeper.reset();
    close_devices(shared->places);
    log::info("stopped");
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (const auto code = parse(argc, argv, options)) return *code;
  log::start("rackway-node " + options.eal.name, options.log_level);
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  try {
    return start(options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "rackway-node %s: %s\n", options.eal.name.c_str(), error.what());
    return 1;
  }
}
