// SPDX-License-Identifier: Apache-2.0
// Captures of odd, malformed and tunnelled packets, where RACKWAY_DATA names a folder that has
// any: each goes through the external port and the fabric, as it is and addressed so that it gets
// in. What is not Ethernet gets an Ethernet header. The harness throws if one is not accounted for.
#include <gtest/gtest.h>
#include <pcap/pcap.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

// Octets before the IP packet, for the link types that come without an Ethernet header.
std::size_t link_header(int link_type) {
  switch (link_type) {
    case DLT_NULL:
    case DLT_LOOP:
    case DLT_PPP:
    case DLT_FRELAY: return 4;
    case DLT_LINUX_SLL: return 16;
    default: return 0;
  }
}

Bytes as_ethernet(Bytes captured, int link_type) {
  if (link_type == DLT_EN10MB) return captured;
  const auto skip = std::min(link_header(link_type), captured.size());
  captured.erase(captured.begin(), captured.begin() + static_cast<std::ptrdiff_t>(skip));
  const bool ipv6 = !captured.empty() && captured[0] >> 4 == 6;
  return ethernet({.type = ipv6 ? kIpv6Type : kIpv4Type}, captured);
}

// The whole frames of a capture, up to the first that can not be read.
std::vector<Bytes> frames_of(const std::filesystem::path& file) {
  char error[PCAP_ERRBUF_SIZE];
  const std::unique_ptr<pcap_t, decltype(&pcap_close)> capture(
      pcap_open_offline(file.c_str(), error), &pcap_close);
  std::vector<Bytes> frames;
  pcap_pkthdr* header = nullptr;
  const std::uint8_t* octets = nullptr;
  while (capture && pcap_next_ex(capture.get(), &header, &octets) == 1) {
    const Bytes captured(octets, octets + header->caplen);
    if (captured.size() < 60'000) {
      frames.push_back(as_ethernet(captured, pcap_datalink(capture.get())));
    }
  }
  return frames;
}

Bytes with_front(Bytes frame, const Bytes& front) {
  std::copy_n(front.begin(), std::min(front.size(), frame.size()), frame.begin());
  return frame;
}

std::vector<std::filesystem::path> captures_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".pcap") found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(Captures, AllAreAccountedFor) {
  const char* folder = std::getenv("RACKWAY_DATA");
  if (folder == nullptr) GTEST_SKIP() << "RACKWAY_DATA is not set";
  const auto own_mac = Bytes(kPort0Mac.bytes.begin(), kPort0Mac.bytes.end());
  const auto to_egress = hex("d2 00 10 01 10 00 ae 00 30 00 00 01");
  const auto to_relay = hex("d2 00 10 03 10 00 ae 00 30 00 00 01");
  PacketHarness node;
  std::size_t captured = 0;
  for (const auto& file : captures_below(folder)) {
    for (const auto& frame : frames_of(file)) {
      ++captured;
      SCOPED_TRACE(file.filename().string() + " frame " + std::to_string(captured));
      ASSERT_NO_THROW(node.from_port(frame));
      ASSERT_NO_THROW(node.from_link(frame));
      ASSERT_NO_THROW(node.from_controller(frame, 0));
      ASSERT_NO_THROW(node.from_port(with_front(frame, own_mac)));
      ASSERT_NO_THROW(node.from_link(with_front(frame, to_egress)));
      ASSERT_NO_THROW(node.from_link(with_front(frame, to_relay)));
    }
  }
  EXPECT_GT(captured, 0u) << "no .pcap below " << folder;
  RecordProperty("captured_frames", static_cast<int>(captured));
}

}  // namespace
}  // namespace rackway::node::testing
