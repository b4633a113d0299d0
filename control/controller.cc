// SPDX-License-Identifier: Apache-2.0
#include "control/controller.hh"

#include <random>

#include "base/log.hh"
#include "base/startup_error.hh"
#include "cluster/channel_poll.hh"
#include "cluster/message_bounds.hh"
#include "control/api.hh"
#include "control/api_order.hh"
#include "control/api_route_order.hh"

namespace rackway::control {
namespace {

using namespace std::chrono_literals;

constexpr int kTickMs = 20, kBusyTickMs = 1;
constexpr auto kHeartbeatEvery = 500ms;
constexpr auto kRoundEvery = 1s;  // static routes, neighbours
constexpr unsigned kLinger = 2;   // rounds that the nodes keep a neighbour whom nobody names
// Changes that come together go out together: of many soon more are to be expected, and an epoch
// costs every node the same, however few changes it has.
constexpr auto kGather = 5ms, kGatherOfMany = 50ms;
constexpr std::size_t kMany = 100;

std::vector<std::string> names_of(const std::vector<topo::NodeConfig>& nodes) {
  std::vector<std::string> names;
  for (const auto& node : nodes) names.push_back(node.name);
  return names;
}

std::vector<topo::LinkEnds> ends_of(const std::vector<topo::LinkConfig>& links) {
  std::vector<topo::LinkEnds> ends;
  for (const auto& link : links) ends.push_back({link.a, link.b});
  return ends;
}

// Null: nothing outlives the controller.
const std::filesystem::path* made(const std::filesystem::path& state) {
  if (state.empty()) return nullptr;
  std::error_code failed;
  std::filesystem::create_directories(state, failed);
  if (failed) {
    throw StartupError("can not make the folder: " + failed.message(), state.string(),
                       "choose another with --state");
  }
  return &state;
}

IndexCeiling ceiling_in(const std::filesystem::path& state) {
  return made(state) == nullptr ? IndexCeiling() : IndexCeiling(state / "adjacency_indices");
}

RouteStore store_in(const std::filesystem::path& state) {
  return made(state) == nullptr ? RouteStore() : RouteStore(state / "routes.sqlite");
}

}  // namespace

Controller::Controller(topo::ClusterDocument document, std::unique_ptr<cluster::KeyGate> gate,
                       const std::filesystem::path& state)
    : document_(std::move(document)),
      gate_(std::move(gate)),
      conduct_(document_.nodes.size()),
      api_(document_.controller.api),
      channel_(document_.controller.control, cluster::kMessages, gate_.get(),
               cluster::encode(cluster::Rejected{"its key is not allowed any more"})),
      packets_(document_.controller.packets, cluster::kPackets, gate_.get()),
      taps_(document_),
      mirror_(document_.controller.network_namespace,
              document_.controller.fpm ? DaemonRoutes::by_fpm : DaemonRoutes::in_kernel,
              document_.controller.netlink_buffer),
      static_routes_(document_.controller.network_namespace, document_.routes),
      builder_(document_.nodes.size(),
               {mirror_.links(), mirror_.addresses(), mirror_.neighbors(), mirror_.routes()},
               kLinger, ceiling_in(state), document_.controller.distances),
      operator_routes_(builder_, document_.routes, store_in(state)),
      coordinator_(
          names_of(document_.nodes),
          [this](NodeId node, const auto& message) { return send(node, message); }, Clock::now()),
      fabric_links_(
          document_.nodes.size(), ends_of(document_.links),
          [this](NodeId node, const auto& message) { return send(node, message); }, Clock::now()),
      vlb_orders_(document_.vlb.mode, document_.nodes.size()),
      reports_(document_.nodes.size()),
      audit_(make_audit()),
      carriers_known_down_(document_.nodes.size(), false),
      settling_(std::chrono::milliseconds(document_.controller.settle_ms),
                std::chrono::milliseconds(document_.controller.settle_max_ms)) {
  std::vector<SlowPath::Node> nodes;
  for (std::uint16_t n = 0; n < document_.nodes.size(); ++n) {
    node_ids_[document_.nodes[n].name] = NodeId{n};
    auto& node = nodes.emplace_back(SlowPath::Node{document_.nodes[n].name, {}});
    for (std::uint16_t p = 0; p < taps_.of(NodeId{n}).size(); ++p) {
      builder_.bind(taps_.of(NodeId{n})[p]->ifindex(), {NodeId{n}, PortId{p}});
      node.taps.push_back(taps_.of(NodeId{n})[p]->fd());
    }
  }
  slow_path_ = std::make_unique<SlowPath>(std::move(packets_), std::move(nodes), conduct_);
  if (document_.controller.fpm) {
    fpm_ = std::make_unique<FpmFeed>(document_.controller, builder_, events_);
  }
  install_static_routes();
  taps_.keep();
}

Audit Controller::make_audit() {
  return {std::chrono::seconds(document_.controller.audit_s),
          ContentAudit(coordinator_, builder_, events_),
          NodeAudit(
              names_of(document_.nodes), coordinator_, events_,
              [this](NodeId node, const auto& message) { return send(node, message); },
              std::random_device()()),
          coordinator_};
}

void Controller::run(const std::atomic<bool>& stop) {
  cluster::ChannelPoll poll;
  poll.add_channel(channel_.handle());
  poll.add_channel(api_.handle());
  poll.add_fd(mirror_.fd());
  if (fpm_) poll.add_fd(fpm_->fd());
  log::info("cluster {}: {} nodes, control {}, api {}", document_.name, document_.nodes.size(),
            document_.controller.control, document_.controller.api);
  while (!stop.load(std::memory_order_relaxed)) {
    poll.wait(patience_ms());
    const auto now = Clock::now();
    take_messages(now);
    take_kernel_changes();
    take_zebra_routes(now);
    coordinator_.tick(now);
    watch_nodes(now);
    fabric_links_.tick(now);
    publish(now);
    audit_.tick(now);
    settle_when_due(now);
    every_so_often(now);
    api_.serve([this](const std::string& request) { return answer(request); });
  }
}

int Controller::patience_ms() const {
  if (kernel_waits_) return kBusyTickMs;
  return first_unpublished_ ? static_cast<int>(kGather / 1ms) : kTickMs;
}

// ---- nodes

bool Controller::send(NodeId node, const cluster::Message& message) {
  return channel_.send(document_.nodes[node.value].name, cluster::encode(message));
}

void Controller::take_messages(Clock::time_point now) {
  while (const auto received = channel_.receive()) {
    const auto known = node_ids_.find(received->node);
    if (known == node_ids_.end()) {
      channel_.send(
          received->node,
          cluster::encode(cluster::Rejected{"no node of this name in cluster " + document_.name}));
    } else {
      take_message(known->second, received->bytes, now);
    }
  }
}

void Controller::take_message(NodeId node, const std::string& bytes, Clock::time_point now) {
  if (conduct_.passes_over(node, cluster::is_hello(bytes), now)) {
    if (conduct_.may_return(node, now)) send(node, cluster::HelloRequest{});
    return;
  }
  const auto message = cluster::decode(bytes);
  if (message) return dispatch(node, *message, now);
  const auto fault = cluster::is_oversized(bytes) ? PeerFault::oversized : PeerFault::malformed;
  blame(node, fault, message.error().message, now);
}

void Controller::blame(NodeId node, PeerFault fault, const std::string& what,
                       Clock::time_point now) {
  conduct_.blame(node, fault, now);
  events_.note(
      EventLog::Grave::yes,
      "node " + document_.nodes[node.value].name + " is ignored until it says hello anew: " + what,
      now);
}

void Controller::dispatch(NodeId node, const cluster::Message& message, Clock::time_point now) {
  if (const auto* hello = std::get_if<cluster::Hello>(&message)) {
    const auto& name = document_.nodes[node.value].name;
    if (hello->name == name) return welcome(node, *hello, now);
    // One connection of the node's key says so; what others of it say is the node's still.
    conduct_.note(node, PeerFault::other_name);
    log::error("node {} is refused: it calls itself {}", name, hello->name);
    send(node, cluster::Rejected{"it is " + name + " to the controller, not " + hello->name});
    return;
  }
  // A node that we have not greeted speaks to the controller before us.
  if (coordinator_.nodes()[node.value].boot_id == 0) {
    send(node, cluster::HelloRequest{});
    return;
  }
  std::visit(
      [&](const auto& m) {
        using Kind = std::decay_t<decltype(m)>;
        if constexpr (std::is_same_v<Kind, cluster::PortStates>) on_ports(node, m);
        if constexpr (std::is_same_v<Kind, cluster::Status>) on_status(node, m, now);
        if constexpr (std::is_same_v<Kind, cluster::AuditAnswer>) audit_.on(node, m, now);
        if constexpr (requires { coordinator_.on(node, m, now); }) coordinator_.on(node, m, now);
      },
      message);
}

void Controller::welcome(NodeId node, const cluster::Hello& hello, Clock::time_point now) {
  if (hello.version != cluster::kWireVersion) {
    const auto reason = "it speaks version " + std::to_string(hello.version) +
                        " of the wire format, the controller " +
                        std::to_string(cluster::kWireVersion);
    log::error("node {} is refused: {}", document_.nodes[node.value].name, reason);
    send(node, cluster::Rejected{reason});
    return;
  }
  send(node, welcome_for(node));
  fabric_links_.joined(node);
  vlb_orders_.hear(node, hello.draining);
  send(node, vlb_orders_.settings_for(node));
  if (coordinator_.nodes()[node.value].boot_id != hello.boot_id) note_start(node, hello, now);
  coordinator_.on(node, hello, now);
}

void Controller::note_start(NodeId node, const cluster::Hello& hello, Clock::time_point now) {
  const auto& name = document_.nodes[node.value].name;
  if (!hello.refusal.empty()) {
    events_.note(EventLog::Grave::yes, name + " refuses what it had kept: " + hello.refusal, now);
  }
  if (hello.resumed) {
    events_.note(
        EventLog::Grave::no,
        name + " has started without a controller, by epoch " + std::to_string(hello.epoch.value),
        now);
  }
}

cluster::Welcome Controller::welcome_for(NodeId node) const {
  cluster::Welcome welcome{.self = node,
                           .node_names = names_of(document_.nodes),
                           .node_rates = document_.external_rates(),
                           .external_rate = document_.external_rate(node),
                           .mode = document_.vlb.mode,
                           .least_flowlet_gap_us = document_.vlb.least_flowlet_gap_us,
                           .most_flowlet_gap_us = document_.vlb.most_flowlet_gap_us,
                           .fabric_mtu = document_.largest_mtu(),
                           .fabric_queues = document_.fabric_queues,
                           .hello = document_.hello,
                           .packets = document_.controller.packets};
  for (const auto& port : document_.nodes[node.value].ports) {
    welcome.ports.push_back({port.name, port.device, port.mtu, port.urpf});
  }
  welcome.links = ends_of(document_.links);
  for (const auto& link : document_.links) {
    if (link.a == node || link.b == node) welcome.link_rates.push_back(link.rate);
    if (link.a == node) welcome.link_devices.push_back(link.device_a);
    if (link.b == node) welcome.link_devices.push_back(link.device_b);
  }
  return welcome;
}

void Controller::on_status(NodeId node, const cluster::Status& status, Clock::time_point now) {
  reports_[node.value].status = status;
  fabric_links_.heard(node, status.links, now);
  events_.take(node, coordinator_.nodes()[node.value].boot_id, status, now);
}

void Controller::on_ports(NodeId node, const cluster::PortStates& states) {
  auto& taps = taps_.of(node);
  if (states.ports.size() != taps.size()) {
    log::error("node {} has other ports than the document: restart it",
               document_.nodes[node.value].name);
    return;
  }
  reports_[node.value].ports = states.ports;
  carriers_known_down_[node.value] = false;
  for (const auto& state : states.ports) {
    if (state.port.value >= taps.size()) continue;
    auto& tap = *taps[state.port.value];
    if (const auto done = tap.configure(state.mac, state.mtu); !done) {
      log::error("{}: {}", tap.name(), done.error().message);
    }
    if (const auto done = tap.set_carrier(state.link_up); !done) {
      log::error("{}: {}", tap.name(), done.error().message);
    }
  }
}

// The ports of a dead node lose their carrier, so that routing daemons notice at once. One that
// only we do not hear forwards all the same: the kernel would forget its neighbours with the
// carrier.
void Controller::watch_nodes(Clock::time_point now) {
  if (coordinator_.recovering()) return;
  for (std::uint16_t n = 0; n < document_.nodes.size(); ++n) {
    const bool up = coordinator_.nodes()[n].up;
    if (up && carriers_known_down_[n]) {  // it was silent for a while only
      carriers_known_down_[n] = false;
      on_ports(NodeId{n}, {reports_[n].ports});
    }
    if (up || carriers_known_down_[n]) continue;
    fabric_links_.silent(NodeId{n}, now);
    if (fabric_links_.is_heard_by_peers(NodeId{n})) continue;
    carriers_known_down_[n] = true;
    for (auto& tap : taps_.of(NodeId{n})) {
      if (const auto done = tap->set_carrier(false); !done) {
        log::error("{}: {}", tap->name(), done.error().message);
      }
    }
  }
}

// ---- routes

// Of a flood a part at a time: nodes and operators are heard in between.
void Controller::take_kernel_changes() {
  kernel_waits_ = mirror_.read_events();
  const auto changes = mirror_.take_changes();
  if (changes.empty()) return;
  builder_.take(changes);
  if (!changes.addresses.empty() || !changes.links.empty()) install_static_routes();
}

void Controller::take_zebra_routes(Clock::time_point now) {
  if (fpm_) fpm_->turn(now);
}

void Controller::take_over() {
  took_over_ = true;
  const auto recovered = coordinator_.take_recovered();
  if (recovered) builder_.restore(*recovered);
  builder_.distrust_older(recovered.has_value(), coordinator_.next_epoch());
}

void Controller::publish(Clock::time_point now) {
  if (coordinator_.recovering()) return;
  if (!took_over_) take_over();
  builder_.all_nodes_have(coordinator_.everywhere());
  if (!builder_.changed()) return;
  if (!first_unpublished_) first_unpublished_ = now;
  if (!coordinator_.ready() || now < *first_unpublished_ + gather_) return;
  first_unpublished_.reset();
  const auto delta = builder_.take_delta(coordinator_.content(), coordinator_.next_epoch());
  if (builder_.changed()) first_unpublished_ = now;  // the other half, as soon as this one is in
  gather_ = delta.routes.size() + delta.removed_routes.size() < kMany ? kGather : kGatherOfMany;
  if (delta.empty()) return;
  if (const auto done = coordinator_.propose(delta, now); !done) {
    log::error("the next epoch does not fit the present one: {}", done.error().message);
    builder_.compare_everything();
  }
}

void Controller::settle_when_due(Clock::time_point now) {
  if (settled_ || coordinator_.recovering() || builder_.changed()) return;
  const auto settle_max = std::chrono::milliseconds(document_.controller.settle_max_ms);
  // Zebra comes back to a new controller after some seconds, or later when its FPM is off.
  const bool awaits_zebra = fpm_ && fpm_->server().counters().connections == 0;
  if (awaits_zebra && now < started_ + settle_max) return;
  if (!settling_.due(builder_.stale(), builder_.confirmed(), now)) return;
  settled_ = true;
  if (builder_.stale() > 0) log::warn("sweeping {} routes that nobody names", builder_.stale());
  builder_.settle();
}

void Controller::install_static_routes() {
  waiting_static_routes_ = static_routes_.install();
}

void Controller::every_so_often(Clock::time_point now) {
  if (now >= next_heartbeat_) {
    next_heartbeat_ = now + kHeartbeatEvery;
    for (std::uint16_t n = 0; n < document_.nodes.size(); ++n) {
      if (coordinator_.nodes()[n].up) send(NodeId{n}, cluster::Heartbeat{coordinator_.epoch()});
    }
  }
  if (gate_) {
    for (const auto& news : gate_->take_news()) events_.note(EventLog::Grave::yes, news, now);
  }
  if (now >= next_round_) {
    next_round_ = now + kRoundEvery;
    if (!waiting_static_routes_.empty()) install_static_routes();
    for (const auto& neighbor : builder_.unresolved()) mirror_.resolve(neighbor);
    builder_.age();
  }
}

// ---- the operator

std::string Controller::answer(const std::string& request) {
  if (const auto done = follow_route_order(request, operator_routes_)) {
    if (!*done) return refusal(done->error());
    return (*done)->question.empty() ? (*done)->answer : show((*done)->question);
  }
  const auto done = follow_order(request, document_, vlb_orders_);
  if (!done) return show(request);
  if (!*done) return refusal(done->error());
  log::info("the operator's order: {}", request);
  tell_vlb_settings();
  return show(**done);
}

// To all; a node that is not there hears it when it says hello.
void Controller::tell_vlb_settings() {
  for (std::uint16_t n = 0; n < document_.nodes.size(); ++n) {
    if (coordinator_.nodes()[n].up) send(NodeId{n}, vlb_orders_.settings_for(NodeId{n}));
  }
}

std::string Controller::show(const std::string& request) const {
  return answer_api({.document = document_,
                     .coordinator = coordinator_,
                     .builder = builder_,
                     .reports = reports_,
                     .events = events_,
                     .vlb_orders = vlb_orders_,
                     .settled = settled_,
                     .uptime = Clock::now() - started_,
                     .waiting_static_routes = waiting_static_routes_,
                     .kernel = mirror_.counters(),
                     .fpm = fpm_.get(),
                     .gate = gate_.get(),
                     .conduct = &conduct_,
                     .audit = &audit_},
                    request);
}

}  // namespace rackway::control
