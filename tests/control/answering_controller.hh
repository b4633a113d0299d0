// SPDX-License-Identifier: Apache-2.0
// What the API answers from, filled in by hand: a document of two nodes, a coordinator that has
// published the builder's FIB to node 0, and reports of both nodes. Node 1 has restarted since.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "control/api.hh"
#include "tests/control/fake_kernel.hh"
#include "tests/control/quiet_log.hh"

namespace rackway::control::testing {

inline const topo::ClusterDocument kDocument{
    .name = "lab",
    .nodes = {{"n1", {{"p0", "net_tap0", 1500}, {"p1", "net_tap1", 9000}}},
              {"n2", {{"p0", "net_tap2", 1500}, {"p1", "net_tap3", 1500}}}},
    .links = {{{1}, {0}, "net_memif0", "net_memif1"}}};

struct AnsweringController {
  using Json = nlohmann::json;
  using Clock = EpochCoordinator::Clock;

  AnsweringController()
      : coordinator(
            {"n1", "n2"}, [](NodeId, const auto&) { return true; }, now),
        reports(kNodes) {
    quiet_log();
    start_builder();
    fill_kernel();
    join({0}, 0x0123456789abcdef);
    join({1}, 2);
    coordinator.tick(now);
    publish();
    join({1}, 3);
    fill_reports();
  }

  void start_builder() {
    builder.emplace(kNodes, kernel.view());
    for (const auto& [ifindex, port] : kPorts) builder->bind(ifindex, port);
  }
  void join(NodeId node, std::uint64_t boot_id) {
    coordinator.on(node, cluster::Hello{.boot_id = boot_id}, now);
  }
  void publish() {
    builder->take(kernel.take_changes());
    while (builder->changed()) publish_epoch();
  }
  void publish_epoch() {
    const auto epoch = coordinator.next_epoch();
    const auto delta = builder->take_delta(coordinator.content(), epoch);
    ASSERT_TRUE(coordinator.propose(delta, now));
    const auto digest = coordinator.content().digest();
    for (const NodeId node : {NodeId{0}, NodeId{1}}) {
      coordinator.on(node, cluster::Prepared{epoch, digest}, now);
    }
    for (const NodeId node : {NodeId{0}, NodeId{1}}) {
      coordinator.on(node, cluster::Committed{epoch, digest}, now);
    }
    ASSERT_TRUE(coordinator.ready());
  }

  void fill_kernel() {
    kernel.connect(kPort00, "10.0.1.1", 24);
    kernel.add(KernelAddress{ifindex_of(kPort00), ip("fe80::1"), 64});
    kernel.neighbor(kPort00, "10.0.1.2", 2);
    kernel.neighbor(kPort11, "10.0.4.2", 4);
    kernel.route("0.0.0.0/0", unicast({via(kPort00, "10.0.1.2"), via(kPort11, "10.0.4.2", 3)}));
    kernel.route("198.51.100.0/24", of_type(KernelRouteType::blackhole));
    kernel.route("2001:db8::/32", of_type(KernelRouteType::prohibit));
  }

  void fill_reports() {
    auto& report = reports[0];
    report.ports = {{{0}, true, mac(100), 1500}, {{1}, false, mac(101), 9000}};
    report.status.uptime_ms = 61999;
    report.status.ports.resize(2);
    report.status.ports[0] = {.received = 100,
                              .received_bytes = 6400,
                              .sent = 90,
                              .punted = 3,
                              .transmitted = 55,
                              .transmitted_bytes = 5500,
                              .injected = 5,
                              .icmp_sent = 8,
                              .icmp_withheld = 2};
    report.status.ports[0].dropped[static_cast<int>(cluster::DropReason::no_route)] = 6;
    report.status.ports[0].dropped[static_cast<int>(cluster::DropReason::foreign_mac)] = 1;
    cluster::LinkStatus link{.number = 0,
                             .up = true,
                             .state = cluster::LinkState::up,
                             .load = 101,
                             .delay = 37,
                             .peer_ready = true,
                             .peer_boot_id = 0xabc,
                             .counters = {.received = 20,
                                          .sent = 17,
                                          .punted = 2,
                                          .transmitted = 12,
                                          .direct = 7,
                                          .via_relay = 3,
                                          .relayed = 2,
                                          .hellos_sent = 40,
                                          .hellos_received = 39}};
    link.counters.dropped[static_cast<int>(cluster::DropReason::adjacency_unknown)] = 1;
    report.status.links = {link};
    report.status.port_queues = {{{40, 30, 3, 7, 15}, {60, 60, 0, 0, 40}}};
    report.status.link_queues = {{{20, 17, 2, 1, 12}}};
    report.status.reachable = {true, false};
    vlb_orders.set_draining(NodeId{1}, true);
    report.status.generated.received = 14;
    report.status.steering = {topo::SteeringMode::valiant, true, 700, 12};
    report.status.generated.dropped[static_cast<int>(cluster::DropReason::adjacency_unknown)] = 3;
    report.status.inject.dropped[static_cast<int>(cluster::DropReason::inject_malformed)] = 9;
  }

  [[nodiscard]] std::string answer(const std::string& request) const {
    return answer_api({.document = kDocument,
                       .coordinator = coordinator,
                       .builder = *builder,
                       .reports = reports,
                       .events = events,
                       .vlb_orders = vlb_orders,
                       .settled = false,
                       .uptime = std::chrono::milliseconds(3999),
                       .waiting_static_routes = waiting_static_routes,
                       .conduct = &conduct,
                       .audit = &audit},
                      request);
  }
  [[nodiscard]] Json ask(const Json& request) const {
    const auto text = answer(request.dump());
    EXPECT_TRUE(Json::accept(text)) << text;
    return Json::parse(text, nullptr, false);
  }
  // Rows of a table, or of one name in it.
  [[nodiscard]] Json rows(const std::string& table) const { return rows_of({{"show", table}}); }
  [[nodiscard]] Json rows(const std::string& table, const std::string& name) const {
    return rows_of({{"show", table}, {"name", name}});
  }
  [[nodiscard]] Json rows_of(const Json& request) const {
    const auto answered = ask(request);
    EXPECT_EQ(answered.value("ok", false), true) << answered;
    EXPECT_EQ(answered.size(), 2u) << answered;
    return answered.value("rows", Json());
  }
  // The error, which is all that there is besides "ok".
  [[nodiscard]] std::string error(const std::string& request) const {
    const auto answered = Json::parse(answer(request), nullptr, false);
    EXPECT_TRUE(answered.is_object());
    EXPECT_EQ(answered.size(), 2u);
    EXPECT_EQ(answered.value("ok", true), false);
    return answered.value("error", "");
  }

  Clock::time_point now{std::chrono::hours(1)};
  FakeKernel kernel;
  std::optional<FibBuilder> builder;
  EpochCoordinator coordinator;
  std::vector<NodeReport> reports;
  EventLog events{kDocument};
  PeerConduct conduct{kNodes};
  Audit audit{std::chrono::seconds(60), ContentAudit(coordinator, *builder, events),
              NodeAudit(
                  {"n1", "n2"}, coordinator, events, [](NodeId, const auto&) { return true; }, 1),
              coordinator};
  VlbOrders vlb_orders{topo::SteeringMode::adaptive, kNodes};
  std::vector<std::string> waiting_static_routes{"203.0.113.0/24: no such subnet"};
};

}  // namespace rackway::control::testing
