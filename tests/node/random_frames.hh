// SPDX-License-Identifier: Apache-2.0
// Frames that are sound, nearly sound or not at all, from a seed: a sound one of every kind, then
// any number of small injuries, with checksums made good again half of the time, so that what
// depends on deeper fields is reached too. One thread.
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "tests/node/frames.hh"
#include "tests/node/sample_fib.hh"
#include "vlb/hello.hh"

namespace rackway::node::testing {

class RandomFrames {
 public:
  explicit RandomFrames(std::uint64_t seed) : random_(seed) {
    add_external();
    add_neighbor_discovery();
    add_fabric();
    add_hellos();
  }

  [[nodiscard]] std::uint32_t below(std::size_t limit) {
    return static_cast<std::uint32_t>(random_() % limit);
  }
  [[nodiscard]] Bytes for_port() { return injured(external_[below(external_.size())]); }
  [[nodiscard]] Bytes for_link() {
    auto bytes = injured(fabric_[below(fabric_.size())]);
    if (below(8) == 0) bytes = injured(external_[below(external_.size())]);
    return bytes;
  }
  [[nodiscard]] Bytes for_controller() {
    return below(2) == 0 ? for_port() : counting(below(2000));
  }

 private:
  void add_external() {
    const Ethernet to_group{.destination = kBroadcastMac};
    for (std::uint32_t group = kLocal; group <= kViaVlan200; ++group) {
      const auto to = static_cast<SampleGroup>(group);
      external_.push_back(frame(Ipv4{.destination = ipv4_to(to)}));
      external_.push_back(frame(Ipv6{.destination = ipv6_to(to)}));
      external_.push_back(frame(Ipv4{.destination = ipv4_to(to), .ttl = 1}));
      external_.push_back(frame(Ipv4{.destination = ipv4_to(to), .payload = counting(1480)}));
      external_.push_back(
          frame(Ipv4{.destination = ipv4_to(to), .payload = counting(1480), .fragment = 0x4000}));
      external_.push_back(frame(Ipv6{.destination = ipv6_to(to), .payload = counting(1460)}));
      external_.push_back(frame(Ipv4{
          .source = "32.0.0.9", .destination = ipv4_to(to), .ttl = 1, .payload = counting(700)}));
      external_.push_back(
          frame(Ipv6{.source = "2001:db8:33::9", .destination = ipv6_to(to), .hop_limit = 1}));
    }
    for (const auto* to : {"10.0.0.1", "10.0.0.2", "10.0.0.255", "99.0.0.1", "224.0.0.5",
                           "239.1.1.1", "255.255.255.255", "127.0.0.1", "0.0.0.0"}) {
      external_.push_back(frame(Ipv4{.destination = to, .protocol = kTcp}));
      external_.push_back(padded(frame(Ipv4{.destination = to, .protocol = 1, .payload = {}}), 60));
      external_.push_back(frame(Ipv4{.destination = to, .options = {0x94, 4, 0, 0}}, to_group));
    }
    for (const auto* to :
         {"2001:db8::1", "fe80::1", "fe80::2", "ff02::5", "ff0e::5", "::1", "::"}) {
      external_.push_back(frame(Ipv6{.destination = to, .next_header = 89}));
      external_.push_back(frame(Ipv6{.source = "fe80::7", .destination = to, .next_header = 0}));
    }
    external_.push_back(frame(Ipv4{.source = "127.0.0.1"}));
    external_.push_back(frame(Ipv4{.source = "169.254.1.2"}));
    external_.push_back(padded(frame(Ipv4{.destination = "169.254.1.2", .ttl = 1}), 60));
    external_.push_back(frame(Ipv4{.fragment = 0x2001}));
    external_.push_back(frame(Ipv6{.source = "fe80::7"}));
    external_.push_back(frame(Ipv4{.source = "10.0.0.77", .ttl = 1}));
    external_.push_back(frame(Ipv4{.source = "10.0.0.1", .ttl = 1}));
    external_.push_back(frame(
        Ipv4{.destination = ipv4_to(kViaC), .protocol = 1, .ttl = 9, .payload = counting(3000)}));
    for (const std::uint8_t next : {0, 43, 44, 51, 60}) {
      for (const auto* to : {"2001:db8:27::1", "2001:db8::1", "ff02::16"}) {
        external_.push_back(
            frame(Ipv6{.destination = to,
                       .next_header = next,
                       .hop_limit = 1,
                       .payload = join({Bytes{kUdp, 0, 0, 0, 0, 0, 0, 1}, ports(1, 2)})}));
      }
    }
    for (const std::uint16_t operation : {1, 2}) {
      for (const auto* target : {"10.0.0.1", "10.0.0.2", "10.0.0.77"}) {
        external_.push_back(frame(ArpPacket{.operation = operation, .target = target}));
      }
    }
    for (const std::uint16_t type : {0x8100, 0x88a8, 0x88cc}) {
      external_.push_back(ethernet({.type = type}, packet(Ipv4{})));
    }
    external_.push_back(frame(Ipv4{}, {.destination = mac("d2:00:10:01:20:00")}));
    external_.push_back(frame(Ipv4{}, {.destination = kNeighborB}));
    add_tagged();
  }

  // Some of everything so far, in VLANs that are there and that are not, and in two at once.
  void add_tagged() {
    const std::size_t untagged = external_.size();
    const std::uint16_t tags[] = {100, 0xe064, 0, 0x6000, 200, 101, 4095};
    for (std::size_t i = 0; i < untagged; ++i) {
      external_.push_back(tagged(external_[i], tags[i % std::size(tags)]));
      if (i % 8 == 0) external_.push_back(tagged(external_.back(), 100));
    }
  }

  void add_neighbor_discovery() {
    const auto option = join({Bytes{1, 1}, kHostMac.bytes});
    for (const auto* source : {"2001:db8::2", "fe80::7", "::"}) {
      for (const auto* target : {"2001:db8::1", "fe80::1", "2001:db8::77"}) {
        const auto body = join({Bytes(4), octets_of(target)});
        for (std::uint8_t type = 133; type <= 137; ++type) {
          external_.push_back(frame(Icmpv6{.source = source, .type = type, .body = body}));
          external_.push_back(
              frame(Icmpv6{.source = source, .type = type, .body = join({body, option})}));
        }
      }
    }
  }

  // Tags by the layout: kind, target and egress, hops, fixed bits and ingress, adjacency.
  void add_fabric() {
    for (const auto* tag :
         {"d2 00 10 01 10 00 ae 00 30 00 00 00", "d2 00 10 01 20 00 ae 00 30 00 00 01",
          "d2 00 10 01 00 00 ae 00 30 00 00 02", "d2 00 10 01 10 00 ae 00 30 00 00 03",
          "d2 00 10 01 10 00 ae 00 30 00 00 04", "d2 00 10 01 10 00 ae 00 30 01 23 45",
          "d2 00 10 00 10 00 ae 00 30 00 00 00", "d2 00 10 02 20 00 ae 00 30 00 00 00",
          "d2 00 10 03 00 00 ae 00 30 00 00 00", "d2 00 10 07 10 00 ae 00 30 00 00 00",
          "d2 00 20 03 10 00 ae 00 30 00 00 00", "d6 00 10 01 10 00 ae 00 30 00 00 00"}) {
      const auto octets = hex(tag);
      for (auto carried : {frame(Ipv4{}), frame(Ipv6{}), frame(Ipv4{.payload = counting(1480)}),
                           frame(Ipv4{.payload = counting(1481)}), frame(ArpPacket{})}) {
        std::copy(octets.begin(), octets.end(), carried.begin());
        fabric_.push_back(std::move(carried));
      }
    }
  }

  [[nodiscard]] Bytes injured(Bytes bytes) {
    if (below(3) == 0) return bytes;
    for (auto injuries = below(3) + 1; injuries > 0; --injuries) injure(bytes);
    return below(2) == 0 ? with_good_checksums(std::move(bytes)) : bytes;
  }

  void injure(Bytes& bytes) {
    // Most of what matters is in the first octets.
    const auto at = [&] {
      return below(below(2) == 0 ? bytes.size() : std::min<std::size_t>(bytes.size(), 64));
    };
    switch (bytes.empty() ? 6 : below(7)) {
      case 0: bytes[at()] ^= static_cast<std::uint8_t>(1 << below(8)); break;
      case 1: bytes[at()] = static_cast<std::uint8_t>(random_()); break;
      case 2: bytes[at()] = below(2) == 0 ? 0 : 0xff; break;
      case 3: bytes.resize(below(bytes.size() + 1)); break;
      case 4: bytes.resize(std::min<std::size_t>(bytes.size(), below(128))); break;
      case 5: {  // another value in a length field
        const std::size_t field = kEthernet + (below(2) == 0 ? 2 : 4);
        if (bytes.size() > field + 1) put16(bytes, field, below(200));
        break;
      }
      default: bytes.resize(bytes.size() + below(100), static_cast<std::uint8_t>(random_()));
    }
  }

  std::mt19937_64 random_;
  // From node 0, which hears this one, or another, or nobody.
  void add_hellos() {
    for (std::uint64_t hears = 0; hears < 3; ++hears) {
      const vlb::Hello hello{.sender = NodeId{0},
                             .receiver = kSelf,
                             .boot_id = 7,
                             .hears = hears,
                             .sequence = static_cast<std::uint32_t>(hears),
                             .ready = hears != 0};
      std::array<std::uint8_t, vlb::kMaxHelloBytes> octets;
      const std::vector<vlb::LinkView> ways(kNodes, {.alive = true, .load = 9, .delay = 99});
      const auto size = vlb::write_hello(hello, ways, octets);
      fabric_.emplace_back(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size));
    }
  }

  std::vector<Bytes> external_, fabric_;
};

}  // namespace rackway::node::testing
