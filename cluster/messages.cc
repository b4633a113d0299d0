// SPDX-License-Identifier: Apache-2.0
#include "cluster/messages.hh"

#include <array>
#include <cstring>
#include <functional>

#include "base/wire.hh"
#include "cluster/message_bounds.hh"
#include "fib/record_wire.hh"

namespace rackway::cluster {
namespace {

Epoch read_epoch(WireReader& in) {
  return {in.number<std::uint64_t>()};
}
void write_mode(WireWriter& out, topo::SteeringMode mode) {
  out.number(static_cast<std::uint8_t>(mode));
}
topo::SteeringMode read_mode(WireReader& in) {
  const auto mode = in.number<std::uint8_t>();
  if (mode >= topo::kSteeringModes.size()) in.fail();
  return static_cast<topo::SteeringMode>(mode);
}

// ---- one pair of write() and read() per message

void write(WireWriter& out, const Hello& m) {
  out.number(kHelloMagic);
  out.number(m.version);
  out.text(m.name);
  out.number(m.boot_id);
  out.number(m.epoch.value);
  write(out, m.digest);
  out.flag(m.draining);
  out.flag(m.keeps_state);
  out.flag(m.resumed);
  out.text(m.refusal);
}
void read(WireReader& in, Hello& m) {
  if (in.number<std::uint32_t>() != kHelloMagic) in.fail();
  m.version = in.number<std::uint16_t>();
  if (!in.ok()) m.version = 0;
  m.name = in.text();
  m.boot_id = in.number<std::uint64_t>();
  m.epoch = read_epoch(in);
  m.digest = fib::read_digest(in);
  m.draining = in.flag();
  m.keeps_state = in.flag();
  m.resumed = in.flag();
  m.refusal = in.text();
}

void write(WireWriter& out, const PortStates& m) {
  out.count(m.ports.size());
  for (const auto& port : m.ports) {
    out.number(port.port.value);
    out.flag(port.link_up);
    out.bytes({reinterpret_cast<const char*>(port.mac.bytes.data()), 6});
    out.number(port.mtu);
  }
}
void read(WireReader& in, PortStates& m) {
  m.ports.resize(in.count(11, kMaxPortsPerNode));
  for (auto& port : m.ports) {
    port.port.value = in.number<std::uint16_t>();
    port.link_up = in.flag();
    const auto mac = in.bytes(6);
    if (mac.size() == 6) std::memcpy(port.mac.bytes.data(), mac.data(), 6);
    port.mtu = in.number<std::uint16_t>();
    if (port.port.value >= kMaxPortsPerNode) in.fail();
  }
}

template <class EpochAndDigest>
void write_epoch_and_digest(WireWriter& out, const EpochAndDigest& m) {
  out.number(m.epoch.value);
  write(out, m.digest);
}
void write(WireWriter& out, const Prepared& m) {
  write_epoch_and_digest(out, m);
}
void write(WireWriter& out, const Committed& m) {
  write_epoch_and_digest(out, m);
}

template <class EpochAndDigest>
void read_epoch_and_digest(WireReader& in, EpochAndDigest& m) {
  m.epoch = read_epoch(in);
  m.digest = fib::read_digest(in);
}
void read(WireReader& in, Prepared& m) {
  read_epoch_and_digest(in, m);
}
void read(WireReader& in, Committed& m) {
  read_epoch_and_digest(in, m);
}

void write(WireWriter& out, const Refused& m) {
  out.number(m.epoch.value);
  out.text(m.reason);
}
void read(WireReader& in, Refused& m) {
  m.epoch = read_epoch(in);
  m.reason = in.text();
}

constexpr std::array kCounterFields{
    &PlaceCounters::received,    &PlaceCounters::received_bytes, &PlaceCounters::sent,
    &PlaceCounters::punted,      &PlaceCounters::transmitted,    &PlaceCounters::transmitted_bytes,
    &PlaceCounters::direct,      &PlaceCounters::via_relay,      &PlaceCounters::relayed,
    &PlaceCounters::injected,    &PlaceCounters::icmp_sent,      &PlaceCounters::icmp_withheld,
    &PlaceCounters::hellos_sent, &PlaceCounters::hellos_received};
constexpr std::size_t kCounterBytes = 8 * (kCounterFields.size() + kDropReasons);
constexpr std::size_t kMaxLinksPerNode = kMaxNodes - 1;  // no two join the same two nodes

void write(WireWriter& out, const PlaceCounters& counters) {
  for (const auto field : kCounterFields) out.number(counters.*field);
  for (const auto dropped : counters.dropped) out.number(dropped);
}

void read(WireReader& in, PlaceCounters& counters) {
  for (const auto field : kCounterFields) counters.*field = in.number<std::uint64_t>();
  for (auto& dropped : counters.dropped) dropped = in.number<std::uint64_t>();
}

constexpr std::array kQueueFields{&QueueCounters::received, &QueueCounters::sent,
                                  &QueueCounters::punted, &QueueCounters::dropped,
                                  &QueueCounters::transmitted};
using Queues = std::vector<std::vector<QueueCounters>>;

void write(WireWriter& out, const Queues& places) {
  out.count(places.size());
  for (const auto& queues : places) {
    out.count(queues.size());
    for (const auto& queue : queues) {
      for (const auto field : kQueueFields) out.number(queue.*field);
    }
  }
}

Queues read_queues(WireReader& in, std::size_t most_places) {
  Queues places(in.count(4, most_places));
  for (auto& queues : places) {
    queues.resize(in.count(8 * kQueueFields.size()));
    for (auto& queue : queues) {
      for (const auto field : kQueueFields) queue.*field = in.number<std::uint64_t>();
    }
  }
  return places;
}

constexpr std::size_t kEventBytes = 19;

void write(WireWriter& out, const FabricEvent& event) {
  out.number(event.number);
  out.number(static_cast<std::uint8_t>(event.kind));
  out.number(event.link);
  out.number(event.node.value);
  out.number(event.age_ms);
}

void read(WireReader& in, FabricEvent& event) {
  event.number = in.number<std::uint64_t>();
  const auto kind = in.number<std::uint8_t>();
  if (kind >= kFabricEventKinds) in.fail();
  event.kind = static_cast<FabricEventKind>(kind);
  event.link = in.number<std::uint32_t>();
  event.node.value = in.number<std::uint16_t>();
  event.age_ms = in.number<std::uint32_t>();
}

constexpr std::size_t kLinkStatusBytes = 19 + kCounterBytes;

void read(WireReader& in, LinkStatus& link) {
  link.number = in.number<std::uint32_t>();
  link.up = in.flag();
  const auto state = in.number<std::uint8_t>();
  if (state >= kLinkStates) in.fail();
  link.state = static_cast<LinkState>(state);
  link.load = in.number<std::uint8_t>();
  link.delay = in.number<std::uint16_t>();
  link.peer_ready = in.flag();
  link.peer_draining = in.flag();
  link.peer_boot_id = in.number<std::uint64_t>();
  read(in, link.counters);
}

void write(WireWriter& out, const Status& m) {
  write_epoch_and_digest(out, m);
  out.number(m.kept_epoch.value);
  write(out, m.kept_digest);
  out.number(m.uptime_ms);
  out.count(m.ports.size());
  for (const auto& port : m.ports) write(out, port);
  out.count(m.links.size());
  for (const auto& link : m.links) {
    out.number(link.number);
    out.flag(link.up);
    out.number(static_cast<std::uint8_t>(link.state));
    out.number(link.load);
    out.number(link.delay);
    out.flag(link.peer_ready);
    out.flag(link.peer_draining);
    out.number(link.peer_boot_id);
    write(out, link.counters);
  }
  write(out, m.inject);
  write(out, m.generated);
  write(out, m.port_queues);
  write(out, m.link_queues);
  out.count(m.reachable.size());
  for (const bool reachable : m.reachable) out.flag(reachable);
  out.count(m.events.size());
  for (const auto& event : m.events) write(out, event);
  write_mode(out, m.steering.mode);
  out.flag(m.steering.draining);
  out.number(m.steering.flowlet_gap_us);
  out.number(m.steering.moved_early);
}
void read(WireReader& in, Status& m) {
  read_epoch_and_digest(in, m);
  m.kept_epoch = read_epoch(in);
  m.kept_digest = fib::read_digest(in);
  m.uptime_ms = in.number<std::uint64_t>();
  m.ports.resize(in.count(kCounterBytes, kMaxPortsPerNode));
  for (auto& port : m.ports) read(in, port);
  m.links.resize(in.count(kLinkStatusBytes, kMaxLinksPerNode));
  for (auto& link : m.links) read(in, link);
  read(in, m.inject);
  read(in, m.generated);
  m.port_queues = read_queues(in, kMaxPortsPerNode);
  m.link_queues = read_queues(in, kMaxLinksPerNode);
  m.reachable.resize(in.count(1, kMaxNodes));
  for (std::size_t i = 0; i < m.reachable.size(); ++i) m.reachable[i] = in.flag();
  m.events.resize(in.count(kEventBytes, kMaxReportedEvents));
  for (auto& event : m.events) read(in, event);
  m.steering.mode = read_mode(in);
  m.steering.draining = in.flag();
  m.steering.flowlet_gap_us = in.number<std::uint32_t>();
  m.steering.moved_early = in.number<std::uint64_t>();
}

template <class EpochAndContent>
void write_epoch_and_content(WireWriter& out, const EpochAndContent& m) {
  out.number(m.epoch.value);
  write(out, m.content);
}
void write(WireWriter& out, const NodeSnapshot& m) {
  write_epoch_and_content(out, m);
}
void write(WireWriter& out, const PrepareSnapshot& m) {
  write_epoch_and_content(out, m);
}

template <class EpochAndContent>
void read_epoch_and_content(WireReader& in, EpochAndContent& m) {
  m.epoch = read_epoch(in);
  m.content = fib::read_delta(in);
}
void read(WireReader& in, NodeSnapshot& m) {
  read_epoch_and_content(in, m);
}
void read(WireReader& in, PrepareSnapshot& m) {
  read_epoch_and_content(in, m);
}

void write(WireWriter& out, const Welcome& m) {
  out.number(m.self.value);
  out.count(m.node_names.size());
  for (const auto& name : m.node_names) out.text(name);
  out.count(m.ports.size());
  for (const auto& port : m.ports) {
    out.text(port.name);
    out.text(port.device);
    out.number(port.mtu);
    out.number(static_cast<std::uint8_t>(port.urpf));
  }
  out.count(m.links.size());
  for (const auto& link : m.links) {
    out.number(link.a.value);
    out.number(link.b.value);
  }
  out.count(m.link_devices.size());
  for (const auto& device : m.link_devices) out.text(device);
  for (const auto rate : m.node_rates) out.number(rate);
  out.number(m.external_rate);
  for (const auto rate : m.link_rates) out.number(rate);
  write_mode(out, m.mode);
  out.number(m.least_flowlet_gap_us);
  out.number(m.most_flowlet_gap_us);
  out.number(m.fabric_mtu);
  out.number(m.fabric_queues);
  out.number(m.hello.interval_ms);
  out.number(m.hello.multiplier);
  out.text(m.packets);
}
void read(WireReader& in, Welcome& m) {
  m.self.value = in.number<std::uint16_t>();
  m.node_names.resize(in.count(2, kMaxNodes));
  for (auto& name : m.node_names) name = in.text();
  m.ports.resize(in.count(7, kMaxPortsPerNode));
  for (auto& port : m.ports) {
    port.name = in.text();
    port.device = in.text();
    port.mtu = in.number<std::uint16_t>();
    const auto urpf = in.number<std::uint8_t>();
    if (urpf >= topo::kUrpfModes) in.fail();
    port.urpf = static_cast<topo::Urpf>(urpf);
  }
  m.links.resize(in.count(4));
  std::size_t own = 0;
  for (auto& link : m.links) {
    link.a.value = in.number<std::uint16_t>();
    link.b.value = in.number<std::uint16_t>();
    if (link.a == link.b || link.a.value >= m.node_names.size() ||
        link.b.value >= m.node_names.size()) {
      in.fail();
    }
    if (link.a == m.self || link.b == m.self) ++own;
  }
  m.link_devices.resize(in.count(2));
  for (auto& device : m.link_devices) device = in.text();
  m.node_rates.resize(m.node_names.size());
  for (auto& rate : m.node_rates) rate = in.number<std::uint32_t>();
  m.external_rate = in.number<topo::Mbps>();
  m.link_rates.resize(m.link_devices.size());
  for (auto& rate : m.link_rates) rate = in.number<topo::Mbps>();
  m.mode = read_mode(in);
  m.least_flowlet_gap_us = in.number<std::uint32_t>();
  m.most_flowlet_gap_us = in.number<std::uint32_t>();
  m.fabric_mtu = in.number<std::uint16_t>();
  m.fabric_queues = in.number<std::uint16_t>();
  m.hello.interval_ms = in.number<std::uint16_t>();
  m.hello.multiplier = in.number<std::uint8_t>();
  m.packets = in.text();
  if (m.self.value >= m.node_names.size() || m.link_devices.size() != own ||
      m.least_flowlet_gap_us > m.most_flowlet_gap_us || m.fabric_queues == 0 ||
      m.hello.interval_ms == 0 || m.hello.interval_ms > topo::kMostHelloIntervalMs ||
      m.hello.multiplier < topo::kLeastHelloMultiplier ||
      m.hello.multiplier > topo::kMostHelloMultiplier) {
    in.fail();
  }
}

void write(WireWriter& out, const Rejected& m) {
  out.text(m.reason);
}
void read(WireReader& in, Rejected& m) {
  m.reason = in.text();
}

void write(WireWriter& out, const Prepare& m) {
  out.number(m.base.value);
  out.number(m.epoch.value);
  write(out, m.delta);
}
void read(WireReader& in, Prepare& m) {
  m.base = read_epoch(in);
  m.epoch = read_epoch(in);
  m.delta = fib::read_delta(in);
}

void write(WireWriter& out, const Commit& m) {
  out.number(m.epoch.value);
}
void read(WireReader& in, Commit& m) {
  m.epoch = read_epoch(in);
}

void write(WireWriter& out, const Heartbeat& m) {
  out.number(m.epoch.value);
}
void read(WireReader& in, Heartbeat& m) {
  m.epoch = read_epoch(in);
}

void write(WireWriter& out, const LinksDown& m) {
  out.count(m.links.size());
  for (const auto link : m.links) out.number(link);
}
void read(WireReader& in, LinksDown& m) {
  m.links.resize(in.count(4));
  for (auto& link : m.links) link = in.number<std::uint32_t>();
}

void write(WireWriter& out, const VlbSettings& m) {
  write_mode(out, m.mode);
  out.flag(m.draining);
}
void read(WireReader& in, VlbSettings& m) {
  m.mode = read_mode(in);
  m.draining = in.flag();
}

void write(WireWriter& out, const AuditRequest& m) {
  out.number(m.number);
  out.number(m.epoch.value);
  out.count(m.lookups.size());
  for (const auto& lookup : m.lookups) {
    fib::write_address(out, lookup.address);
    out.number(lookup.flow_hash);
  }
}
void read(WireReader& in, AuditRequest& m) {
  m.number = in.number<std::uint64_t>();
  m.epoch = read_epoch(in);
  m.lookups.resize(in.count(9, kMaxAuditLookups));
  for (auto& lookup : m.lookups) {
    lookup.address = fib::read_address(in);
    lookup.flow_hash = in.number<std::uint32_t>();
  }
}

void write(WireWriter& out, const AuditAnswer& m) {
  out.number(m.number);
  out.number(m.epoch.value);
  out.flag(m.has_digest);
  write(out, m.digest);
  out.count(m.outcomes.size());
  for (const auto& outcome : m.outcomes) {
    out.number(static_cast<std::uint8_t>(outcome.kind));
    out.number(outcome.group.value);
    out.number(outcome.adjacency.node.value);
    out.number(outcome.adjacency.index.value);
    out.number(outcome.mtu);
  }
}
void read(WireReader& in, AuditAnswer& m) {
  m.number = in.number<std::uint64_t>();
  m.epoch = read_epoch(in);
  m.has_digest = in.flag();
  m.digest = fib::read_digest(in);
  m.outcomes.resize(in.count(13, kMaxAuditLookups));
  for (auto& outcome : m.outcomes) {
    const auto kind = in.number<std::uint8_t>();
    if (kind >= fib::kGroupKinds) in.fail();
    outcome.kind = static_cast<fib::GroupKind>(kind);
    outcome.group.value = in.number<std::uint32_t>();
    outcome.adjacency.node.value = in.number<std::uint16_t>();
    outcome.adjacency.index.value = in.number<std::uint32_t>();
    outcome.mtu = in.number<std::uint16_t>();
  }
}

void write(WireWriter&, const HelloRequest&) {}
void read(WireReader&, HelloRequest&) {}
void write(WireWriter&, const SnapshotRequest&) {}
void read(WireReader&, SnapshotRequest&) {}

// ---- by number

using ReadOne = Message (*)(WireReader&);

template <std::size_t Index>
Message read_one(WireReader& in) {
  std::variant_alternative_t<Index, Message> m;
  read(in, m);
  return Message(std::move(m));
}

template <std::size_t... Index>
constexpr auto readers(std::index_sequence<Index...>) {
  return std::array<ReadOne, sizeof...(Index)>{&read_one<Index>...};
}
constexpr auto kReaders = readers(std::make_index_sequence<std::variant_size_v<Message>>{});

}  // namespace

std::string encode(const Message& message) {
  WireWriter out;
  out.number(static_cast<std::uint8_t>(message.index() + 1));
  std::visit([&](const auto& m) { write(out, m); }, message);
  return out.take();
}

Result<Message> decode(std::string_view bytes) {
  if (is_oversized(bytes)) {
    return fail("oversized message of " + std::to_string(bytes.size()) + " bytes");
  }
  WireReader in(bytes);
  const std::size_t type = in.number<std::uint8_t>();
  if (type < 1 || type > kReaders.size()) {
    return fail("unknown message type " + std::to_string(type));
  }
  auto message = kReaders[type - 1](in);
  // Only the beginning of a hello is the same in all versions: enough to refuse it by name.
  const auto* hello = std::get_if<Hello>(&message);
  if (hello != nullptr && hello->version != 0 && hello->version != kWireVersion) return message;
  if (!in.ok() || !in.at_end()) {
    return fail("malformed message of type " + std::to_string(type) + ", " +
                std::to_string(bytes.size()) + " bytes");
  }
  return message;
}

}  // namespace rackway::cluster
