// SPDX-License-Identifier: Apache-2.0
// What nodes and controller say to each other, as values; docs/wire_format.md has the bytes.
// decode() is the edge: what it returns is bounded and well-formed, though not yet checked against
// any state (Fib::apply does that).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/id.hh"
#include "base/mac_address.hh"
#include "base/result.hh"
#include "cluster/drop_reason.hh"
#include "cluster/fabric_state.hh"
#include "fib/records.hh"
#include "topo/fabric_table.hh"
#include "topo/hello_config.hh"
#include "topo/rate.hh"
#include "topo/steering_mode.hh"
#include "topo/urpf.hh"

namespace rackway::cluster {

inline constexpr std::uint32_t kHelloMagic = 0x524b5759;  // "RKWY"
inline constexpr std::uint16_t kWireVersion = 4;
inline constexpr std::size_t kMaxMessageBytes = 512u << 20;

// ---- node -> controller

// First message of a node, and again whenever the controller asks who it is.
struct Hello {
  std::uint16_t version{kWireVersion};
  std::string name;
  std::uint64_t boot_id{};  // random, made when the node started
  Epoch epoch;              // of the active FIB
  fib::Digest digest;
  bool draining{};      // it was told to be
  bool keeps_state{};   // on disk, see Status::kept_epoch
  bool resumed{};       // it came up by that, without a controller
  std::string refusal;  // why it did not, if it wanted to
  bool operator==(const Hello&) const = default;
};

struct PortState {
  PortId port;
  bool link_up{};
  MacAddress mac;
  std::uint16_t mtu{};
  bool operator==(const PortState&) const = default;
};

// All external ports of the node; sent when they are ready and when one changes.
struct PortStates {
  std::vector<PortState> ports;
  bool operator==(const PortStates&) const = default;
};

// The epoch is applied to the standby FIB, whose digest this is.
struct Prepared {
  Epoch epoch;
  fib::Digest digest;
  bool operator==(const Prepared&) const = default;
};

// The epoch could not be prepared or committed; the node needs a snapshot.
struct Refused {
  Epoch epoch;
  std::string reason;
  bool operator==(const Refused&) const = default;
};

struct Committed {
  Epoch epoch;
  fib::Digest digest;
  bool operator==(const Committed&) const = default;
};

// What passed one place of a node since it started. received = sent + punted + sum of dropped.
struct PlaceCounters {
  std::uint64_t received{}, received_bytes{};
  std::uint64_t sent{}, punted{};
  std::uint64_t dropped[kDropReasons]{};
  std::uint64_t transmitted{}, transmitted_bytes{};
  std::uint64_t direct{}, via_relay{}, relayed{};  // fabric links: parts of transmitted
  std::uint64_t injected{};                        // external ports: part of transmitted
  // External ports: ICMP errors about packets that came in there, and those that were due but not
  // sent.
  std::uint64_t icmp_sent{}, icmp_withheld{};
  // Fabric links: in none of the above.
  std::uint64_t hellos_sent{}, hellos_received{};
  bool operator==(const PlaceCounters&) const = default;
  [[nodiscard]] std::uint64_t dropped_total() const;
};

// The part of one forwarding core in them.
struct QueueCounters {
  std::uint64_t received{}, sent{}, punted{}, dropped{}, transmitted{};
  bool operator==(const QueueCounters&) const = default;
};

struct LinkStatus {
  std::uint32_t number{};  // of the link in the document
  bool up{};               // the device has a carrier
  LinkState state{};       // by the hellos
  std::uint8_t load{};     // of what leaves here; 200 is the whole rate
  std::uint16_t delay{};   // microseconds to the far end
  bool peer_ready{}, peer_draining{};
  std::uint64_t peer_boot_id{};  // as told in its hellos; 0 if none has come
  PlaceCounters counters;
  bool operator==(const LinkStatus&) const = default;
};

struct SteeringStatus {
  topo::SteeringMode mode{};
  bool draining{};
  std::uint32_t flowlet_gap_us{};  // the largest of all egress nodes
  std::uint64_t moved_early{};     // flowlets that left a dead path before their gap
  bool operator==(const SteeringStatus&) const = default;
};

// Sent several times a second; also the node's heartbeat.
struct Status {
  Epoch epoch;
  fib::Digest digest;
  Epoch kept_epoch;  // the oldest that a restart may bring back, and its digest; 0: not known
  fib::Digest kept_digest;
  std::uint64_t uptime_ms{};
  std::vector<PlaceCounters> ports;  // by PortId
  std::vector<LinkStatus> links;     // in the document's order
  PlaceCounters inject;              // frames from the controller
  PlaceCounters generated;           // frames that the node made: ICMP errors, fragments
  std::vector<std::vector<QueueCounters>> port_queues, link_queues;  // as above, by core
  std::vector<bool> reachable;      // by NodeId: a frame can get there
  std::vector<FabricEvent> events;  // the last, oldest first, at most kMaxReportedEvents
  SteeringStatus steering;
  bool operator==(const Status&) const = default;
};

// Answer to SnapshotRequest: the active FIB.
struct NodeSnapshot {
  Epoch epoch;
  fib::Delta content;
  bool operator==(const NodeSnapshot&) const = default;
};

// What the forwarding cores find for an address that was asked for.
struct AuditOutcome {
  static constexpr GroupId kNoGroup{0xffffffff};  // no route covers the address
  fib::GroupKind kind{};
  GroupId group{kNoGroup};
  fib::AdjacencyKey adjacency;  // for that flow; this and the MTU only of kind forward
  std::uint16_t mtu{};
  bool operator==(const AuditOutcome&) const = default;
};

// Answer to AuditRequest, of the active FIB.
struct AuditAnswer {
  std::uint64_t number{};  // of the request
  Epoch epoch;             // if it is not the one that was asked for, there are no outcomes
  bool has_digest{};       // false: another epoch was committed before it was through
  fib::Digest digest;      // from scratch, of the records as they are stored
  std::vector<AuditOutcome> outcomes;  // as the request's lookups
  bool operator==(const AuditAnswer&) const = default;
};

// ---- controller -> node

struct PortSetup {
  std::string name, device;
  std::uint16_t mtu{};
  topo::Urpf urpf{topo::Urpf::off};
  bool operator==(const PortSetup&) const = default;
};

// What a node needs of the cluster document.
struct Welcome {
  NodeId self;
  std::vector<std::string> node_names;    // by NodeId
  std::vector<PortSetup> ports;           // by PortId, this node's
  std::vector<topo::LinkEnds> links;      // all, in the document's order
  std::vector<std::string> link_devices;  // this node's end of each of its own links, in order
  std::vector<std::uint32_t> node_rates;  // by NodeId: how much enters the cluster there
  topo::Mbps external_rate{};             // of this node; 0 if unknown
  std::vector<topo::Mbps> link_rates;     // of its own links, in order; 0 if unknown
  topo::SteeringMode mode{};
  std::uint32_t least_flowlet_gap_us{}, most_flowlet_gap_us{};
  std::uint16_t fabric_mtu{1500};  // the largest of all ports of the cluster
  std::uint16_t fabric_queues{1};  // that every fabric link has each way
  topo::HelloConfig hello;
  std::string packets;  // ZeroMQ endpoint for punt and inject
  bool operator==(const Welcome&) const = default;
};

// The node may not take part: unknown name, other wire version.
struct Rejected {
  std::string reason;
  bool operator==(const Rejected&) const = default;
};

// "I do not know you (any more): say hello."
struct HelloRequest {
  bool operator==(const HelloRequest&) const = default;
};

// Apply the delta to the FIB of epoch base, in the standby copy.
struct Prepare {
  Epoch base, epoch;
  fib::Delta delta;
  bool operator==(const Prepare&) const = default;
};

// Replace the whole content, in the standby copy.
struct PrepareSnapshot {
  Epoch epoch;
  fib::Delta content;
  bool operator==(const PrepareSnapshot&) const = default;
};

struct Commit {
  Epoch epoch;
  bool operator==(const Commit&) const = default;
};

struct SnapshotRequest {
  bool operator==(const SnapshotRequest&) const = default;
};

// How to take part in the fabric from now on. Sent after each Welcome, and when it changes.
struct VlbSettings {
  topo::SteeringMode mode{};
  bool draining{};  // relay nothing
  bool operator==(const VlbSettings&) const = default;
};

// Sent a few times a second, so that a node knows that its controller is there.
struct Heartbeat {
  Epoch epoch;  // the cluster's
  bool operator==(const Heartbeat&) const = default;
};

// Those fabric links, by their numbers, are down and no others: shortest paths are to be found
// without them. Sent to all nodes of a fabric that is no mesh.
struct LinksDown {
  std::vector<std::uint32_t> links;
  bool operator==(const LinksDown&) const = default;
};

struct AuditLookup {
  IpAddress address;
  std::uint32_t flow_hash{};
  bool operator==(const AuditLookup&) const = default;
};
inline constexpr std::size_t kMaxAuditLookups = 64;

// What do you forward by? Asked of a node that has that epoch.
struct AuditRequest {
  std::uint64_t number{};
  Epoch epoch;
  std::vector<AuditLookup> lookups;  // at most kMaxAuditLookups
  bool operator==(const AuditRequest&) const = default;
};

// The number of a message's type on the wire is its index here plus 1: append only.
using Message =
    std::variant<Hello, PortStates, Prepared, Refused, Committed, Status, NodeSnapshot, Welcome,
                 Rejected, HelloRequest, Prepare, PrepareSnapshot, Commit, SnapshotRequest,
                 Heartbeat, LinksDown, VlbSettings, AuditRequest, AuditAnswer>;

[[nodiscard]] std::string encode(const Message& message);
// A message of another version than ours decodes only as far as Hello's version; see Hello.
[[nodiscard]] Result<Message> decode(std::string_view bytes);

// ---- packets (their own channel, both directions)

struct PacketFrame {
  PortId port;             // where it came in (punt) or goes out (inject)
  PuntClass punt_class{};  // punt only
  std::string_view bytes;  // whole Ethernet frame, tag in line, 14..kMaxFrameBytes
  bool operator==(const PacketFrame&) const = default;
};
inline constexpr std::size_t kMaxFrameBytes = 9216 + 18;  // of IP, Ethernet header and one tag

void append_frame(std::string& batch, const PacketFrame& frame);
// Frames point into the batch. An error when any part of it is malformed.
[[nodiscard]] Result<std::vector<PacketFrame>> split_frames(std::string_view batch);

}  // namespace rackway::cluster
