// SPDX-License-Identifier: Apache-2.0
#include "topo/plan/wiring.hh"

#include <array>
#include <cstdio>

namespace rackway::plan {
namespace {

constexpr unsigned kFunctions = 8;  // of a PCI device
constexpr unsigned kFirstBus = 0x11;

std::string device_of(const ServerModel& server, unsigned slot, unsigned port) {
  std::array<char, 32> text{};
  if (slot < server.buses.size()) {
    std::snprintf(text.data(), text.size(), "%s:%02x.%u", server.buses[slot].c_str(),
                  port / kFunctions, port % kFunctions);
  } else {
    std::snprintf(text.data(), text.size(), "0000:%02x:%02x.%u", kFirstBus + slot,
                  port / kFunctions, port % kFunctions);
  }
  return text.data();
}

// Gives out a server's ports one after the other.
class Ports {
 public:
  Ports(const ServerModel& server, const ServerFit& fit) : server_(server), fit_(fit) {}

  PortPlace next_external(WiredServer& wired) {
    return take(wired, fit_.external, 0, external_++, true);
  }
  PortPlace next_fabric(WiredServer& wired) {
    if (fit_.shared) return take(wired, fit_.external, 0, fit_.external_ports + fabric_++, false);
    return take(wired, fit_.fabric, fit_.external.cards, fabric_++, false);
  }

 private:
  PortPlace take(WiredServer& wired, const CardChoice& choice, unsigned first_slot, unsigned number,
                 bool is_external) const {
    const unsigned slot = first_slot + number / choice.mode.ports;
    const unsigned port = number % choice.mode.ports;
    auto& card = wired.cards[slot];
    ++(is_external ? card.external : card.fabric);
    return {slot, port, device_of(server_, slot, port)};
  }

  const ServerModel& server_;
  const ServerFit& fit_;
  unsigned external_ = 0, fabric_ = 0;
};

void put_in(std::vector<WiredCard>& cards, const CardChoice& choice) {
  for (unsigned i = 0; i < choice.cards; ++i) cards.push_back({choice.nic, choice.mode});
}

}  // namespace

Wiring wire(const Plan& plan, Mbps rate) {
  const auto model = plan.model(rate);
  const auto edges = plan.edge_servers();
  Wiring wiring;
  std::vector<Ports> ports;
  for (std::size_t i = 0; i < model.nodes(); ++i) {
    const auto& fit = i < edges ? plan.edge : plan.relay;
    WiredServer server{"n" + std::to_string(i + 1), static_cast<unsigned>(i / edges), {}, {}};
    put_in(server.cards, fit.external);
    put_in(server.cards, fit.fabric);
    ports.emplace_back(plan.server, fit);
    for (unsigned p = 0; p < fit.external_ports; ++p) {
      server.external.push_back(ports.back().next_external(server));
    }
    wiring.servers.push_back(std::move(server));
  }
  for (const auto& link : model.links) {
    const std::size_t a = link.a.value, b = link.b.value;
    const auto port_a = ports[a].next_fabric(wiring.servers[a]);
    const auto port_b = ports[b].next_fabric(wiring.servers[b]);
    wiring.cables.push_back({a, b, port_a, port_b});
  }
  return wiring;
}

}  // namespace rackway::plan
