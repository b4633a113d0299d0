// SPDX-License-Identifier: Apache-2.0
#include "topo/cluster_document.hh"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <limits>
#include <set>
#include <system_error>
#include <unordered_map>
#include <utility>

#include "base/startup_error.hh"
#include "base/unique_fd.hh"
#include "topo/document_checks.hh"
#include "topo/endpoint.hh"
#include "topo/json_reader.hh"

namespace rackway::topo {
namespace {

constexpr std::size_t kMaxFileSize = std::size_t{16} << 20;
constexpr std::size_t kAnyNumber = std::numeric_limits<std::size_t>::max();  // the file is bounded
constexpr std::size_t kMaxClusterName = 64;
constexpr std::size_t kMaxNodeName = 6;
constexpr std::size_t kMaxPortName = 8;
constexpr std::size_t kMaxNamespaceName = 64;
constexpr std::size_t kMaxNextHops = 64;
constexpr std::uint64_t kMinMtu = 1280;  // RFC 8200 section 5: what every IPv6 link must carry
constexpr std::uint64_t kMaxMtu = 9216;
constexpr std::uint64_t kMaxFlowletGapUs = 10'000'000;
constexpr std::uint64_t kMaxFabricQueues = 64;
constexpr std::uint64_t kMaxSettleMs = 3'600'000;
constexpr std::uint64_t kMaxAuditS = 86'400;
constexpr std::uint64_t kMinNetlinkBuffer = 4096;
constexpr std::uint64_t kMaxNetlinkBuffer = 1073741823;  // the kernel doubles it, and has an int
constexpr std::uint64_t kMaxDistance = 254;

std::string endpoint(const JsonValue& value) {
  auto text = value.text();
  if (const auto fault = endpoint_fault(text)) {
    value.refuse(in_quotes(text) + " is not an endpoint: " + *fault,
                 "write tcp://HOST:PORT or ipc:///PATH");
  }
  return text;
}

std::string namespace_name(const JsonValue& value) {
  auto name = value.name("_.-", kMaxNamespaceName);
  // It becomes a file's name in /run/netns.
  if (name == "." || name == "..") {
    value.refuse(in_quotes(name) + " is not a name", "choose another");
  }
  return name;
}

void check_endpoints_differ(const JsonObject& object, const ControllerConfig& controller) {
  const std::array<std::pair<const char*, const std::string*>, 3> endpoints{
      {{"control", &controller.control},
       {"packets", &controller.packets},
       {"api", &controller.api}}};
  for (std::size_t i = 0; i < endpoints.size(); ++i) {
    for (std::size_t j = i + 1; j < endpoints.size(); ++j) {
      if (*endpoints[i].second != *endpoints[j].second) continue;
      object.refuse(std::string(endpoints[i].first) + " and " + endpoints[j].first + " are both " +
                        in_quotes(*endpoints[i].second),
                    "give each an endpoint of its own");
    }
  }
}

RouteDistances parse_distances(const JsonValue& value) {
  const JsonObject object(
      value, {"kernel", "document", "added", "bgp", "ospf", "isis", "rip", "other", "imported"});
  RouteDistances distances;
  const std::pair<const char*, std::uint8_t*> all[] = {
      {"kernel", &distances.kernel},    {"document", &distances.document},
      {"added", &distances.added},      {"bgp", &distances.bgp},
      {"ospf", &distances.ospf},        {"isis", &distances.isis},
      {"rip", &distances.rip},          {"other", &distances.other},
      {"imported", &distances.imported}};
  for (const auto& [key, distance] : all) {
    if (const auto at = object.find(key)) {
      *distance = static_cast<std::uint8_t>(at->number(1, kMaxDistance));
    }
  }
  return distances;
}

FpmConfig parse_fpm(const JsonValue& value) {
  const JsonObject object(value, {"address", "port"});
  FpmConfig fpm;
  if (const auto at = object.find("address")) {
    const auto text = at->text();
    const auto address = IpAddress::parse(text);
    if (!address) at->refuse(in_quotes(text) + " is not an address", "write e.g. 127.0.0.1");
    fpm.address = *address;
  }
  if (const auto at = object.find("port")) {
    fpm.port = static_cast<std::uint16_t>(at->number(1, 65535));
  }
  return fpm;
}

ControllerConfig parse_controller(const JsonValue& value) {
  const JsonObject object(value,
                          {"control", "packets", "api", "namespace", "settle_ms", "settle_max_ms",
                           "netlink_buffer", "audit_s", "distances", "fpm"});
  ControllerConfig controller;
  if (const auto at = object.find("control")) controller.control = endpoint(*at);
  if (const auto at = object.find("packets")) controller.packets = endpoint(*at);
  if (const auto at = object.find("api")) controller.api = endpoint(*at);
  if (const auto at = object.find("namespace")) controller.network_namespace = namespace_name(*at);
  const auto settle_time = [](const JsonValue& at) {
    return static_cast<std::uint32_t>(at.number(0, kMaxSettleMs));
  };
  if (const auto at = object.find("settle_ms")) controller.settle_ms = settle_time(*at);
  if (const auto at = object.find("settle_max_ms")) controller.settle_max_ms = settle_time(*at);
  if (controller.settle_max_ms < controller.settle_ms) {
    object.refuse("settle_max_ms " + std::to_string(controller.settle_max_ms) +
                      " is less than settle_ms " + std::to_string(controller.settle_ms),
                  "give a settle_max_ms that is not less");
  }
  if (const auto at = object.find("netlink_buffer")) {
    controller.netlink_buffer =
        static_cast<std::uint32_t>(at->number(kMinNetlinkBuffer, kMaxNetlinkBuffer));
  }
  if (const auto at = object.find("audit_s")) {
    controller.audit_s = static_cast<std::uint32_t>(at->number(0, kMaxAuditS));
  }
  if (const auto at = object.find("distances")) controller.distances = parse_distances(*at);
  if (const auto at = object.find("fpm")) controller.fpm = parse_fpm(*at);
  check_endpoints_differ(object, controller);
  return controller;
}

Urpf parse_urpf(const JsonValue& value) {
  const auto text = value.text();
  if (text == "off") return Urpf::off;
  if (text == "loose") return Urpf::loose;
  if (text == "strict") return Urpf::strict;
  value.refuse(in_quotes(text) + " is not a mode of uRPF", "write off, loose or strict");
}

Mbps parse_mbps(const JsonValue& value) {
  const auto text = value.text();
  const auto rate = parse_rate(text);
  if (!rate) {
    value.refuse(in_quotes(text) + " is not a rate",
                 "write a number with its unit, 1M to 1000T, e.g. 100G or 2.5G");
  }
  return *rate;
}

PortConfig parse_port(const JsonValue& value) {
  const JsonObject object(value, {"name", "device", "mtu", "urpf", "rate"});
  PortConfig port;
  port.name = object.at("name").name("_.-", kMaxPortName);
  port.device = object.at("device").text();
  if (const auto mtu = object.find("mtu")) {
    port.mtu = static_cast<std::uint16_t>(mtu->number(kMinMtu, kMaxMtu));
  }
  if (const auto urpf = object.find("urpf")) port.urpf = parse_urpf(*urpf);
  if (const auto rate = object.find("rate")) port.rate = parse_mbps(*rate);
  return port;
}

NodeConfig parse_node(const JsonValue& value) {
  const JsonObject object(value, {"name", "ports", "rate"});
  NodeConfig node;
  node.name = object.at("name").name("_-", kMaxNodeName);
  if (const auto ports = object.find("ports")) {
    for (const auto& port : ports->items(0, kMaxPortsPerNode)) {
      node.ports.push_back(parse_port(port));
    }
  }
  if (const auto rate = object.find("rate")) node.rate = parse_mbps(*rate);
  return node;
}

using NodeIds = std::unordered_map<std::string, NodeId>;

NodeIds ids_of(const std::vector<NodeConfig>& nodes) {
  NodeIds ids;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    ids.emplace(nodes[i].name, NodeId{static_cast<NodeId::rep>(i)});
  }
  return ids;
}

NodeId node_named(const JsonValue& value, const NodeIds& ids) {
  const auto name = value.text();
  const auto found = ids.find(name);
  if (found == ids.end()) {
    value.refuse("there is no node " + in_quotes(name), "name one of those in /nodes");
  }
  return found->second;
}

LinkConfig parse_link(const JsonValue& value, const NodeIds& ids) {
  const JsonObject object(value, {"between", "devices", "rate"});
  const auto ends = object.at("between").items(2, 2);
  const auto devices = object.at("devices").items(2, 2);
  LinkConfig link{.a = node_named(ends[0], ids),
                  .b = node_named(ends[1], ids),
                  .device_a = devices[0].text(),
                  .device_b = devices[1].text()};
  if (const auto rate = object.find("rate")) link.rate = parse_mbps(*rate);
  if (link.a == link.b) {
    object.at("between").refuse("node " + in_quotes(ends[0].text()) + " is linked to itself",
                                "name two different nodes");
  }
  return link;
}

HelloConfig parse_hello(const JsonValue& value) {
  const JsonObject object(value, {"interval_ms", "multiplier"});
  HelloConfig hello;
  if (const auto interval = object.find("interval_ms")) {
    hello.interval_ms = static_cast<std::uint16_t>(interval->number(1, kMostHelloIntervalMs));
  }
  if (const auto multiplier = object.find("multiplier")) {
    hello.multiplier =
        static_cast<std::uint8_t>(multiplier->number(kLeastHelloMultiplier, kMostHelloMultiplier));
  }
  return hello;
}

void parse_fabric(const JsonValue& value, const NodeIds& ids, ClusterDocument& document) {
  const JsonObject object(value, {"links", "queues", "hello"});
  if (const auto items = object.find("links")) {
    for (const auto& item : items->items(0, kAnyNumber)) {
      document.links.push_back(parse_link(item, ids));
    }
  }
  if (const auto queues = object.find("queues")) {
    document.fabric_queues = static_cast<std::uint16_t>(queues->number(1, kMaxFabricQueues));
  }
  if (const auto hello = object.find("hello")) document.hello = parse_hello(*hello);
}

SteeringMode parse_mode(const JsonValue& value) {
  const auto text = value.text();
  const auto mode = steering_mode(text);
  if (!mode) {
    value.refuse(in_quotes(text) + " is not a mode of steering",
                 "write adaptive, direct, valiant or direct-vlb");
  }
  return *mode;
}

void parse_flowlet_gap(const JsonValue& value, VlbConfig& vlb) {
  const auto bounds = value.items(2, 2);
  vlb.least_flowlet_gap_us = static_cast<std::uint32_t>(bounds[0].number(0, kMaxFlowletGapUs));
  vlb.most_flowlet_gap_us = static_cast<std::uint32_t>(bounds[1].number(0, kMaxFlowletGapUs));
  if (vlb.least_flowlet_gap_us > vlb.most_flowlet_gap_us) {
    value.refuse("the least gap " + std::to_string(vlb.least_flowlet_gap_us) +
                     " is more than the most, " + std::to_string(vlb.most_flowlet_gap_us),
                 "write the smaller one first");
  }
}

VlbConfig parse_vlb(const JsonValue& value) {
  const JsonObject object(value, {"mode", "flowlet_gap_us"});
  VlbConfig vlb;
  if (const auto mode = object.find("mode")) vlb.mode = parse_mode(*mode);
  if (const auto gap = object.find("flowlet_gap_us")) parse_flowlet_gap(*gap, vlb);
  return vlb;
}

// What to do about a text that is no prefix. Host bits are the fault that one does not see.
std::string prefix_advice(const std::string& text) {
  const auto slash = std::min(text.find('/'), text.size());
  const auto address = IpAddress::parse(text.substr(0, slash));
  if (address) {
    const auto all = IpPrefix::parse((address->is_v4() ? "0.0.0.0" : "::") + text.substr(slash));
    if (all) {
      return "clear the host bits: " + IpPrefix::covering(*address, all->length).to_string();
    }
  }
  return "write ADDRESS/LENGTH, e.g. 203.0.113.0/24 or 2001:db8::/32";
}

IpPrefix parse_prefix(const JsonValue& value) {
  const auto text = value.text();
  const auto prefix = IpPrefix::parse(text);
  if (!prefix) value.refuse(in_quotes(text) + " is not a prefix", prefix_advice(text));
  return *prefix;
}

StaticRoute::Type parse_route_type(const JsonValue& value) {
  using Type = StaticRoute::Type;
  const auto text = value.text();
  if (text == "unicast") return Type::unicast;
  if (text == "blackhole") return Type::blackhole;
  if (text == "unreachable") return Type::unreachable;
  if (text == "prohibit") return Type::prohibit;
  value.refuse(in_quotes(text) + " is not a type of route",
               "write unicast, blackhole, unreachable or prohibit");
}

IpAddress parse_next_hop(const JsonValue& value, Family family) {
  const auto text = value.text();
  const auto address = IpAddress::parse(text);
  const std::string version = family == Family::ipv4 ? "IPv4" : "IPv6";
  const auto wanted = "give the " + version + " address of a neighbour";
  if (!address) value.refuse(in_quotes(text) + " is not an address", wanted);
  if (address->family() != family) {
    value.refuse(in_quotes(text) + " is not of the prefix's family, which is " + version, wanted);
  }
  if (address->is_unspecified()) {
    value.refuse(in_quotes(text) + " is no neighbour's address", wanted);
  }
  if (!address->is_v4() && address->is_link_local()) {
    value.refuse(in_quotes(text) + " is link-local: which port it is behind is not known",
                 "give the neighbour's global address");
  }
  return *address;
}

std::vector<IpAddress> parse_next_hops(const JsonValue& value, Family family) {
  std::vector<IpAddress> via;
  for (const auto& item : value.items(1, kMaxNextHops)) {
    const auto address = parse_next_hop(item, family);
    if (std::find(via.begin(), via.end(), address) != via.end()) {
      item.refuse("the next hop " + address.to_string() + " is given twice", "remove one of them");
    }
    via.push_back(address);
  }
  return via;
}

StaticRoute parse_route(const JsonValue& value) {
  const JsonObject object(value, {"prefix", "type", "via"});
  StaticRoute route;
  route.prefix = parse_prefix(object.at("prefix"));
  if (const auto type = object.find("type")) route.type = parse_route_type(*type);
  if (route.type == StaticRoute::Type::unicast) {
    route.via = parse_next_hops(object.at("via"), route.prefix.address.family());
  } else if (const auto via = object.find("via")) {
    via->refuse("only a unicast route has next hops", "remove via, or make the route unicast");
  }
  return route;
}

ClusterDocument parse_document(const JsonValue& value, const std::string& file) {
  const JsonObject object(value, {"name", "controller", "nodes", "fabric", "vlb", "routes"});
  ClusterDocument document;
  document.name = object.at("name").name("_.-", kMaxClusterName);
  if (const auto at = object.find("controller")) document.controller = parse_controller(*at);
  for (const auto& node : object.at("nodes").items(1, kMaxNodes)) {
    document.nodes.push_back(parse_node(node));
  }
  check_names(document, file);
  const auto ids = ids_of(document.nodes);
  if (const auto at = object.find("fabric")) parse_fabric(*at, ids, document);
  check_links(document, file);
  check_devices(document, file);
  check_fabric(document, file);
  if (const auto at = object.find("vlb")) document.vlb = parse_vlb(*at);
  if (const auto at = object.find("routes")) {
    for (const auto& route : at->items(0, kAnyNumber)) {
      document.routes.push_back(parse_route(route));
    }
  }
  check_routes(document, file);
  return document;
}

[[noreturn]] void refuse_file(const std::string& path, int error) {
  throw StartupError("can not read the cluster document: " + std::generic_category().message(error),
                     path, "give the path of a readable JSON file");
}

std::string read_file(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd) refuse_file(path, errno);
  std::string text;
  std::array<char, 65536> piece;
  while (text.size() <= kMaxFileSize) {
    const auto size = ::read(fd.get(), piece.data(), piece.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) refuse_file(path, errno);
    if (size == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(size));
  }
  throw StartupError("the cluster document is over 16 MiB", path, "give a smaller one");
}

}  // namespace

Mbps ClusterDocument::external_rate(NodeId node) const {
  const auto& config = nodes[node.value];
  if (config.rate != 0) return config.rate;
  std::uint64_t sum = 0;
  for (const auto& port : config.ports) {
    if (port.rate == 0) return 0;
    sum += port.rate;
  }
  return static_cast<Mbps>(std::min<std::uint64_t>(sum, std::numeric_limits<Mbps>::max()));
}

std::vector<std::uint32_t> ClusterDocument::external_rates() const {
  std::vector<std::uint32_t> rates, ports;
  bool known = true;
  for (std::uint16_t i = 0; i < nodes.size(); ++i) {
    const auto count = static_cast<std::uint32_t>(nodes[i].ports.size());
    ports.push_back(count);
    rates.push_back(count == 0 ? 0 : external_rate(NodeId{i}));
    known = known && (count == 0 || rates.back() != 0);
  }
  return known ? rates : ports;
}

std::optional<NodeId> ClusterDocument::find_node(const std::string& node_name) const {
  const auto found = std::find_if(nodes.begin(), nodes.end(),
                                  [&](const NodeConfig& node) { return node.name == node_name; });
  if (found == nodes.end()) return std::nullopt;
  return NodeId{static_cast<NodeId::rep>(found - nodes.begin())};
}

std::uint16_t ClusterDocument::largest_mtu() const {
  std::uint16_t largest = 0;
  for (const auto& node : nodes) {
    for (const auto& port : node.ports) largest = std::max(largest, port.mtu);
  }
  return largest == 0 ? PortConfig().mtu : largest;
}

ClusterDocument parse_cluster_document(const std::string& json_text, const std::string& file_name) {
  const auto json = parse_json(json_text, file_name);
  return parse_document(JsonValue(json, file_name, ""), file_name);
}

ClusterDocument read_cluster_document(const std::string& path) {
  return parse_cluster_document(read_file(path), path);
}

}  // namespace rackway::topo
