// SPDX-License-Identifier: Apache-2.0
// The router of a packet case, read from its JSON: node n1 of the full mesh n0 to n3 that the
// packet harness has, with the ports p0 and p1. What may be said of it is in docs/testing.md.
#pragma once

#include <array>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "fib/records.hh"
#include "tests/node/case_field.hh"
#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {

struct CaseRouter {
  std::array<MacAddress, kPorts> macs{kPort0Mac, kPort1Mac};
  std::array<std::uint16_t, kPorts> mtus{1500, 1500};
  std::array<bool, kPorts> up{true, true};
  HarnessOptions options;
  fib::Delta fib;
  std::map<std::string, fib::Adjacency> neighbors;

  [[nodiscard]] const fib::Adjacency& neighbor(const std::string& name, const Field& at) const {
    const auto found = neighbors.find(name);
    if (found == neighbors.end()) at.refuse("there is no neighbour \"" + name + "\"");
    return found->second;
  }
};

// "m0..m3" is m0, m1, m2, m3; any other name is itself.
inline std::vector<std::string> expand_names(const std::string& names, const Field& at) {
  const auto dots = names.find("..");
  if (dots == std::string::npos) return {names};
  const auto split = [&](std::string name) {
    auto digits = name.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) --digits;
    if (digits == name.size() || name.size() - digits > 4) at.refuse("a range is like m0..m3");
    return std::pair(name.substr(0, digits), std::stoul(name.substr(digits)));
  };
  const auto [stem, first] = split(names.substr(0, dots));
  const auto [other_stem, last] = split(names.substr(dots + 2));
  if (stem != other_stem || last < first) at.refuse("a range is like m0..m3");
  std::vector<std::string> all;
  for (auto number = first; number <= last; ++number) all.push_back(stem + std::to_string(number));
  return all;
}

// "n3" is node 3; the fabric has n0 to n3, a tag may name others.
inline NodeId node_of(const std::string& name, const Field& at) {
  const bool digits = name.size() >= 2 && name.size() <= 5 && name[0] == 'n' &&
                      name.find_first_not_of("0123456789", 1) == std::string::npos;
  if (!digits) at.refuse("\"" + name + "\" is not a node like n0");
  return NodeId{static_cast<std::uint16_t>(std::stoul(name.substr(1)))};
}

struct PortName {
  NodeId node;
  PortId port;
};
// "p1" is a port of the node itself, "n3-p1" one of another node.
inline PortName port_of(const std::string& name, const Field& at) {
  const auto dash = name.find('-');
  const auto port = dash == std::string::npos ? name : name.substr(dash + 1);
  if (port.size() != 2 || port[0] != 'p' ||
      std::isdigit(static_cast<unsigned char>(port[1])) == 0) {
    at.refuse("\"" + name + "\" is not a port like p0 or n3-p0");
  }
  return {dash == std::string::npos ? kSelf : node_of(name.substr(0, dash), at),
          PortId{static_cast<std::uint16_t>(port[1] - '0')}};
}

// The place of a frame: an own port, or the link to another node.
inline std::size_t output_of(const std::string& name, const Field& at) {
  if (name == "p0" || name == "p1") return name == "p0" ? kPort0 : kPort1;
  if (name == "n0") return kToNode0;
  if (name == "n2") return kToNode2;
  if (name == "n3") return kToNode3;
  at.refuse("\"" + name + "\" is none of p0, p1, n0, n2, n3");
}

// MACs and addresses that count up.
inline MacAddress later(MacAddress mac, std::uint32_t offset) {
  store_be(&mac.bytes[2], load_be<std::uint32_t>(&mac.bytes[2]) + offset);
  return mac;
}
inline IpAddress later(const IpAddress& address, std::uint32_t offset) {
  Bytes octets(address.data(), address.data() + address.size());
  auto* const last = &octets[octets.size() - 4];
  store_be(last, load_be<std::uint32_t>(last) + offset);
  return IpAddress::from_bytes(octets.data(), octets.size()).value();
}

class RouterReader {
 public:
  [[nodiscard]] static CaseRouter read(const Field& field) {
    field.only({"ports", "addresses", "neighbors", "routes", "controller", "live_links", "mode",
                "node_rates"});
    RouterReader reader;
    if (const auto ports = field.find("ports")) reader.read_ports(*ports);
    if (const auto addresses = field.find("addresses")) reader.read_addresses(*addresses);
    if (const auto neighbors = field.find("neighbors")) reader.read_neighbors(*neighbors);
    reader.make_plain_groups();
    if (const auto routes = field.find("routes")) reader.read_routes(*routes);
    reader.read_state(field);
    try {
      (void)fib_of(reader.router_.fib);
    } catch (const std::logic_error& refused) {
      field.refuse(refused.what());
    }
    return reader.router_;
  }

 private:
  static constexpr std::array<const char*, fib::kGroupKinds> kKinds{
      "forward", "local", "glean", "blackhole", "unreachable", "prohibit", "broadcast"};

  void read_ports(const Field& ports) {
    for (const auto& [name, port] : ports.only({"p0", "p1"}).members()) {
      const std::size_t index = name == "p0" ? 0 : 1;
      port.only({"mac", "mtu", "up"});
      router_.macs[index] = port.mac_or("mac", router_.macs[index]);
      router_.mtus[index] = port.number_or<std::uint16_t>("mtu", router_.mtus[index]);
      router_.up[index] = port.flag_or("up", true);
    }
  }

  void read_addresses(const Field& addresses) {
    for (const auto& [name, list] : addresses.members()) {
      const auto [node, port] = port_of(name, list);
      for (const auto& item : list.items()) {
        const auto text = item.text();
        const auto slash = text.find('/');
        const auto address = IpAddress::parse(text.substr(0, slash));
        const auto whole = slash == std::string::npos ? "" : text.substr(slash + 1);
        const bool length = !whole.empty() && whole.size() <= 3 &&
                            whole.find_first_not_of("0123456789") == std::string::npos;
        if (!address || !length) item.refuse("\"" + text + "\" is not like 10.0.0.1/24");
        router_.fib.addresses.push_back({.node = node,
                                         .port = port,
                                         .address = *address,
                                         .length = static_cast<std::uint8_t>(std::stoul(whole))});
      }
    }
  }

  void read_neighbors(const Field& neighbors) {
    for (const auto& [names, neighbor] : neighbors.members()) {
      std::uint32_t offset = 0;
      for (const auto& name : expand_names(names, neighbor)) {
        if (std::find(kKinds.begin(), kKinds.end(), name) != kKinds.end()) {
          neighbor.refuse("\"" + name + "\" is a kind of route, not a name");
        }
        if (!router_.neighbors.emplace(name, read_neighbor(neighbor, offset++)).second) {
          neighbor.refuse("\"" + name + "\" is there twice");
        }
      }
    }
  }

  fib::Adjacency read_neighbor(const Field& neighbor, std::uint32_t offset) {
    neighbor.only({"port", "address", "mac", "mtu", "index"});
    const auto place = neighbor.at("port");
    const auto [node, port] = port_of(place.text(), place);
    const bool own = node == kSelf && port.value < kPorts;
    const auto index = neighbor.find("index");
    auto& next = next_index_[node.value];
    if (index) next = static_cast<std::uint32_t>(index->number(0, 0xffffff)) + offset;
    const fib::Adjacency adjacency{
        .key = {node, AdjacencyId{next++}},
        .port = port,
        .destination = later(neighbor.at("mac").mac(), offset),
        .mtu = neighbor.number_or<std::uint16_t>("mtu", own ? router_.mtus[port.value] : 1500),
        .next_hop = later(neighbor.at("address").address(), offset)};
    router_.fib.adjacencies.push_back(adjacency);
    return adjacency;
  }

  // Their ids are the kinds. Always there: the harness takes an empty FIB for none.
  void make_plain_groups() {
    for (std::uint32_t kind = 1; kind < fib::kGroupKinds; ++kind) {
      router_.fib.groups.push_back({GroupId{kind}, static_cast<fib::GroupKind>(kind), {}});
    }
  }

  void read_routes(const Field& routes) {
    for (const auto& [text, to] : routes.members()) {
      const auto prefix = IpPrefix::parse(text);
      if (!prefix) to.refuse("\"" + text + "\" is not a prefix");
      router_.fib.routes.push_back({*prefix, group_of(to)});
    }
  }

  // A kind, a neighbour, a list of neighbours, or neighbours with their weights.
  GroupId group_of(const Field& to) {
    if (to.is_text()) {
      const auto kind = std::find(kKinds.begin() + 1, kKinds.end(), to.text());
      if (kind != kKinds.end()) return GroupId{static_cast<std::uint32_t>(kind - kKinds.begin())};
    }
    fib::Group group{GroupId{next_group_++}, fib::GroupKind::forward, {}};
    const auto add = [&](const std::string& names, const Field& at, std::uint16_t weight) {
      for (const auto& name : expand_names(names, at)) {
        group.members.push_back({router_.neighbor(name, at).key, weight});
      }
    };
    if (to.is_text()) {
      add(to.text(), to, 1);
    } else if (to.is_array()) {
      for (const auto& name : to.items()) add(name.text(), name, 1);
    } else {
      for (const auto& [names, weight] : to.members()) {
        add(names, weight, static_cast<std::uint16_t>(weight.number(1, 65535)));
      }
    }
    router_.fib.groups.push_back(group);
    return group.id;
  }

  void read_state(const Field& field) {
    if (const auto controller = field.find("controller")) {
      const auto is = controller->text();
      if (is != "present" && is != "away") controller->refuse("is present or away");
      router_.options.controller_present = is == "present";
    }
    if (const auto mode = field.find("mode")) {
      const auto known = topo::steering_mode(mode->text());
      if (!known) mode->refuse("is no mode of steering");
      router_.options.mode = *known;
    }
    if (const auto rates = field.find("node_rates")) {
      for (const auto& rate : rates->items()) {
        router_.options.node_rates.push_back(static_cast<double>(rate.number(0, 1'000'000)));
      }
    }
    const auto live = field.find("live_links");
    if (!live) return;
    router_.options.live_links.assign(kLinks, false);
    for (const auto& link : live->items()) {
      const auto output = output_of(link.text(), link);
      if (output < kPorts) link.refuse("is a port, not a link");
      router_.options.live_links[output - kPorts] = true;
    }
  }

  CaseRouter router_;
  std::map<std::uint16_t, std::uint32_t> next_index_;
  std::uint32_t next_group_ = fib::kGroupKinds;
};

}  // namespace rackway::node::testing
