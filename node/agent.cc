// SPDX-License-Identifier: Apache-2.0
#include "node/agent.hh"

#include <algorithm>
#include <random>

#include "base/log.hh"
#include "base/startup_error.hh"
#include "cluster/channel_poll.hh"
#include "node/devices.hh"
#include "node/steering_of.hh"
#include "vlb/fabric_tag.hh"

namespace rackway::node {
namespace {

using namespace std::chrono_literals;

constexpr auto kReportEvery = 250ms;
constexpr std::chrono::milliseconds kHelloEvery = 1s;
constexpr std::chrono::milliseconds kConnectEvery = 50ms;
constexpr auto kControllerGone = 2s;
constexpr auto kStillWaiting = 10s;
constexpr int kTickMs = 50;

std::uint64_t random_id() {
  std::random_device source;
  return static_cast<std::uint64_t>(source()) << 32 | source() | 1;
}

std::uint64_t to_ms(std::chrono::steady_clock::duration time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(time).count());
}

std::vector<std::uint32_t> numbers_of_links(const cluster::Welcome& welcome) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t i = 0; i < welcome.links.size(); ++i) {
    const auto& link = welcome.links[i];
    if (link.a == welcome.self || link.b == welcome.self) numbers.push_back(i);
  }
  return numbers;
}

cluster::LinkStatus link_status(const FabricReport::Link& link) {
  return {.state = static_cast<cluster::LinkState>(link.state),
          .load = link.load,
          .delay = link.delay,
          .peer_ready = link.ready,
          .peer_draining = link.draining,
          .peer_boot_id = link.peer_boot_id};
}
static_assert(cluster::kLinkStates == vlb::kLinkStates);
static_assert(static_cast<int>(cluster::LinkState::flapping) ==
              static_cast<int>(vlb::LinkState::flapping));
static_assert(cluster::kFabricEventKinds == vlb::kLivenessEventKinds);
static_assert(static_cast<int>(cluster::FabricEventKind::node_down) ==
              static_cast<int>(vlb::LivenessEventKind::node_down));
static_assert(cluster::kMaxReportedEvents == FabricReport::kEvents);

}  // namespace

Agent::Agent(std::string name, const std::string& controller_endpoint,
             const std::optional<cluster::NodeKeys>& keys)
    : name_(std::move(name)),
      endpoint_(controller_endpoint),
      channel_(controller_endpoint, name_, cluster::kMessages, keys),
      boot_id_(random_id()) {}

// False when nobody takes messages in; the controller asks anew when it is back.
bool Agent::send(const cluster::Message& message) {
  return channel_.send(cluster::encode(message));
}

bool Agent::say_hello(const Shared* shared) {
  return send(cluster::Hello{
      .name = name_,
      .boot_id = boot_id_,
      .epoch = epoch_,
      .digest = shared != nullptr ? shared->fib.active()->digest() : fib::Digest{},
      .draining = shared != nullptr && shared->draining.load(std::memory_order_relaxed),
      .keeps_state = keeps_state_,
      .resumed = is_resumed_,
      .refusal = refusal_});
}

std::optional<cluster::Welcome> Agent::join(const std::atomic<bool>& stop,
                                            Clock::duration patience) {
  cluster::ChannelPoll poll;
  poll.add_channel(channel_.handle());
  auto next_hello = Clock::now(), next_notice = Clock::now() + kStillWaiting;
  const auto deadline = Clock::now() + patience;
  while (!stop.load(std::memory_order_relaxed)) {
    const auto now = Clock::now();
    if (now >= deadline) break;
    if (now >= next_hello) {
      next_hello = now + (say_hello(nullptr) ? kHelloEvery : kConnectEvery);
    }
    if (now >= next_notice) {
      log::info("still waiting for a controller at {}", endpoint_);
      next_notice = now + kStillWaiting;
    }
    poll.wait(kTickMs);
    while (const auto bytes = channel_.receive()) {
      auto message = cluster::decode(*bytes);
      if (!message) continue;
      if (const auto* rejected = std::get_if<cluster::Rejected>(&*message)) {
        throw StartupError(
            "the controller refuses this node: " + rejected->reason, endpoint_,
            "check --name and --key against the cluster document and rackway show security");
      }
      if (auto* welcome = std::get_if<cluster::Welcome>(&*message)) {
        welcome_ = *welcome;
        own_links_ = numbers_of_links(*welcome);
        heard_ = Clock::now();
        greeted_ = true;
        refusal_.clear();  // it knows by now
        return welcome_;
      }
    }
  }
  return std::nullopt;
}

std::optional<cluster::Welcome> Agent::resume(const std::filesystem::path& state) {
  if (!std::filesystem::exists(state)) {
    log::info("no controller answers, and nothing is kept in {} yet", state.string());
    return std::nullopt;
  }
  auto read = read_state(state, name_);
  if (!read) {
    refusal_ = read.error().message;
    log::error("what was kept is refused: {}", refusal_);
    return std::nullopt;
  }
  log::warn("no controller answers: starting by epoch {}, kept in {}", read->epoch.value,
            state.string());
  resumed_ = std::move(*read);
  welcome_ = resumed_->orders.welcome;
  own_links_ = numbers_of_links(*welcome_);
  return welcome_;
}

void Agent::bring_back(Shared& shared) {
  if (!resumed_) return;
  const State state = std::move(*resumed_);
  resumed_.reset();
  if (const auto done = shared.fib.prepare_snapshot(state.content); !done) {
    refusal_ = done.error().message;
    log::error("the FIB that was kept is refused: {}", refusal_);
    return;
  }
  shared.fib.commit();
  take_up(shared, state.epoch);
  on(shared, state.orders.settings);
  on(shared, state.orders.links_down);
  is_resumed_ = true;
}

void Agent::run(Shared& shared, StateKeeper* keeper) {
  keeper_ = keeper;
  keep_orders();
  if (keeper_ != nullptr && epoch_ != Epoch{}) {
    keeper_->committed({epoch_, shared.fib.active()->digest()});
  }
  cluster::ChannelPoll poll;
  poll.add_channel(channel_.handle());
  auto next_report = Clock::now(), next_hello = Clock::now();
  if (greeted_) report_ports(shared, true);
  while (!shared.stop.load(std::memory_order_relaxed)) {
    poll.wait(audit_ ? 0 : kTickMs);
    take_messages(shared);
    if (audit_ && audit_->step()) end_audit();
    watch_controller(shared);
    revive_links(shared.places, to_ms(Clock::now() - started_));
    const auto now = Clock::now();
    if (!greeted_ && now >= next_hello) {
      next_hello = now + (say_hello(&shared) ? kHelloEvery : kConnectEvery);
    }
    if (greeted_) report_ports(shared, false);
    if (now >= next_report) {
      for (const auto& core : shared.lcores) core->next_steering.collect();
      if (greeted_) report(shared);
      next_report = now + kReportEvery;
    }
  }
  keeper_ = nullptr;
}

// A controller may take this for the run before it, until it has heard the hello of this one.
bool Agent::passed_over(const cluster::Message& message) const {
  return !greeted_ && !std::holds_alternative<cluster::Welcome>(message) &&
         !std::holds_alternative<cluster::Rejected>(message);
}

void Agent::take_messages(Shared& shared) {
  while (const auto bytes = channel_.receive()) {
    const auto message = cluster::decode(*bytes);
    if (!message) {
      log::error("from the controller: {}", message.error().message);
      continue;
    }
    if (passed_over(*message)) continue;
    heard_ = Clock::now();
    std::visit([&](const auto& m) { on(shared, m); }, *message);
  }
}

void Agent::answer_prepared(Epoch epoch, Result<fib::Digest> digest) {
  if (!digest) {
    log::warn("epoch {} refused: {}", epoch.value, digest.error().message);
    send(cluster::Refused{epoch, digest.error().message});
    return;
  }
  prepared_epoch_ = epoch;
  send(cluster::Prepared{epoch, *digest});
}

void Agent::on(Shared& shared, const cluster::Prepare& message) {
  if (message.base != epoch_) {
    answer_prepared(message.epoch, fail("it changes epoch " + std::to_string(message.base.value) +
                                        ", here is " + std::to_string(epoch_.value)));
    return;
  }
  answer_prepared(message.epoch, shared.fib.prepare(message.delta));
}

void Agent::on(Shared& shared, const cluster::PrepareSnapshot& message) {
  answer_prepared(message.epoch, shared.fib.prepare_snapshot(message.content));
}

void Agent::on(Shared& shared, const cluster::Commit& message) {
  if (shared.fib.prepared() && prepared_epoch_ == message.epoch) {
    end_audit();
    shared.fib.commit();
    take_up(shared, message.epoch);
    if (keeper_ != nullptr) keeper_->committed({epoch_, shared.fib.active()->digest()});
  } else if (message.epoch != epoch_) {
    send(cluster::Refused{message.epoch, "it was not prepared here"});
    return;
  }
  send(cluster::Committed{epoch_, shared.fib.active()->digest()});
}

// The active FIB is of that epoch.
void Agent::take_up(Shared& shared, Epoch epoch) {
  epoch_ = epoch;
  shared.epoch_mark.store(vlb::epoch_mark_of(epoch_), std::memory_order_relaxed);
  if (shared.watch) shared.watch->set_ready(true);
}

void Agent::keep_orders() {
  if (keeper_ != nullptr) keeper_->orders({*welcome_, settings_, links_down_});
}

void Agent::on(Shared& shared, const cluster::SnapshotRequest&) {
  send(cluster::NodeSnapshot{epoch_, shared.fib.active()->snapshot()});
}

void Agent::on(Shared& shared, const cluster::AuditRequest& message) {
  audit_.emplace(*shared.fib.active(), epoch_, message);
}

void Agent::end_audit() {
  if (!audit_) return;
  send(audit_->answer());
  audit_.reset();
}

void Agent::on(Shared& shared, const cluster::HelloRequest&) {
  say_hello(&shared);
  report_ports(shared, true);
}

// After its restart the controller welcomes a node that runs already.
void Agent::on(Shared& shared, const cluster::Welcome& message) {
  greeted_ = true;
  is_resumed_ = false;  // it knows by now
  refusal_.clear();
  if (message != *welcome_) {
    log::warn("the cluster document has changed: restart this node to take it in");
  }
  report_ports(shared, true);
}

void Agent::on(Shared&, const cluster::Rejected& message) {
  log::error("the controller refuses this node: {}", message.reason);
}

// In a mesh each node knows all that matters there from its own links.
void Agent::on(Shared& shared, const cluster::LinksDown& message) {
  if (message == links_down_ || topo::is_full_mesh(welcome_->node_names.size(), welcome_->links)) {
    return;
  }
  std::vector<bool> down(welcome_->links.size());
  for (const auto link : message.links) {
    if (link < down.size()) down[link] = true;
  }
  log::info("{} fabric links are down: shortest paths are found anew", message.links.size());
  links_down_ = message;
  keep_orders();
  const auto steering = steering_of(*welcome_, shared.lcores.size(), down);
  for (const auto& core : shared.lcores) {
    core->next_steering.offer(std::make_unique<vlb::Steering>(steering));
  }
}

void Agent::on(Shared& shared, const cluster::VlbSettings& message) {
  if (shared.steering_mode.exchange(message.mode, std::memory_order_relaxed) != message.mode) {
    log::info("steering is {} now", topo::name_of(message.mode));
  }
  if (shared.draining.exchange(message.draining, std::memory_order_relaxed) != message.draining) {
    log::info("{}", message.draining ? "draining: nothing is relayed here" : "relaying again");
  }
  if (settings_ == message) return;
  settings_ = message;
  keep_orders();
}

void Agent::watch_controller(Shared& shared) {
  const bool present = Clock::now() - heard_ < kControllerGone;
  if (present == shared.controller_present.load(std::memory_order_relaxed)) return;
  shared.controller_present.store(present, std::memory_order_relaxed);
  log::info("the controller is {}", present ? "here" : "gone: forwarding goes on as it is");
}

void Agent::report_ports(Shared& shared, bool always) {
  cluster::PortStates states;
  for (std::uint16_t i = 0; i < shared.places.ports; ++i) {
    const auto& port = shared.places.port(PortId{i});
    states.ports.push_back({PortId{i}, link_up(port), port.mac, port.mtu});
  }
  if (!always && states == reported_ports_) return;
  if (send(states)) reported_ports_ = states;
}

void Agent::add_fabric(cluster::Status& status, Shared& shared) const {
  if (!shared.watch) return;
  const FabricReport& report = shared.watch->report();
  for (std::size_t i = 0; i < status.links.size(); ++i) {
    auto known = link_status(report.links[i]);
    known.number = status.links[i].number;
    known.up = status.links[i].up;
    known.counters = status.links[i].counters;
    status.links[i] = known;
  }
  for (const auto node : report.nodes) status.reachable.push_back(node != 0);
  const auto first =
      report.events_so_far - std::min<std::uint64_t>(report.events_so_far, FabricReport::kEvents);
  for (auto number = first; number < report.events_so_far; ++number) {
    const auto& event = report.events[number % FabricReport::kEvents];
    status.events.push_back({.number = number,
                             .kind = static_cast<cluster::FabricEventKind>(event.kind),
                             .link = own_links_[event.link],
                             .node = event.node,
                             .age_ms = (report.at - event.at) / 1000});
  }
}

cluster::Status Agent::status(Shared& shared) const {
  cluster::Status status{.epoch = epoch_,
                         .digest = shared.fib.active()->digest(),
                         .uptime_ms = to_ms(Clock::now() - started_),
                         .inject = shared.places.controller.counters.read(),
                         .generated = shared.places.generated.counters.read(),
                         .steering = {shared.steering_mode.load(std::memory_order_relaxed),
                                      shared.draining.load(std::memory_order_relaxed),
                                      shared.flowlet_gap_us.load(std::memory_order_relaxed),
                                      shared.moved_early.load(std::memory_order_relaxed)}};
  if (const auto kept = keeper_ != nullptr ? keeper_->kept() : std::nullopt) {
    status.kept_epoch = kept->epoch;
    status.kept_digest = kept->digest;
  }
  for (std::uint16_t i = 0; i < shared.places.ports; ++i) {
    const auto& counters = shared.places.port(PortId{i}).counters;
    status.ports.push_back(counters.read());
    status.port_queues.push_back(counters.read_by_core());
  }
  for (std::size_t i = 0; i < shared.places.links(); ++i) {
    const auto& link = shared.places.link(i);
    status.links.push_back(
        {.number = own_links_[i], .up = link_up(link), .counters = link.counters.read()});
    status.link_queues.push_back(link.counters.read_by_core());
  }
  add_fabric(status, shared);
  return status;
}

void Agent::report(Shared& shared) {
  send(status(shared));
}

}  // namespace rackway::node
