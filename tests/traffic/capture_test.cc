// SPDX-License-Identifier: Apache-2.0
#include "vlb/traffic/capture.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <random>
#include <set>

#include "tests/traffic/capture_file.hh"
#include "vlb/traffic/ip_flow.hh"

namespace rackway::traffic::testing {
namespace {

class CaptureTest : public ::testing::Test {
 protected:
  void TearDown() override { std::remove(path_.c_str()); }

  Result<Recording> read(const Octets& file, double speed = 1) {
    write_file(path_, file);
    return read_capture(path_, {4, {NodeId{0}, NodeId{1}, NodeId{3}}, speed});
  }
  std::string fault(const Octets& file) {
    const auto recording = read(file);
    return recording ? "" : recording.error().message;
  }

  const std::string path_ = ::testing::TempDir() + "rackway_capture_test.pcap";
};

// Two hosts whose nodes differ.
std::pair<std::uint16_t, std::uint16_t> two_hosts(const std::string& path) {
  for (std::uint16_t to = 0; to < 50; ++to) {
    write_file(path, capture_of({{0, 0, in_ethernet(ipv4_packet(1, to))}}));
    if (read_capture(path, {4, {NodeId{0}, NodeId{1}, NodeId{3}}, 1})->size() == 1) return {1, to};
  }
  return {};
}

TEST_F(CaptureTest, TimesLengthsAndFlowsAreTheCaptures) {
  const auto [a, b] = two_hosts(path_);
  const auto one = in_ethernet(ipv4_packet(a, b, 1)), two = in_ethernet(ipv4_packet(a, b, 2));
  // The second is captured in part, and the last is earlier than its place says.
  const auto recording =
      read(capture_of({{100, 500, one}, {101, 0, one, 1514}, {101, 7, two}, {100, 600, one}}), 10);
  ASSERT_TRUE(recording) << recording.error().message;
  ASSERT_EQ(recording->size(), 4u);
  const auto& packets = *std::find_if(recording->packets.begin(), recording->packets.end(),
                                      [](const auto& each) { return !each.empty(); });
  ASSERT_EQ(packets.size(), 4u);
  const std::vector<Picoseconds> times{0, 10 * kNanosecond, 99'999'950 * kNanosecond,
                                       99'999'950 * kNanosecond + 700};
  const std::vector<std::uint16_t> octets{64, 64, 1518, 64};  // check sequence, padding
  const std::vector<std::uint32_t> sequences{0, 1, 2, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(packets[i].born, times[i]) << i;
    EXPECT_EQ(packets[i].octets, octets[i]);
    EXPECT_EQ(packets[i].sequence, sequences[i]);
    EXPECT_EQ(packets[i].flow == packets[0].flow, i < 3);
    EXPECT_NE(packets[i].ingress, packets[i].egress);
  }
  EXPECT_EQ(recording->length, times[3] + 1);
  EXPECT_EQ(recording->octets, 1710u);
}

TEST_F(CaptureTest, AConversationIsBetweenTheSameTwoNodes) {
  std::vector<Captured> packets;
  for (std::uint16_t host = 0; host < 200; ++host) {
    Octets there = ipv4_packet(host, 7), back = there;
    std::swap_ranges(back.begin() + 12, back.begin() + 16, back.begin() + 16);
    packets.push_back({host, 0, in_ethernet(there)});
    packets.push_back({host, 1, in_ethernet(back)});
  }
  const auto recording = read(capture_of(packets));
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->size() + recording->within_a_node, 400u);
  EXPECT_TRUE(recording->packets[2].empty());  // has no ports
  std::set<NodeId> others;
  std::size_t there = 0, back = 0;
  NodeId server{9};
  for (const auto& each : recording->packets) {
    for (const auto& packet : each) {
      if (packet.born % kSecond == 0) {
        server = packet.egress;
        others.insert(packet.ingress);
        ++there;
      } else {
        ++back;
      }
    }
  }
  EXPECT_EQ(there, back);
  EXPECT_EQ(others.size(), 2u);
  EXPECT_FALSE(others.contains(server));
  EXPECT_EQ(recording->packets[server.value].size(), back);
  // A third each, give or take.
  EXPECT_NEAR(static_cast<double>(recording->within_a_node), 400 / 3., 60);
}

TEST_F(CaptureTest, TheMatrixIsWhatItSendsOnAverage) {
  const auto [a, b] = two_hosts(path_);
  const auto frame = in_ethernet(ipv4_packet(a, b));
  const auto recording = read(capture_of({{0, 0, frame}, {1, 0, frame, 976}}));  // 980 with the sum
  const auto matrix = matrix_of(*recording);
  EXPECT_NEAR(matrix.total(), (84 + 1000) * 8, 1e-3);
}

TEST_F(CaptureTest, BehindTagsAndWithoutEthernet) {
  const auto packet = ipv4_packet(1, 2);
  const Octets tag{0x81, 0, 0, 5}, two{0x88, 0xa8, 0, 1, 0x81, 0, 0, 5};
  const auto plain = ip_flow(packet);
  ASSERT_TRUE(plain);
  for (const auto& frame : {in_ethernet(packet, 0x0800, tag), in_ethernet(packet, 0x0800, two)}) {
    const auto at = ip_in_ethernet(frame);
    ASSERT_TRUE(at);
    EXPECT_EQ(ip_flow(std::span(frame).subspan(*at)), plain);
  }
  EXPECT_FALSE(ip_in_ethernet(in_ethernet(packet, 0x0806)));
  const auto bare = read(capture_of({{0, 0, packet}}, 101));  // LINKTYPE_RAW
  ASSERT_TRUE(bare) << bare.error().message;
  EXPECT_EQ(bare->size() + bare->within_a_node, 1u);
}

TEST_F(CaptureTest, FlowsAreByAddressesProtocolAndPorts) {
  auto packet = ipv4_packet(1, 2, 3);
  const auto flow = [&] { return ip_flow(packet)->flow; };
  const auto first = flow();
  packet[20] ^= 1;  // a port
  EXPECT_NE(flow(), first);
  const auto other_port = flow();
  packet[7] = 1;  // a later fragment has no ports
  EXPECT_NE(flow(), other_port);
  const auto fragment = flow();
  packet[20] ^= 1;
  EXPECT_EQ(flow(), fragment);
  packet[9] = 1;
  EXPECT_NE(flow(), fragment);
  Octets v6(48, 0);
  v6[0] = 0x60;
  v6[6] = 6;
  const auto one = ip_flow(v6);
  ASSERT_TRUE(one);
  v6[47] = 1;  // beyond the ports
  EXPECT_EQ(ip_flow(v6), one);
  v6[43] = 1;
  EXPECT_NE(ip_flow(v6)->flow, one->flow);
  v6[8] = 1;
  EXPECT_NE(ip_flow(v6)->source, one->source);
}

TEST_F(CaptureTest, WhatIsNoPacketIsCounted) {
  auto odd = ipv4_packet(1, 2);
  odd[0] = 0x44;  // a header of 16 octets
  const auto recording = read(capture_of({{0, 0, in_ethernet({}, 0x0806)},
                                          {0, 0, Octets(13, 0)},
                                          {0, 0, {}},
                                          {0, 0, in_ethernet(odd)},
                                          {0, 0, in_ethernet(Octets(19, 0x45))},
                                          {0, 0, in_ethernet(Octets(39, 0x60), 0x86dd)}}));
  ASSERT_TRUE(recording);
  EXPECT_EQ(recording->size(), 0u);
  EXPECT_EQ(recording->unusable, 6u);
  EXPECT_EQ(recording->length, 0);
  EXPECT_EQ(matrix_of(*recording).total(), 0);
}

TEST_F(CaptureTest, SaysWhatIsWrongWithAFile) {
  EXPECT_NE(fault({}).find("can not read the capture " + path_), std::string::npos) << fault({});
  EXPECT_NE(fault(Octets(100, 1)).find("can not read"), std::string::npos);
  auto cut = capture_of({{0, 0, in_ethernet(ipv4_packet(1, 2))}});
  cut.pop_back();
  EXPECT_NE(fault(cut).find("can not read"), std::string::npos) << fault(cut);
  EXPECT_NE(fault(capture_of({}, 105)).find("is of IEEE802_11, neither"), std::string::npos);
  EXPECT_FALSE(read_capture("/nowhere/x.pcap", {4, {NodeId{0}, NodeId{1}}, 1}));
}

// No sequence of octets makes it read beyond them (the sanitizers watch).
TEST_F(CaptureTest, AnythingMayComeAsAPacket) {
  std::mt19937 random(3);
  for (int round = 0; round < 20'000; ++round) {
    Octets octets(random() % 64);
    for (auto& octet : octets) octet = static_cast<std::uint8_t>(random());
    if (!octets.empty() && random() % 2 == 0) octets[0] = random() % 2 == 0 ? 0x45 : 0x60;
    (void)ip_flow(octets);
    (void)ip_in_ethernet(octets);
  }
}

}  // namespace
}  // namespace rackway::traffic::testing
