// SPDX-License-Identifier: Apache-2.0
#include "control/api.hh"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>

#include "control/api_audit.hh"
#include "control/api_names.hh"
#include "control/api_rib.hh"
#include "control/api_security.hh"
#include "control/api_sources.hh"

namespace rackway::control {
namespace {

using Json = nlohmann::ordered_json;

std::string digest_text(const fib::Digest& digest) {
  return fmt::format("{:016x}{:016x}", digest.high, digest.low);
}

std::uint64_t seconds(std::chrono::steady_clock::duration time) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(time).count());
}

Json own_event(std::uint64_t number, std::uint64_t age_s, const std::string& what) {
  return {{"age_s", age_s},
          {"seen_by", "controller"},
          {"number", number},
          {"node", ""},
          {"event", what}};
}

// One request being answered: the rows so far, or what is wrong.
class Answer {
 public:
  Answer(const ApiView& view, std::string name)
      : view_(view), names_(view), name_(std::move(name)) {}

  void cluster();
  void nodes();
  void ports();
  void queues();
  void interfaces();
  void fabric();
  void routes();
  void rib();
  void explain();
  void sources();
  void security();
  void audit();
  void adjacencies();
  void drops();
  void events();

  [[nodiscard]] Json take() {
    if (!error_.empty()) return {{"ok", false}, {"error", error_}};
    return {{"ok", true}, {"rows", std::move(rows_)}};
  }
  void fail(std::string what) { error_ = std::move(what); }

 private:
  [[nodiscard]] const topo::NodeConfig& config(NodeId node) const {
    return view_.document.nodes[node.value];
  }
  [[nodiscard]] std::string node_name(NodeId node) const { return names_.node(node); }
  [[nodiscard]] std::string port_name(NodeId node, PortId port) const {
    return names_.port(node, port);
  }
  [[nodiscard]] std::string interface_name(InterfaceRef interface) const {
    return names_.interface(interface);
  }
  [[nodiscard]] Json addresses_on(InterfaceRef interface) const;
  // Calls for each node, or for the one asked for; an unknown one is an error.
  void each_node(const std::function<void(NodeId)>& row);
  void add_port(NodeId node, PortId port);
  void add_interface(InterfaceRef interface);
  void add_link(NodeId node, const cluster::LinkStatus& link);
  void add_route(const fib::Route& route);
  void add_queues(NodeId node, const std::string& place,
                  const std::vector<std::vector<cluster::QueueCounters>>& places,
                  std::size_t index);
  void add_drops(NodeId node, const std::string& place, const cluster::PlaceCounters& counters);
  [[nodiscard]] NodeId peer_of(NodeId node, std::uint32_t link) const;
  [[nodiscard]] std::string_view link_state(NodeId node, const cluster::LinkStatus& link) const;
  [[nodiscard]] Json cannot_reach(NodeId node) const;

  const ApiView& view_;
  ApiNames names_;
  std::string name_;
  std::string error_;
  Json rows_ = Json::array();
};

void Answer::each_node(const std::function<void(NodeId)>& row) {
  if (!name_.empty()) {
    const auto node = view_.document.find_node(name_);
    if (!node) return fail("no node " + name_ + " in this cluster");
    return row(*node);
  }
  for (std::uint16_t n = 0; n < view_.document.nodes.size(); ++n) row(NodeId{n});
}

void Answer::cluster() {
  if (!name_.empty()) return fail("cluster takes no name, got " + name_);
  std::size_t up = 0, in_sync = 0;
  for (const auto& node : view_.coordinator.nodes()) {
    up += node.up ? 1 : 0;
    in_sync += node.in_sync ? 1 : 0;
  }
  const auto size = view_.coordinator.content().size();
  rows_.push_back({{"name", view_.document.name},
                   {"epoch", view_.coordinator.epoch().value},
                   {"digest", digest_text(view_.coordinator.content().digest())},
                   {"nodes", view_.document.nodes.size()},
                   {"nodes_up", up},
                   {"nodes_in_sync", in_sync},
                   {"ipv4_routes", size.ipv4_routes},
                   {"ipv6_routes", size.ipv6_routes},
                   {"groups", size.groups},
                   {"adjacencies", size.adjacencies},
                   {"routes_cut_short", view_.builder.cut_short()},
                   {"uptime_s", seconds(view_.uptime)},
                   {"settled", view_.settled},
                   {"vlb_mode", topo::name_of(view_.vlb_orders.mode())},
                   {"waiting_static_routes", view_.waiting_static_routes}});
}

void Answer::nodes() {
  each_node([&](NodeId id) {
    const auto& node = view_.coordinator.nodes()[id.value];
    const auto& report = view_.reports[id.value];
    const char* state = !node.up ? "down" : node.in_sync ? "up" : "syncing";
    rows_.push_back({{"name", config(id).name},
                     {"id", id.value},
                     {"state", state},
                     {"epoch", node.epoch.value},
                     {"digest", digest_text(node.digest)},
                     {"in_sync", node.in_sync},
                     {"kept_epoch", report.status.kept_epoch.value},
                     {"boot_id", fmt::format("{:016x}", node.boot_id)},
                     {"uptime_s", report.status.uptime_ms / 1000},
                     {"ports", config(id).ports.size()},
                     {"generated", report.status.generated.received},
                     {"vlb_mode", topo::name_of(report.status.steering.mode)},
                     {"draining", view_.vlb_orders.drains(id)},
                     {"flowlet_gap_us", report.status.steering.flowlet_gap_us},
                     {"moved_early", report.status.steering.moved_early},
                     {"cannot_reach", cannot_reach(id)}});
  });
}

Json Answer::addresses_on(InterfaceRef interface) const {
  Json addresses = Json::array();
  for (const auto& own : view_.coordinator.content().addresses_of(interface.node)) {
    if (own.port != interface.port || own.vlan != interface.vlan) continue;
    addresses.push_back(own.address.to_string() + "/" + std::to_string(own.length));
  }
  return addresses;
}

void Answer::add_port(NodeId node, PortId port) {
  const auto& report = view_.reports[node.value];
  const auto& setup = config(node).ports[port.value];
  const bool known = port.value < report.ports.size();
  const bool link =
      known && report.ports[port.value].link_up && view_.coordinator.nodes()[node.value].up;
  const auto counters = port.value < report.status.ports.size() ? report.status.ports[port.value]
                                                                : cluster::PlaceCounters{};
  rows_.push_back({{"name", port_name(node, port)},
                   {"node", config(node).name},
                   {"port", setup.name},
                   {"device", setup.device},
                   {"mac", known ? report.ports[port.value].mac.to_string() : ""},
                   {"mtu", known ? report.ports[port.value].mtu : setup.mtu},
                   {"link", link ? "up" : "down"},
                   {"addresses", addresses_on({node, port})},
                   {"received", counters.received},
                   {"sent", counters.sent},
                   {"punted", counters.punted},
                   {"dropped", counters.dropped_total()},
                   {"injected", counters.injected},
                   {"icmp_sent", counters.icmp_sent},
                   {"icmp_withheld", counters.icmp_withheld},
                   {"transmitted", counters.transmitted},
                   {"received_bytes", counters.received_bytes},
                   {"transmitted_bytes", counters.transmitted_bytes}});
}

void Answer::ports() {
  for (std::uint16_t n = 0; n < view_.document.nodes.size(); ++n) {
    for (std::uint16_t p = 0; p < view_.document.nodes[n].ports.size(); ++p) {
      const NodeId node{n};
      const PortId port{p};
      if (name_.empty() || name_ == port_name(node, port)) add_port(node, port);
    }
  }
  if (!name_.empty() && rows_.empty()) fail("no port " + name_ + " in this cluster");
}

void Answer::add_queues(NodeId node, const std::string& place,
                        const std::vector<std::vector<cluster::QueueCounters>>& places,
                        std::size_t index) {
  if (index >= places.size()) return;
  for (std::size_t core = 0; core < places[index].size(); ++core) {
    const auto& counters = places[index][core];
    rows_.push_back({{"node", config(node).name},
                     {"place", place},
                     {"core", core},
                     {"received", counters.received},
                     {"sent", counters.sent},
                     {"punted", counters.punted},
                     {"dropped", counters.dropped},
                     {"transmitted", counters.transmitted}});
  }
}

void Answer::queues() {
  each_node([&](NodeId node) {
    const auto& status = view_.reports[node.value].status;
    for (std::uint16_t p = 0; p < config(node).ports.size(); ++p) {
      add_queues(node, port_name(node, PortId{p}), status.port_queues, p);
    }
    for (std::size_t i = 0; i < status.links.size(); ++i) {
      const auto number = status.links[i].number;
      if (number >= view_.document.links.size()) continue;
      add_queues(node, "fabric " + config(peer_of(node, number)).name, status.link_queues, i);
    }
  });
}

void Answer::add_interface(InterfaceRef interface) {
  const auto* link = view_.builder.link_of(interface);
  const bool up = link != nullptr && link->up && link->carrier;
  rows_.push_back({{"name", interface_name(interface)},
                   {"node", node_name(interface.node)},
                   {"port", port_name(interface.node, interface.port)},
                   {"vlan", interface.vlan.value},
                   {"state", up ? "up" : "down"},
                   {"mtu", view_.builder.mtu_of(interface)},
                   {"addresses", addresses_on(interface)}});
}

void Answer::interfaces() {
  for (const auto& [interface, ifindex] : view_.builder.interfaces()) {
    if (name_.empty() || name_ == interface_name(interface)) add_interface(interface);
  }
  if (!name_.empty() && rows_.empty()) fail("no interface " + name_ + " in this cluster");
}

NodeId Answer::peer_of(NodeId node, std::uint32_t link) const {
  const auto& ends = view_.document.links[link];
  return ends.a == node ? ends.b : ends.a;
}

void Answer::add_link(NodeId node, const cluster::LinkStatus& link) {
  const auto& counters = link.counters;
  rows_.push_back({{"node", config(node).name},
                   {"peer", config(peer_of(node, link.number)).name},
                   {"link", link.number},
                   {"state", link_state(node, link)},
                   {"carrier", link.up},
                   {"peer_ready", link.peer_ready},
                   {"peer_draining", link.peer_draining},
                   {"peer_boot_id", fmt::format("{:016x}", link.peer_boot_id)},
                   {"load_percent", link.load / 2},
                   {"delay_us", link.delay},
                   {"received", counters.received},
                   {"sent", counters.sent},
                   {"punted", counters.punted},
                   {"dropped", counters.dropped_total()},
                   {"direct", counters.direct},
                   {"via_relay", counters.via_relay},
                   {"relayed", counters.relayed},
                   {"transmitted", counters.transmitted},
                   {"hellos_sent", counters.hellos_sent},
                   {"hellos_received", counters.hellos_received}});
}

// A dead node's last words do not count.
std::string_view Answer::link_state(NodeId node, const cluster::LinkStatus& link) const {
  return to_string(view_.coordinator.nodes()[node.value].up ? link.state
                                                            : cluster::LinkState::down);
}

void Answer::events() {
  const auto now = EventLog::Clock::now();
  std::optional<NodeId> only;
  if (!name_.empty()) {
    only = view_.document.find_node(name_);
    if (!only) return fail("no node " + name_ + " in this cluster");
  }
  for (const auto& [observer, event, at, own] : view_.events.entries()) {
    if (!own.empty()) {
      if (!only) rows_.push_back(own_event(event.number, seconds(now - at), own));
      continue;
    }
    if (only && observer != *only && event.node != *only) continue;
    rows_.push_back({{"age_s", seconds(now - at)},
                     {"seen_by", node_name(observer)},
                     {"number", event.number},
                     {"node", node_name(event.node)},
                     {"event", to_string(event.kind)}});
  }
}

Json Answer::cannot_reach(NodeId node) const {
  Json names = Json::array();
  const auto& reachable = view_.reports[node.value].status.reachable;
  for (std::uint16_t n = 0; n < reachable.size(); ++n) {
    if (!reachable[n]) names.push_back(node_name(NodeId{n}));
  }
  return names;
}

void Answer::fabric() {
  each_node([&](NodeId node) {
    for (const auto& link : view_.reports[node.value].status.links) {
      if (link.number < view_.document.links.size()) add_link(node, link);
    }
  });
}

void Answer::add_route(const fib::Route& route) {
  const auto& content = view_.coordinator.content();
  const auto* group = content.find(route.group);
  const auto origin = view_.builder.origin(route.prefix);
  rows_.push_back({{"prefix", route.prefix.to_string()},
                   {"kind", kind_text(group->kind)},
                   {"protocol", origin.protocol},
                   {"next_hops", names_.next_hops(*group)},
                   {"group", route.group.value},
                   {"stale", origin.stale}});
}

void Answer::routes() {
  const auto& content = view_.coordinator.content();
  if (name_.empty()) {
    for (const auto& route : content.snapshot().routes) add_route(route);
    return;
  }
  const auto address = IpAddress::parse(name_);
  const auto prefix = IpPrefix::parse(name_);
  if (!address && !prefix) return fail(name_ + " is neither a prefix nor an address");
  const auto route = address ? content.longest_match(*address) : content.find(*prefix);
  if (!route) return fail((address ? "no route covers " : "no route ") + name_);
  add_route(*route);
}

void Answer::rib() {
  if (auto rows = rib_rows(view_, name_)) {
    rows_ = std::move(*rows);
  } else {
    fail(rows.error().message);
  }
}

void Answer::sources() {
  if (!name_.empty()) return fail("sources takes no name, got " + name_);
  rows_ = source_rows(view_);
}

void Answer::security() {
  each_node([&](NodeId node) { rows_.push_back(security_row(view_, node)); });
  if (name_.empty()) rows_.push_back(strangers_row(view_));
}

void Answer::audit() {
  if (!name_.empty()) return fail("audit takes no name, got " + name_);
  rows_ = audit_rows(view_);
}

void Answer::explain() {
  if (auto row = explanation(view_, name_)) {
    rows_.push_back(std::move(*row));
  } else {
    fail(row.error().message);
  }
}

void Answer::adjacencies() {
  const auto snapshot = view_.coordinator.content().snapshot();
  each_node([&](NodeId node) {
    for (const auto& adjacency : snapshot.adjacencies) {
      if (adjacency.key.node != node) continue;
      rows_.push_back({{"node", config(node).name},
                       {"index", adjacency.key.index.value},
                       {"port", port_name(node, adjacency.port)},
                       {"vlan", adjacency.vlan.value},
                       {"interface", interface_name({node, adjacency.port, adjacency.vlan})},
                       {"next_hop", adjacency.next_hop.to_string()},
                       {"mac", adjacency.destination.to_string()},
                       {"mtu", adjacency.mtu}});
    }
  });
}

void Answer::add_drops(NodeId node, const std::string& place,
                       const cluster::PlaceCounters& counters) {
  for (std::size_t i = 0; i < cluster::kDropReasons; ++i) {
    if (counters.dropped[i] == 0) continue;
    rows_.push_back({{"node", config(node).name},
                     {"port", place},
                     {"reason", cluster::to_string(static_cast<cluster::DropReason>(i))},
                     {"packets", counters.dropped[i]}});
  }
}

void Answer::drops() {
  each_node([&](NodeId node) {
    const auto& status = view_.reports[node.value].status;
    const auto ports = std::min(status.ports.size(), kMaxPortsPerNode);
    for (std::uint16_t p = 0; p < ports; ++p) {
      add_drops(node, port_name(node, PortId{p}), status.ports[p]);
    }
    for (const auto& link : status.links) {
      if (link.number >= view_.document.links.size()) continue;
      add_drops(node, "fabric " + config(peer_of(node, link.number)).name, link.counters);
    }
    add_drops(node, "inject", status.inject);
    add_drops(node, "generated", status.generated);
  });
}

using Table = void (Answer::*)();
const std::map<std::string, Table, std::less<>> kTables{
    {"cluster", &Answer::cluster}, {"nodes", &Answer::nodes},
    {"ports", &Answer::ports},     {"interfaces", &Answer::interfaces},
    {"fabric", &Answer::fabric},   {"routes", &Answer::routes},
    {"rib", &Answer::rib},         {"explain", &Answer::explain},
    {"sources", &Answer::sources}, {"adjacencies", &Answer::adjacencies},
    {"drops", &Answer::drops},     {"queues", &Answer::queues},
    {"events", &Answer::events},   {"security", &Answer::security},
    {"audit", &Answer::audit}};

Json answer(const ApiView& view, const std::string& request) {
  // Not as Json, which searches through all keys for each: a request may have very many.
  const auto parsed = nlohmann::json::parse(request, nullptr, false);
  const bool well_formed = parsed.is_object() && parsed.contains("show") &&
                           parsed["show"].is_string() &&
                           (!parsed.contains("name") || parsed["name"].is_string());
  if (!well_formed) {
    return {{"ok", false}, {"error", R"(a request is an object like {"show": "nodes"})"}};
  }
  const auto table = kTables.find(parsed["show"].get<std::string>());
  Answer result(view, parsed.value("name", std::string()));
  if (table == kTables.end()) {
    result.fail("no table " + parsed["show"].get<std::string>());
  } else {
    (result.*table->second)();
  }
  return result.take();
}

}  // namespace

std::string answer_api(const ApiView& view, const std::string& request) {
  return answer(view, request).dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rackway::control
