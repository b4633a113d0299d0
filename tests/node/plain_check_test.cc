// SPDX-License-Identifier: Apache-2.0
// The quick check against the careful ones, frame by frame: what it calls plain they leave
// undecided and know the same of. The careful stages are the specification.
#include "node/stage/plain_check.hh"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "node/stage/arp.hh"
#include "node/stage/ethernet_check.hh"
#include "node/stage/ipv4_check.hh"
#include "node/stage/ipv6_check.hh"
#include "node/stage/rewrite.hh"
#include "tests/node/heap_frame.hh"
#include "tests/node/random_frames.hh"
#include "tests/node/sample_fib.hh"

namespace rackway::node::testing {
namespace {

// The forms that this processor runs.
std::vector<PlainFrames> forms() {
  std::vector<PlainFrames> all{plain_frames_scalar()};
  if (choose_plain_frames().ipv4 != all.front().ipv4) all.push_back(choose_plain_frames());
  return all;
}

class Checks {
 public:
  explicit Checks(PlainFrames form) : form_(form) { in_.mac = kPort0Mac; }
  ~Checks() {
    for (std::uint16_t i = 0; i < quick_.size; ++i) rte_pktmbuf_free(quick_.frames[i]);
  }

  void add(const Bytes& bytes, const Reception& how = {}) {
    rte_mbuf* frame = new_frame(bytes, how);
    for (auto* burst : {&quick_, &careful_}) {
      burst->octets[burst->size] = rte_pktmbuf_mtod(frame, std::uint8_t*);
      burst->frames[burst->size++] = frame;
    }
  }

  void run() {
    const Context context{
        .fib = fib_, .self = kSelf, .port = PortId{0}, .in = in_, .counters = in_.counters[0]};
    quick_.begin(quick_.size);
    careful_.begin(careful_.size);
    PlainCheck(form_).run(quick_, quick_.undecided, context);
    careful_.undecided = quick_.plain;  // the others may be changed in place: answers
    EthernetCheck{}.run(careful_, context);
    Arp{}.run(careful_, context);
    Ipv4Check{}.run(careful_, context);
    Ipv6Check{}.run(careful_, context);
  }

  [[nodiscard]] Mask plain() const { return quick_.plain; }

  void expect_agreement() const {
    ASSERT_EQ(careful_.undecided, quick_.plain);
    ASSERT_EQ(careful_.ipv4, quick_.ipv4);
    ASSERT_EQ(careful_.ipv6, quick_.ipv6);
    ASSERT_EQ(careful_.l2_group, 0u);
    for_each(quick_.plain, [&](std::size_t i) { expect_same_facts(i); });
  }

 private:
  void expect_same_facts(std::size_t i) const {
    const std::uint8_t* octets = quick_.octets[i];
    if ((quick_.ipv4 & bit(i)) != 0) {
      EXPECT_EQ(quick_.ipv4_destination[i], careful_.ipv4_destination[i]);
      EXPECT_EQ(quick_.ip_size[i], ipv4_size(octets));
      EXPECT_GT(octets[kEthernet + 8], 1);
    } else {
      EXPECT_EQ(quick_.ipv6_destination[i], careful_.ipv6_destination[i]);
      EXPECT_EQ(quick_.ip_size[i], ipv6_size(octets));
      EXPECT_GT(octets[kEthernet + 7], 1);
    }
    EXPECT_EQ(quick_.flow_hash[i], careful_.flow_hash[i]);
  }

  PlainFrames form_;
  fib::Fib fib_ = sample_fib();
  Place in_;
  Burst quick_{}, careful_{};
};

bool is_plain(const Bytes& bytes, const Reception& how = {}) {
  std::set<bool> answers;
  for (const PlainFrames form : forms()) {
    Checks checks(form);
    checks.add(bytes, how);
    checks.run();
    checks.expect_agreement();
    answers.insert(checks.plain() == 1);
  }
  EXPECT_EQ(answers.size(), 1u);
  return *answers.begin();
}

Bytes at_least_60(const Bytes& bytes) {
  return padded(bytes, std::max<std::size_t>(bytes.size(), 60));
}

TEST(PlainCheck, OrdinaryTrafficIsPlain) {
  for (const std::uint8_t protocol : {kTcp, kUdp, std::uint8_t{1}, std::uint8_t{50}}) {
    for (const std::size_t payload : {0, 3, 4, 8, 26, 1480}) {
      const Ipv4 packet{.protocol = protocol, .payload = counting(payload)};
      EXPECT_TRUE(is_plain(at_least_60(frame(packet)))) << int{protocol} << " " << payload;
    }
  }
  for (const std::uint16_t fragment : {0x4000, 0x2000, 0x2001, 0x0001}) {
    EXPECT_TRUE(is_plain(at_least_60(frame(Ipv4{.fragment = fragment}))));
  }
  for (const std::size_t payload : {0, 3, 4, 8, 1440}) {
    EXPECT_TRUE(is_plain(at_least_60(frame(Ipv6{.payload = counting(payload)})))) << payload;
  }
  EXPECT_TRUE(is_plain(frame(Ipv4{.payload = counting(1480)}), {.split = 60}));
  for (const auto* near : {"169.253.255.255", "169.255.0.0", "168.254.0.1", "254.169.0.1"}) {
    const bool unicast = near[0] == '1';
    EXPECT_EQ(is_plain(at_least_60(frame(Ipv4{.source = near}))), unicast) << near;
    EXPECT_EQ(is_plain(at_least_60(frame(Ipv4{.destination = near}))), unicast) << near;
  }
}

TEST(PlainCheck, WhatHasARuleOfItsOwnIsNot) {
  EXPECT_FALSE(is_plain(at_least_60(frame(Ipv4{.ttl = 1}))));
  EXPECT_FALSE(is_plain(at_least_60(frame(Ipv4{.ttl = 0}))));
  EXPECT_FALSE(is_plain(at_least_60(frame(Ipv4{.options = {0x94, 4, 0, 0}}))));
  EXPECT_FALSE(is_plain(at_least_60(frame(Ipv4{}, {.destination = kBroadcastMac}))));
  EXPECT_FALSE(is_plain(at_least_60(frame(Ipv4{}, {.destination = kNeighborB}))));
  for (const auto* special : {"0.0.0.1", "127.0.0.1", "169.254.0.0", "169.254.255.255", "224.0.0.5",
                              "239.1.1.1", "240.0.0.1", "255.255.255.255"}) {
    EXPECT_FALSE(is_plain(at_least_60(frame(Ipv4{.source = special})))) << special;
    EXPECT_FALSE(is_plain(at_least_60(frame(Ipv4{.destination = special})))) << special;
  }
  for (const auto* special : {"::", "::1", "fe80::7", "ff02::1", "fec0::1"}) {
    EXPECT_FALSE(is_plain(at_least_60(frame(Ipv6{.source = special})))) << special;
    EXPECT_FALSE(is_plain(at_least_60(frame(Ipv6{.destination = special})))) << special;
  }
  EXPECT_FALSE(is_plain(at_least_60(frame(Ipv6{.hop_limit = 1}))));
  for (const std::uint8_t next_header : {0, 43, 44, 50, 51, 58, 59, 60, 135, 139, 140}) {
    EXPECT_FALSE(is_plain(at_least_60(frame(Ipv6{.next_header = next_header}))));
  }
  auto damaged = at_least_60(frame(Ipv4{}));
  damaged[kEthernet + 10] ^= 1;
  EXPECT_FALSE(is_plain(damaged));
  EXPECT_FALSE(is_plain(frame(Ipv4{.payload = counting(25)})));  // 59 octets
  EXPECT_FALSE(is_plain(frame(Ipv4{.payload = counting(100)}), {.split = 59}));
  EXPECT_FALSE(is_plain(frame(Ipv4{.payload = counting(100)}),
                        {.offload_flags = RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED}));
  EXPECT_FALSE(is_plain(at_least_60(frame(ArpPacket{}))));
}

TEST(PlainCheck, EverySingleWrongLengthIsAsTheCarefulChecksSay) {
  for (int size = 0; size < 70; ++size) {
    auto ipv4 = at_least_60(frame(Ipv4{.payload = counting(26)}));
    put16(ipv4, kEthernet + 2, static_cast<std::uint16_t>(size));
    EXPECT_EQ(is_plain(with_good_checksums(ipv4)), size >= 20 && size <= 46) << size;
    auto ipv6 = frame(Ipv6{.payload = counting(26)});
    put16(ipv6, kEthernet + 4, static_cast<std::uint16_t>(size));
    EXPECT_EQ(is_plain(ipv6), size <= 26) << size;
  }
}

TEST(PlainCheck, NeverContradictsTheCarefulChecks) {
  RandomFrames random(4);
  std::size_t plain = 0, all = 0;
  for (int round = 0; round < 5000; ++round) {
    const auto known = forms();
    Checks checks(known[static_cast<std::size_t>(round) % known.size()]);
    const auto size = random.below(kBurst) + 1;
    for (std::size_t i = 0; i < size; ++i) {
      const auto bytes = random.for_port();
      const bool split = !bytes.empty() && random.below(8) == 0;
      checks.add(bytes, split ? Reception{.split = random.below(bytes.size())} : Reception{});
    }
    checks.run();
    checks.expect_agreement();
    plain += static_cast<std::size_t>(std::popcount(checks.plain()));
    all += size;
  }
  EXPECT_GT(plain, all / 20);  // both happen
  EXPECT_LT(plain, all / 2);
}

}  // namespace
}  // namespace rackway::node::testing
