// SPDX-License-Identifier: Apache-2.0
#include "control/cli/tables.hh"

#include <algorithm>

namespace rackway::cli {
namespace {

Table cluster() {
  return {"cluster",
          false,
          true,
          {{"name", "name", Print::text},
           {"epoch", "epoch", Print::number},
           {"digest", "digest", Print::text},
           {"nodes", "nodes", Print::number},
           {"nodes_up", "nodes_up", Print::number},
           {"nodes_in_sync", "nodes_in_sync", Print::number},
           {"ipv4_routes", "ipv4_routes", Print::number},
           {"ipv6_routes", "ipv6_routes", Print::number},
           {"groups", "groups", Print::number},
           {"adjacencies", "adjacencies", Print::number},
           {"routes_cut_short", "routes_cut_short", Print::number},
           {"uptime_s", "uptime_s", Print::number},
           {"settled", "settled", Print::text},
           {"vlb_mode", "vlb_mode", Print::text},
           {"waiting_static_routes", "waiting_static_routes", Print::sentences}}};
}

Table nodes() {
  return {"nodes",
          true,
          false,
          {{"NAME", "name", Print::text},
           {"ID", "id", Print::number},
           {"STATE", "state", Print::text},
           {"IN_SYNC", "in_sync", Print::text},
           {"EPOCH", "epoch", Print::number},
           {"DIGEST", "digest", Print::text},
           {"PORTS", "ports", Print::number},
           {"GENERATED", "generated", Print::number},
           {"VLB_MODE", "vlb_mode", Print::text},
           {"DRAINING", "draining", Print::text},
           {"GAP_US", "flowlet_gap_us", Print::number},
           {"MOVED_EARLY", "moved_early", Print::number},
           {"UPTIME_S", "uptime_s", Print::number},
           {"BOOT_ID", "boot_id", Print::text},
           {"CANNOT_REACH", "cannot_reach", Print::list}}};
}

Table ports() {
  return {"ports",
          true,
          false,
          {{"NAME", "name", Print::text},
           {"LINK", "link", Print::text},
           {"MAC", "mac", Print::text},
           {"MTU", "mtu", Print::number},
           {"RECEIVED", "received", Print::number},
           {"SENT", "sent", Print::number},
           {"PUNTED", "punted", Print::number},
           {"DROPPED", "dropped", Print::number},
           {"INJECTED", "injected", Print::number},
           {"ICMP_SENT", "icmp_sent", Print::number},
           {"ICMP_WITHHELD", "icmp_withheld", Print::number},
           {"TRANSMITTED", "transmitted", Print::number},
           {"RECEIVED_BYTES", "received_bytes", Print::number},
           {"TRANSMITTED_BYTES", "transmitted_bytes", Print::number},
           {"ADDRESSES", "addresses", Print::list},
           {"DEVICE", "device", Print::text}}};
}

Table queues() {
  return {"queues",
          true,
          false,
          {{"NODE", "node", Print::text},
           {"PLACE", "place", Print::text},
           {"CORE", "core", Print::number},
           {"RECEIVED", "received", Print::number},
           {"SENT", "sent", Print::number},
           {"PUNTED", "punted", Print::number},
           {"DROPPED", "dropped", Print::number},
           {"TRANSMITTED", "transmitted", Print::number}}};
}

Table interfaces() {
  return {"interfaces",
          true,
          false,
          {{"NAME", "name", Print::text},
           {"PORT", "port", Print::text},
           {"VLAN", "vlan", Print::number},
           {"STATE", "state", Print::text},
           {"MTU", "mtu", Print::number},
           {"ADDRESSES", "addresses", Print::list}}};
}

Table fabric() {
  return {"fabric",
          true,
          false,
          {{"NODE", "node", Print::text},
           {"PEER", "peer", Print::text},
           {"LINK", "link", Print::number},
           {"STATE", "state", Print::text},
           {"CARRIER", "carrier", Print::text},
           {"READY", "peer_ready", Print::text},
           {"DRAINING", "peer_draining", Print::text},
           {"LOAD_%", "load_percent", Print::number},
           {"DELAY_US", "delay_us", Print::number},
           {"RECEIVED", "received", Print::number},
           {"SENT", "sent", Print::number},
           {"PUNTED", "punted", Print::number},
           {"DROPPED", "dropped", Print::number},
           {"DIRECT", "direct", Print::number},
           {"VIA_RELAY", "via_relay", Print::number},
           {"RELAYED", "relayed", Print::number},
           {"TRANSMITTED", "transmitted", Print::number},
           {"HELLOS_SENT", "hellos_sent", Print::number},
           {"HELLOS_RECEIVED", "hellos_received", Print::number},
           {"PEER_BOOT_ID", "peer_boot_id", Print::text}}};
}

Table events() {
  return {"events",
          true,
          false,
          {{"AGE_S", "age_s", Print::number},
           {"SEEN_BY", "seen_by", Print::text},
           {"NUMBER", "number", Print::number},
           {"NODE", "node", Print::text},
           {"EVENT", "event", Print::text}}};
}

Table routes() {
  return {"routes",
          true,
          false,
          {{"PREFIX", "prefix", Print::text},
           {"KIND", "kind", Print::text},
           {"PROTOCOL", "protocol", Print::text},
           {"GROUP", "group", Print::number},
           {"STALE", "stale", Print::text},
           {"NEXT_HOPS", "next_hops", Print::next_hops}}};
}

Table rib() {
  return {"rib",
          true,
          false,
          {{"PREFIX", "prefix", Print::text},
           {"SOURCE", "source", Print::text},
           {"ORIGIN", "origin", Print::text},
           {"DISTANCE", "distance", Print::number},
           {"STATE", "state", Print::text},
           {"KIND", "kind", Print::text},
           {"VIA", "via", Print::list},
           {"RESOLVED", "resolved", Print::list}}};
}

Table sources() {
  return {"sources",
          false,
          false,
          {{"SOURCE", "source", Print::text},
           {"STATE", "state", Print::text},
           {"ROUTES", "routes", Print::number},
           {"WAITING", "waiting", Print::number},
           {"STALE", "stale", Print::number},
           {"SWEPT", "swept", Print::number},
           {"OBJECTS", "next_hop_objects", Print::number},
           {"CONNECTIONS", "connections", Print::number},
           {"MESSAGES", "messages", Print::number},
           {"MALFORMED", "malformed", Print::number},
           {"IGNORED", "ignored", Print::number},
           {"RESYNCS", "resyncs", Print::number},
           {"OVERRUNS", "overruns", Print::number}}};
}

Table security() {
  return {"security",
          true,
          false,
          {{"NODE", "node", Print::text},
           {"STATE", "state", Print::text},
           {"KEYS", "keys", Print::number},
           {"ADMITTED", "admitted", Print::number},
           {"REVOKED", "refused_revoked", Print::number},
           {"UNKNOWN", "refused_unknown", Print::number},
           {"HANDSHAKES", "failed_handshakes", Print::number},
           {"OTHER_NAME", "other_name", Print::number},
           {"MALFORMED", "malformed", Print::number},
           {"OVERSIZED", "oversized", Print::number},
           {"IGNORED", "ignored", Print::number},
           {"LAST_ADDRESS", "last_address", Print::text},
           {"LAST_KEY", "last_key", Print::text}}};
}

Table audit() {
  return {"audit",
          false,
          false,
          {{"CHECK", "check", Print::text},
           {"NODE", "node", Print::text},
           {"AGE_S", "age_s", Print::number},
           {"RUNS", "runs", Print::number},
           {"DIFFERENCES", "differences", Print::number},
           {"REPAIRED", "repaired", Print::number},
           {"UNFINISHED", "unfinished", Print::number},
           {"RESULT", "result", Print::text}}};
}

Table adjacencies() {
  return {"adjacencies",
          true,
          false,
          {{"NODE", "node", Print::text},
           {"INDEX", "index", Print::number},
           {"INTERFACE", "interface", Print::text},
           {"NEXT_HOP", "next_hop", Print::text},
           {"MAC", "mac", Print::text},
           {"MTU", "mtu", Print::number}}};
}

Table drops() {
  return {"drops",
          true,
          false,
          {{"NODE", "node", Print::text},
           {"PORT", "port", Print::text},
           {"REASON", "reason", Print::text},
           {"PACKETS", "packets", Print::number}}};
}

}  // namespace

const std::vector<Table>& tables() {
  static const std::vector<Table> all{cluster(), nodes(),  ports(),    interfaces(),  fabric(),
                                      routes(),  rib(),    sources(),  adjacencies(), drops(),
                                      queues(),  events(), security(), audit()};
  return all;
}

const Table* find_table(const std::string& name) {
  const auto found = std::find_if(tables().begin(), tables().end(),
                                  [&](const Table& table) { return table.name == name; });
  return found == tables().end() ? nullptr : &*found;
}

}  // namespace rackway::cli
