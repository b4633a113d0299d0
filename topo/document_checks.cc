// SPDX-License-Identifier: Apache-2.0
#include "topo/document_checks.hh"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "topo/fabric_check.hh"
#include "topo/json_reader.hh"

namespace rackway::topo {
namespace {

// Remembers where each key stood first.
template <class Key>
class FirstPlaces {
 public:
  explicit FirstPlaces(const std::string& file) : file_(file) {}

  // Refuses a key that stood elsewhere before; what describes it, e.g. `the node name "n1"`.
  void claim(const Key& key, const std::string& pointer, const std::string& what,
             const std::string& what_to_do) {
    const auto [first, is_new] = places_.emplace(key, pointer);
    if (is_new) return;
    refuse_at(file_, pointer, what + " is already used at " + first->second, what_to_do);
  }

 private:
  const std::string& file_;
  std::unordered_map<Key, std::string> places_;
};

std::string node_pointer(std::size_t node) {
  return "/nodes/" + std::to_string(node);
}

std::string port_pointer(std::size_t node, std::size_t port) {
  return node_pointer(node) + "/ports/" + std::to_string(port);
}

std::string link_pointer(std::size_t link) {
  return "/fabric/links/" + std::to_string(link);
}

void check_port_names(const NodeConfig& node, std::size_t index, const std::string& file) {
  FirstPlaces<std::string> ports(file);
  for (std::size_t i = 0; i < node.ports.size(); ++i) {
    ports.claim(node.ports[i].name, port_pointer(index, i) + "/name",
                "the port name " + in_quotes(node.ports[i].name), "rename one of the two ports");
  }
}

}  // namespace

void check_names(const ClusterDocument& document, const std::string& file) {
  FirstPlaces<std::string> nodes(file);
  FirstPlaces<std::string> interfaces(file);
  for (std::size_t i = 0; i < document.nodes.size(); ++i) {
    const auto& node = document.nodes[i];
    nodes.claim(node.name, node_pointer(i) + "/name", "the node name " + in_quotes(node.name),
                "rename one of the two nodes");
    check_port_names(node, i, file);
    for (std::size_t j = 0; j < node.ports.size(); ++j) {
      const auto interface = node.name + "-" + node.ports[j].name;
      interfaces.claim(interface, port_pointer(i, j) + "/name",
                       "the interface name " + in_quotes(interface), "rename one of the two ports");
    }
  }
}

void check_links(const ClusterDocument& document, const std::string& file) {
  FirstPlaces<std::uint32_t> pairs(file);
  for (std::size_t i = 0; i < document.links.size(); ++i) {
    const auto [low, high] = std::minmax(document.links[i].a, document.links[i].b);
    const auto& nodes = document.nodes;
    pairs.claim(
        std::uint32_t{low.value} << 16 | high.value, link_pointer(i) + "/between",
        "the pair " + in_quotes(nodes[low.value].name) + ", " + in_quotes(nodes[high.value].name),
        "remove one of the two links");
  }
}

void check_devices(const ClusterDocument& document, const std::string& file) {
  std::vector<FirstPlaces<std::string>> places(document.nodes.size(),
                                               FirstPlaces<std::string>(file));
  const auto claim = [&](std::size_t node, const std::string& device, const std::string& pointer) {
    places[node].claim(
        device, pointer,
        "in node " + in_quotes(document.nodes[node].name) + ", the device " + in_quotes(device),
        "give each its own device");
  };
  for (std::size_t i = 0; i < document.nodes.size(); ++i) {
    const auto& ports = document.nodes[i].ports;
    for (std::size_t j = 0; j < ports.size(); ++j) {
      claim(i, ports[j].device, port_pointer(i, j) + "/device");
    }
  }
  for (std::size_t i = 0; i < document.links.size(); ++i) {
    const auto& link = document.links[i];
    claim(link.a.value, link.device_a, link_pointer(i) + "/devices/0");
    claim(link.b.value, link.device_b, link_pointer(i) + "/devices/1");
  }
}

void check_fabric(const ClusterDocument& document, const std::string& file) {
  std::vector<std::string> names;
  std::vector<LinkEnds> links;
  for (const auto& node : document.nodes) names.push_back(node.name);
  for (const auto& link : document.links) links.push_back({link.a, link.b});
  const auto fault = fabric_fault(names, links);
  if (fault) refuse_at(file, node_pointer(fault->node.value), fault->what, fault->what_to_do);
}

void check_routes(const ClusterDocument& document, const std::string& file) {
  FirstPlaces<IpPrefix> prefixes(file);
  for (std::size_t i = 0; i < document.routes.size(); ++i) {
    const auto& prefix = document.routes[i].prefix;
    prefixes.claim(prefix, "/routes/" + std::to_string(i) + "/prefix",
                   "the prefix " + prefix.to_string(), "put all its next hops in one route");
  }
}

}  // namespace rackway::topo
