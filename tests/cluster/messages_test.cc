// SPDX-License-Identifier: Apache-2.0
#include "cluster/messages.hh"

#include <gtest/gtest.h>

#include <random>

#include "cluster/message_bounds.hh"

namespace rackway::cluster {
namespace {

std::string octets(std::initializer_list<int> values) {
  std::string out;
  for (const int value : values) out.push_back(static_cast<char>(value));
  return out;
}

IpAddress ip(const char* text) {
  return *IpAddress::parse(text);
}
IpPrefix prefix(const char* text) {
  return *IpPrefix::parse(text);
}

fib::Delta example_delta() {
  using namespace fib;
  Delta delta;
  delta.adjacencies = {{{NodeId{1}, AdjacencyId{7}},
                        PortId{2},
                        VlanId{},
                        *MacAddress::parse("02:00:00:00:00:05"),
                        1500,
                        ip("10.0.0.5")},
                       {{NodeId{2}, AdjacencyId{0xfffffe}},
                        PortId{255},
                        VlanId{4094},
                        *MacAddress::parse("02:00:00:00:00:06"),
                        9216,
                        ip("fe80::6")}};
  delta.groups = {{GroupId{3}, GroupKind::forward, {{{NodeId{1}, AdjacencyId{7}}, 300}}},
                  {GroupId{4}, GroupKind::blackhole, {}}};
  delta.routes = {{prefix("0.0.0.0/0"), GroupId{4}}, {prefix("2001:db8::1/128"), GroupId{3}}};
  delta.addresses = {{NodeId{1}, PortId{2}, VlanId{100}, ip("10.0.0.1"), 24}};
  delta.removed_adjacencies = {{NodeId{4095}, AdjacencyId{1}}};
  delta.removed_groups = {GroupId{9}};
  delta.removed_routes = {prefix("192.0.2.0/24")};
  delta.removed_addresses = {{NodeId{0}, PortId{0}, VlanId{}, ip("2001:db8::2"), 64}};
  return delta;
}

std::vector<Message> one_of_each() {
  Status status{
      .epoch = {5}, .digest = {1, 2}, .kept_epoch = {4}, .kept_digest = {7, 8}, .uptime_ms = 99};
  status.ports.resize(2);
  status.ports[1].received = 17;
  status.ports[1].dropped[kDropReasons - 1] = 3;
  status.links.push_back({.number = 4,
                          .up = true,
                          .state = LinkState::flapping,
                          .load = 201,
                          .delay = 0x1234,
                          .peer_draining = true,
                          .peer_boot_id = 0x0807060504030201});
  status.links[0].counters.hellos_received = 11;
  status.reachable = {true, false, true};
  status.events = {{12, FabricEventKind::node_restarted, 4, NodeId{2}, 7},
                   {13, FabricEventKind::link_up, 4, NodeId{2}, 6}};
  status.ports[1].icmp_sent = 4;
  status.ports[0].icmp_withheld = 5;
  status.inject.sent = 6;
  status.generated.received = 8;
  status.port_queues = {{{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}}, {{}, {}}};
  status.link_queues = {{{.transmitted = 11}, {}}};
  status.steering = {topo::SteeringMode::valiant, true, 700, 0x1'0000'0002};
  const Welcome welcome{.self = NodeId{1},
                        .node_names = {"n1", "n2"},
                        .ports = {{"p0", "net_null0", 1500, topo::Urpf::strict}},
                        .links = {{NodeId{0}, NodeId{1}}},
                        .link_devices = {"net_memif0"},
                        .node_rates = {100'000, 40'000},
                        .external_rate = 100'000,
                        .link_rates = {25'000},
                        .mode = topo::SteeringMode::valiant,
                        .least_flowlet_gap_us = 500,
                        .most_flowlet_gap_us = 70'000,
                        .fabric_mtu = 9000,
                        .fabric_queues = 2,
                        .hello = {50, 4},
                        .packets = "tcp://127.0.0.1:7601"};
  return {Hello{kWireVersion, "n1", 0x1122334455667788, {9}, {3, 4}, true, true, true, "damaged"},
          PortStates{{{PortId{1}, true, *MacAddress::parse("02:00:00:00:00:01"), 1500}}},
          Prepared{{8}, {5, 6}},
          Refused{{8}, "because"},
          Committed{{8}, {5, 6}},
          status,
          NodeSnapshot{{8}, example_delta()},
          welcome,
          Rejected{"no"},
          HelloRequest{},
          Prepare{{7}, {8}, example_delta()},
          PrepareSnapshot{{8}, example_delta()},
          Commit{{8}},
          SnapshotRequest{},
          Heartbeat{{8}},
          LinksDown{{0, 0x01020304}},
          VlbSettings{topo::SteeringMode::direct, true},
          AuditRequest{3, {8}, {{ip("10.0.0.5"), 7}, {ip("2001:db8::1"), 0xffffffff}}},
          AuditAnswer{3,
                      {8},
                      true,
                      {5, 6},
                      {{fib::GroupKind::forward, {3}, {NodeId{1}, AdjacencyId{7}}, 1500},
                       {fib::GroupKind::unreachable, AuditOutcome::kNoGroup, {}, 0}}}};
}

TEST(Messages, EachIsReadBackAsWritten) {
  const auto all = one_of_each();
  ASSERT_EQ(all.size(), std::variant_size_v<Message>);
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(all[i].index(), i);
    const auto back = decode(encode(all[i]));
    ASSERT_TRUE(back) << back.error().message;
    EXPECT_TRUE(*back == all[i]) << "type " << i + 1;
  }
}

TEST(Messages, GoldenLinksDown) {
  EXPECT_EQ(encode(LinksDown{{5, 0x01020304}}), octets({16, 0, 0, 0, 2, 0, 0, 0, 5, 1, 2, 3, 4}));
}

TEST(Messages, GoldenHello) {
  EXPECT_EQ(encode(Hello{4, "n1", 0x0102030405060708, {9}, {3, 4}, true, true, false, "no"}),
            octets({1, 'R', 'K', 'W', 'Y', 0, 4, 0, 2, 'n', '1',  //
                    1, 2,   3,   4,   5,   6, 7, 8,               // boot id
                    0, 0,   0,   0,   0,   0, 0, 9,               // epoch
                    0, 0,   0,   0,   0,   0, 0, 3, 0, 0,   0,   0,
                    0, 0,   0,   4,   1,   1, 0, 0, 2, 'n', 'o'}));  // keeps its state, has not
                                                                     // come up by it, why
}

TEST(Messages, GoldenStatusBeginsWithWhatIsHeldAndKept) {
  const Status status{.epoch = {9}, .digest = {3, 4}, .kept_epoch = {8}, .kept_digest = {5, 6}};
  EXPECT_EQ(encode(status).substr(0, 1 + 2 * 24),
            octets({6,                                                                       //
                    0, 0, 0, 0, 0, 0, 0, 9,                                                  //
                    0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 8,  //
                    0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6}));
}

TEST(Messages, GoldenCommit) {
  EXPECT_EQ(encode(Commit{{0x0a0b}}), octets({13, 0, 0, 0, 0, 0, 0, 0x0a, 0x0b}));
}

TEST(Messages, GoldenVlbSettings) {
  EXPECT_EQ(encode(VlbSettings{topo::SteeringMode::direct_vlb, true}), octets({17, 3, 1}));
  EXPECT_EQ(encode(VlbSettings{}), octets({17, 0, 0}));
  EXPECT_FALSE(decode(octets({17, 4, 0})));
  EXPECT_FALSE(decode(octets({17, 0, 2})));
}

TEST(Messages, GoldenAuditRequest) {
  EXPECT_EQ(encode(AuditRequest{3, {8}, {{ip("10.0.0.5"), 0x01020304}}}),
            octets({18, 0, 0, 0, 0, 0,  0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 8,  //
                    0,  0, 0, 1, 4, 10, 0, 0, 5, 1, 2, 3, 4}));
}

TEST(Messages, GoldenAuditAnswer) {
  const AuditAnswer answer{
      3, {8}, true, {5, 6}, {{fib::GroupKind::forward, {9}, {NodeId{1}, AdjacencyId{7}}, 1500}}};
  EXPECT_EQ(encode(answer), octets({19, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0, 8,   1,  //
                                    0,  0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 6,          //
                                    0,  0, 0, 1, 0, 0, 0, 0, 9, 0, 1, 0, 0, 0, 7, 5, 0xdc}));
}

TEST(Messages, AnAuditIsBounded) {
  AuditRequest request{.lookups = std::vector<AuditLookup>(kMaxAuditLookups)};
  AuditAnswer answer{.outcomes = std::vector<AuditOutcome>(kMaxAuditLookups)};
  EXPECT_TRUE(decode(encode(request)));
  EXPECT_TRUE(decode(encode(answer)));
  answer.outcomes[0].kind = static_cast<fib::GroupKind>(fib::kGroupKinds);
  EXPECT_FALSE(decode(encode(answer)));
  answer.outcomes.assign(kMaxAuditLookups + 1, {});
  EXPECT_FALSE(decode(encode(answer)));
  request.lookups.emplace_back();
  EXPECT_FALSE(decode(encode(request)));
}

TEST(Messages, GoldenPrepare) {
  fib::Delta delta;
  delta.adjacencies = {{{NodeId{1}, AdjacencyId{7}},
                        PortId{2},
                        VlanId{300},
                        *MacAddress::parse("02:00:00:00:00:05"),
                        1500,
                        ip("10.0.0.5")}};
  delta.groups = {{GroupId{3}, fib::GroupKind::forward, {{{NodeId{1}, AdjacencyId{7}}, 300}}}};
  delta.routes = {{prefix("10.0.0.0/8"), GroupId{3}}};
  EXPECT_EQ(
      encode(Prepare{{1}, {2}, delta}),
      octets(
          {11, 0,  0, 0, 0, 0, 0, 0, 1, 0,  0, 0, 0, 0, 0,  0, 2, 0,    0, 0,  1,  // one adjacency
           0,  1,  0, 0, 0, 7, 0, 2, 1, 44, 2, 0, 0, 0, 0,  5, 5, 0xdc, 4, 10, 0,
           0,  5,  0, 0, 0, 1,                                              // one group
           0,  0,  0, 3, 0, 0, 1, 0, 1, 0,  0, 0, 7, 1, 44, 0, 0, 0,    1,  // one route
           4,  10, 0, 0, 0, 8, 0, 0, 0, 3,  0, 0, 0, 0, 0,  0, 0, 0,    0, 0,  0,
           0,  0,  0, 0, 0, 0, 0, 0, 0}));
}

TEST(Messages, EveryTruncationAndEveryTrailingByteIsRefused) {
  for (const auto& message : one_of_each()) {
    const auto bytes = encode(message);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
      EXPECT_FALSE(decode(bytes.substr(0, size))) << "type " << message.index() + 1 << " " << size;
    }
    EXPECT_FALSE(decode(bytes + '\0')) << "type " << message.index() + 1;
  }
}

TEST(Messages, UnknownTypesAreRefused) {
  EXPECT_FALSE(decode(""));
  EXPECT_FALSE(decode(octets({0})));
  EXPECT_FALSE(decode(octets({20})));
  EXPECT_FALSE(decode(octets({255})));
}

TEST(Messages, HostileCountsDoNotAllocate) {
  // A snapshot that claims 4,294,967,295 adjacencies and ends there.
  const auto result = decode(octets({12, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff}));
  EXPECT_FALSE(result);
}

// Whole lists, one element longer than a node can have.
TEST(Messages, MorePortsOrLinksThanANodeCanHaveAreRefused) {
  const auto decodes = [](const Message& message) { return decode(encode(message)).has_value(); };
  Status status;
  status.ports.resize(kMaxPortsPerNode);
  status.links.resize(kMaxNodes - 1);
  EXPECT_TRUE(decodes(status));
  status.ports.emplace_back();
  EXPECT_FALSE(decodes(status));
  status.ports.clear();
  status.links.emplace_back();
  EXPECT_FALSE(decodes(status));
  status.links.clear();
  status.port_queues.resize(kMaxPortsPerNode + 1);
  EXPECT_FALSE(decodes(status));
  PortStates states{std::vector<PortState>(kMaxPortsPerNode)};
  EXPECT_TRUE(decodes(states));
  states.ports.emplace_back();
  EXPECT_FALSE(decodes(states));
}

TEST(Messages, MoreNodesOrPortsThanAClusterCanHaveAreRefused) {
  const auto decodes = [](const Message& message) { return decode(encode(message)).has_value(); };
  Welcome welcome{.node_names = std::vector<std::string>(kMaxNodes),
                  .ports = std::vector<PortSetup>(kMaxPortsPerNode),
                  .node_rates = std::vector<std::uint32_t>(kMaxNodes)};
  EXPECT_TRUE(decodes(welcome));
  welcome.ports.emplace_back();
  EXPECT_FALSE(decodes(welcome));
  welcome.ports.clear();
  welcome.node_names.emplace_back();
  welcome.node_rates.emplace_back();
  EXPECT_FALSE(decodes(welcome));
}

// All that a status says of a link but its counters, of which only the last hellos are not 0.
TEST(Messages, GoldenLinkStatus) {
  Status status;
  status.links.push_back({.number = 4,
                          .up = true,
                          .state = LinkState::one_way,
                          .load = 200,
                          .delay = 0x1234,
                          .peer_ready = true,
                          .peer_boot_id = 0x0807060504030201});
  status.reachable = {true, false};
  status.events = {{12, FabricEventKind::link_one_way, 4, NodeId{2}, 7}};
  const auto bytes = encode(status);
  const std::size_t link = 1 + 2 * (8 + 16) + 8 + 4 + 4;
  EXPECT_EQ(bytes.substr(link, 19),
            octets({0, 0, 0, 4, 1, 3, 200, 0x12, 0x34, 1, 0, 8, 7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(bytes.substr(bytes.size() - 29 - 14, 29),                    // steering is behind it
            octets({0, 0, 0, 2, 1, 0,                                    // reachable
                    0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 12, 2, 0, 0, 0, 4,  // event
                    0, 2, 0, 0, 0, 7}));
}

TEST(Messages, StatesAndEventsThatThereAreNotAreRefused) {
  const auto decodes = [](const Message& message) { return decode(encode(message)).has_value(); };
  Status status;
  status.links.push_back({.state = static_cast<LinkState>(kLinkStates)});
  EXPECT_FALSE(decodes(status));
  status.links.clear();
  status.events = {{.kind = static_cast<FabricEventKind>(kFabricEventKinds)}};
  EXPECT_FALSE(decodes(status));
  status.events.assign(kMaxReportedEvents, {});
  EXPECT_TRUE(decodes(status));
  status.events.emplace_back();
  EXPECT_FALSE(decodes(status));
}

TEST(Messages, HellosOutOfBoundsAreRefused) {
  const auto decodes = [](topo::HelloConfig hello) {
    return decode(encode(Welcome{.node_names = {"n1"}, .node_rates = {1}, .hello = hello}))
        .has_value();
  };
  EXPECT_TRUE(decodes({1, 2}));
  EXPECT_TRUE(decodes({10'000, 50}));
  EXPECT_FALSE(decodes({0, 3}));
  EXPECT_FALSE(decodes({10'001, 3}));
  EXPECT_FALSE(decodes({10, 1}));
  EXPECT_FALSE(decodes({10, 51}));
}

TEST(Messages, AModeOfUrpfThatThereIsNotIsRefused) {
  const Welcome welcome{.node_names = {"n1"},
                        .ports = {{"p0", "net_null0", 1500, static_cast<topo::Urpf>(3)}},
                        .node_rates = {0}};
  EXPECT_FALSE(decode(encode(welcome)));
}

TEST(Messages, AModeOfSteeringThatThereIsNotIsRefused) {
  Welcome welcome{.node_names = {"n1"}, .node_rates = {0}, .mode = topo::SteeringMode::direct_vlb};
  EXPECT_TRUE(decode(encode(welcome)));
  welcome.mode = static_cast<topo::SteeringMode>(4);
  EXPECT_FALSE(decode(encode(welcome)));
  welcome = {.node_names = {"n1"}, .node_rates = {0}, .least_flowlet_gap_us = 1};
  EXPECT_FALSE(decode(encode(welcome)));
}

TEST(Messages, AFabricWithoutQueuesIsRefused) {
  const Welcome welcome{.node_names = {"n1"}, .fabric_queues = 0};
  EXPECT_FALSE(decode(encode(welcome)));
}

TEST(Messages, RandomBytesNeverCrash) {
  std::mt19937 random(3);
  const auto all = one_of_each();
  for (int i = 0; i < 200'000; ++i) {
    auto bytes = encode(all[random() % all.size()]);
    for (unsigned flips = random() % 4 + 1; flips > 0; --flips) {
      bytes[random() % bytes.size()] = static_cast<char>(random());
    }
    const auto message = decode(bytes);
    if (message) {
      EXPECT_LT(message->index(), std::variant_size_v<Message>);
    }
  }
}

TEST(Messages, AHelloOfAnotherVersionIsReadForItsVersion) {
  auto bytes = encode(Hello{kWireVersion + 1, "n1", 1, {9}, {3, 4}}) + "later fields";
  const auto message = decode(bytes);
  ASSERT_TRUE(message);
  EXPECT_EQ(std::get<Hello>(*message).version, kWireVersion + 1);
  EXPECT_EQ(std::get<Hello>(*message).name, "n1");
  bytes[1] = 'X';
  EXPECT_FALSE(decode(bytes));
}

TEST(Messages, OnlyOnesWithRecordsMayBeLarge) {
  for (const auto& message : one_of_each()) {
    auto bytes = encode(message);
    bytes.resize(kMaxPlainMessageBytes + 1);
    const bool has_records = std::holds_alternative<NodeSnapshot>(message) ||
                             std::holds_alternative<Prepare>(message) ||
                             std::holds_alternative<PrepareSnapshot>(message);
    EXPECT_EQ(is_oversized(bytes), !has_records) << message.index();
    if (!has_records) {
      EXPECT_EQ(decode(bytes).error().message, "oversized message of 4194305 bytes");
    }
    bytes.resize(kMaxPlainMessageBytes);
    EXPECT_FALSE(is_oversized(bytes));
    EXPECT_EQ(is_hello(bytes), std::holds_alternative<Hello>(message));
  }
  EXPECT_FALSE(is_oversized(""));
  EXPECT_FALSE(is_hello(""));
}

TEST(Frames, ABatchHasRoomForOneMoreUpToItsBound) {
  std::string batch;
  while (has_room(batch)) {
    append_frame(batch, {PortId{1}, PuntClass::icmp, std::string(kMaxFrameBytes, 'a')});
  }
  EXPECT_LE(batch.size(), kMaxBatchBytes);
  EXPECT_EQ(split_frames(batch)->size(), batch.size() / (kMaxFrameBytes + 5));
  batch.resize(kMaxBatchBytes + 1);
  EXPECT_EQ(split_frames(batch).error().message, "oversized batch of frames, 1048577 bytes");
}

TEST(Frames, BatchIsReadBack) {
  const std::string short_frame(14, 'a'), long_frame(kMaxFrameBytes, 'b');
  std::string batch;
  append_frame(batch, {PortId{3}, PuntClass::icmp, short_frame});
  append_frame(batch, {PortId{255}, PuntClass::other, long_frame});
  const auto frames = split_frames(batch);
  ASSERT_TRUE(frames);
  ASSERT_EQ(frames->size(), 2u);
  EXPECT_EQ((*frames)[0], (PacketFrame{PortId{3}, PuntClass::icmp, short_frame}));
  EXPECT_EQ((*frames)[1], (PacketFrame{PortId{255}, PuntClass::other, long_frame}));
  EXPECT_TRUE(split_frames("")->empty());
}

TEST(Frames, GoldenBatch) {
  std::string batch;
  append_frame(batch, {PortId{0x0102}, PuntClass::exception, std::string_view("12345678901234")});
  EXPECT_EQ(batch, octets({1, 2, 3, 0, 14}) + "12345678901234");
}

TEST(Frames, MalformedBatchesAreRefused) {
  std::string batch;
  append_frame(batch, {PortId{1}, PuntClass::icmp, std::string(14, 'a')});
  for (std::size_t size = 1; size < batch.size(); ++size) {
    EXPECT_FALSE(split_frames(batch.substr(0, size))) << size;
  }
  EXPECT_FALSE(split_frames(octets({0, 1, 5, 0, 14}) + std::string(14, 'a')));  // class
  EXPECT_FALSE(split_frames(octets({1, 0, 0, 0, 14}) + std::string(14, 'a')));  // port 256
  EXPECT_FALSE(split_frames(octets({0, 1, 0, 0, 13}) + std::string(13, 'a')));  // too short
  EXPECT_FALSE(split_frames(octets({0, 1, 0, 0xff, 0xff}) + std::string(65535, 'a')));
}

}  // namespace
}  // namespace rackway::cluster
