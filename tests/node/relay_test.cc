// SPDX-License-Identifier: Apache-2.0
#include "node/stage/relay.hh"

#include <gtest/gtest.h>

#include <string>

#include "tests/node/packet_harness.hh"

namespace rackway::node::testing {
namespace {

constexpr std::uint8_t kData = 0xd2;

struct Tag {
  std::uint8_t kind = kData;
  std::uint16_t target = kSelf.value;
  std::uint16_t egress = kSelf.value;
  std::uint8_t hops = 1;
  std::uint16_t time_stamp = 0;
  std::uint8_t epoch_mark = 0x15;
  std::uint8_t fixed = 2;
  std::uint16_t ingress = 3;
  std::uint8_t spare = 0;
  std::uint32_t adjacency = 1;
};

// Written out from the layout, without the functions under test.
Bytes octets(const Tag& tag) {
  const auto low = [](std::uint32_t value) { return static_cast<std::uint8_t>(value); };
  return {tag.kind,
          low(tag.target >> 4),
          low((tag.target & 15) << 4 | tag.egress >> 8),
          low(tag.egress),
          low(tag.hops << 4 | tag.time_stamp >> 8),
          low(tag.time_stamp),
          low(tag.epoch_mark << 2 | tag.fixed),
          low(tag.ingress >> 4),
          low((tag.ingress & 15) << 4 | tag.spare),
          low(tag.adjacency >> 16),
          low(tag.adjacency >> 8),
          low(tag.adjacency)};
}

Bytes tagged(const Tag& tag, Bytes frame) {
  const auto written = octets(tag);
  std::copy(written.begin(), written.end(), frame.begin());
  return frame;
}

// As it comes over the fabric: the ingress node has taken the TTL down already.
Bytes with_macs(Bytes frame, const MacAddress& destination, const MacAddress& source) {
  std::copy(destination.bytes.begin(), destination.bytes.end(), frame.begin());
  std::copy(source.bytes.begin(), source.bytes.end(), frame.begin() + 6);
  return frame;
}

Bytes garbage(std::size_t size) {
  Bytes bytes(size);
  std::uint32_t state = 12345;
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>((state = state * 69069 + 1) >> 24);
  return bytes;
}

TEST(Relay, OnTowardsTheEgressNodeWithTheRestUntouched) {
  PacketHarness node;
  const std::pair<std::uint16_t, std::size_t> egresses[] = {
      {0, kToNode0}, {2, kToNode2}, {3, kToNode3}};
  for (const auto& [egress, output] : egresses) {
    for (std::uint8_t hops = 1; hops < 16; ++hops) {
      const Tag tag{.egress = egress,
                    .hops = hops,
                    .time_stamp = 0xabc,
                    .epoch_mark = 0x3f,
                    .ingress = 0xfff,
                    .adjacency = 0xfedcba};
      Tag onward = tag;
      onward.target = egress;
      onward.hops = hops - 1;
      // Neither EtherType nor anything behind it is looked at.
      for (const std::size_t size : {14, 15, 34, 60, 1514}) {
        const auto carried = garbage(size);
        EXPECT_EQ(node.from_link(tagged(tag, carried)), sent(output, tagged(onward, carried)))
            << egress << " " << int{hops} << " " << size;
      }
    }
  }
  std::uint64_t relayed = 0;
  for (const auto output : {kToNode0, kToNode2, kToNode3}) {
    const auto counters = node.places.outputs[output]->counters.read();
    EXPECT_EQ(counters.relayed, counters.transmitted);
    EXPECT_EQ(counters.direct + counters.via_relay, 0u);
    relayed += counters.relayed;
  }
  EXPECT_EQ(relayed, 3u * 15 * 5);
}

TEST(Relay, FramesOfSeveralSegmentsAreRelayedWhole) {
  PacketHarness node;
  const Tag tag{.egress = 3};
  const Tag onward{.target = 3, .egress = 3, .hops = 0};
  const auto carried = garbage(9014);
  for (const std::size_t split : {14, 15, 2048}) {
    EXPECT_EQ(node.from_link(tagged(tag, carried), {.split = split}),
              sent(kToNode3, tagged(onward, carried)));
  }
  EXPECT_EQ(node.from_link(tagged(tag, carried), {.split = 13}),
            dropped(DropReason::fabric_malformed));
}

TEST(Relay, WhatIsNoFabricFrameIsDropped) {
  PacketHarness node;
  for (int kind = 0; kind < 256; ++kind) {
    if (kind == kData) continue;
    const Tag tag{.kind = static_cast<std::uint8_t>(kind)};
    EXPECT_EQ(node.from_link(tagged(tag, frame(Ipv4{}))), dropped(DropReason::fabric_malformed))
        << kind;
  }
  for (const std::uint8_t fixed : {0, 1, 3}) {
    EXPECT_EQ(node.from_link(tagged({.fixed = fixed}, frame(Ipv4{}))),
              dropped(DropReason::fabric_malformed));
  }
  for (std::uint8_t spare = 1; spare < 16; ++spare) {
    EXPECT_EQ(node.from_link(tagged({.spare = spare}, frame(Ipv4{}))),
              dropped(DropReason::fabric_malformed));
    EXPECT_EQ(node.from_link(tagged({.egress = 3, .spare = spare}, frame(Ipv4{}))),
              dropped(DropReason::fabric_malformed));
  }
  EXPECT_EQ(node.from_link(frame(Ipv4{})), dropped(DropReason::fabric_malformed));
}

TEST(Relay, AFrameWithoutAWholeHeaderIsMalformed) {
  PacketHarness node;
  const auto whole = tagged({.egress = 3}, frame(Ipv4{}));
  for (std::size_t size = 0; size < kEthernet; ++size) {
    const Bytes cut(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_EQ(node.from_link(cut), dropped(DropReason::fabric_malformed)) << size;
  }
}

TEST(Relay, OnlyFramesForThisNodeAreTaken) {
  PacketHarness node;
  for (const std::uint16_t target : {0, 2, 3, 4, 0x010, 0x100, 0xffe, 0xfff}) {
    for (const std::uint16_t egress : {std::uint16_t{1}, std::uint16_t{3}, target}) {
      EXPECT_EQ(node.from_link(tagged({.target = target, .egress = egress}, frame(Ipv4{}))),
                dropped(DropReason::fabric_wrong_target))
          << target << " " << egress;
    }
  }
}

TEST(Relay, TheHopBudgetEndsLoops) {
  PacketHarness node;
  EXPECT_EQ(node.from_link(tagged({.egress = 3, .hops = 0}, frame(Ipv4{}))),
            dropped(DropReason::fabric_hops_spent));
  // At its egress node a frame needs none.
  EXPECT_EQ(node.from_link(tagged({.hops = 0}, frame(Ipv4{}))).fate, Fate::transmit);
}

TEST(Relay, WithoutAWayThereIsACountedDrop) {
  PacketHarness node({.live_links = {true, true, true}});
  for (const std::uint16_t unknown : {4, 0xfff}) {
    EXPECT_EQ(node.from_link(tagged({.egress = unknown}, frame(Ipv4{}))),
              dropped(DropReason::fabric_no_path));
  }
  PacketHarness cut_off({.live_links = {false, false, false}});
  EXPECT_EQ(cut_off.from_link(tagged({.egress = 3}, frame(Ipv4{}))),
            dropped(DropReason::fabric_no_path));
}

TEST(Relay, AnotherRelayWhereTheDirectLinkIsDead) {
  const auto carried = frame(Ipv4{});
  PacketHarness node({.live_links = {false, true, false}});
  for (const std::uint16_t egress : {0, 3}) {
    EXPECT_EQ(node.from_link(tagged({.egress = egress}, carried)),
              sent(kToNode2, tagged({.target = 2, .egress = egress, .hops = 0}, carried)));
    EXPECT_EQ(node.from_link(tagged({.egress = egress, .hops = 0}, carried)),
              dropped(DropReason::fabric_hops_spent));
  }
  EXPECT_EQ(node.from_link(tagged({.egress = 2}, carried)),
            sent(kToNode2, tagged({.target = 2, .egress = 2, .hops = 0}, carried)));
  EXPECT_EQ(node.places.outputs[kToNode2]->counters.read().relayed, 3u);
}

// Node 1 between others:   6 - 0 - 1 - 2 - 4 - 5   with nodes 2 and 3 as two ways to 4 and 5, and a
//                                   \- 3 -/         link between them.
HarnessOptions graph(std::vector<bool> live_links = {true, true, true}) {
  const auto link = [](std::uint16_t a, std::uint16_t b) {
    return topo::LinkEnds{NodeId{a}, NodeId{b}};
  };
  return {.fabric = {link(0, 1), link(1, 2), link(1, 3), link(2, 4), link(3, 4), link(4, 5),
                     link(0, 6), link(2, 3)},
          .nodes = 7,
          .live_links = std::move(live_links)};
}

// Both ways to nodes 4 and 5 are as short: the target's number picks one.
const std::pair<std::uint16_t, std::size_t> kWays[] = {{0, kToNode0}, {2, kToNode2}, {3, kToNode3},
                                                       {4, kToNode2}, {5, kToNode3}, {6, kToNode0}};

TEST(Relay, ADetourDoesNotLeadBackToWhereTheFrameEntered) {
  PacketHarness node({.live_links = {true, true, false}});
  const auto carried = frame(Ipv4{});
  const std::pair<std::uint16_t, std::uint16_t> ways[] = {{0, 2}, {2, 0}};
  for (const auto& [ingress, over] : ways) {
    const Tag tag{.egress = 3, .hops = 2, .ingress = ingress};
    Tag onward = tag;
    onward.target = over;
    onward.hops = 1;
    EXPECT_EQ(node.from_link(tagged(tag, carried)),
              sent(over == 0 ? kToNode0 : kToNode2, tagged(onward, carried)));
  }
}

TEST(RelayInAnyGraph, AtItsTargetAFrameTurnsToItsEgressNode) {
  PacketHarness node(graph());
  for (const auto& [egress, output] : kWays) {
    for (std::uint8_t hops = 1; hops < 16; ++hops) {
      const Tag tag{.egress = egress, .hops = hops, .time_stamp = 0xabc, .ingress = 0xfff};
      Tag onward = tag;
      onward.target = egress;
      onward.hops = hops - 1;
      for (const std::size_t size : {14, 15, 34, 60, 1514}) {
        const auto carried = garbage(size);
        EXPECT_EQ(node.from_link(tagged(tag, carried)), sent(output, tagged(onward, carried)))
            << egress << " " << int{hops} << " " << size;
      }
    }
  }
}

TEST(RelayInAnyGraph, AFrameForAnotherTargetIsPassedOnTowardsThat) {
  PacketHarness node(graph());
  for (const auto& [target, output] : kWays) {
    for (const std::uint16_t egress : {0, 2, 3, 4, 5, 6, 7, 0xfff}) {
      const auto carried = garbage(60);
      const Tag tag{.target = target, .egress = egress, .hops = 9, .adjacency = 0xfedcba};
      Tag onward = tag;
      onward.hops = 8;
      EXPECT_EQ(node.from_link(tagged(tag, carried)), sent(output, tagged(onward, carried)))
          << target << " " << egress;
      EXPECT_EQ(node.from_link(tagged({.target = target, .egress = egress, .hops = 0}, carried)),
                dropped(DropReason::fabric_hops_spent));
    }
  }
}

TEST(RelayInAnyGraph, AFrameLeavesAtItsEgressNodeWhateverItsTarget) {
  PacketHarness node(graph());
  const auto carried = frame(Ipv4{});
  for (const std::uint16_t target : {0, 1, 2, 3, 4, 5, 6}) {
    for (const std::uint8_t hops : {0, 1, 15}) {
      EXPECT_EQ(node.from_link(tagged({.target = target, .hops = hops}, carried)),
                sent(kPort1, with_macs(carried, kNeighborB, kPort1Mac)));
    }
    EXPECT_EQ(node.from_link(tagged({.target = target, .adjacency = kUnknownIndex}, carried)),
              dropped(DropReason::adjacency_unknown));
  }
}

TEST(RelayInAnyGraph, TargetsThatAreNotThere) {
  PacketHarness node(graph());
  for (const std::uint16_t target : {7, 8, 0x010, 0x100, 0xfff}) {
    for (const std::uint16_t egress : {0, 1, 5, 7, 0xfff}) {
      EXPECT_EQ(node.from_link(tagged({.target = target, .egress = egress}, frame(Ipv4{}))),
                dropped(DropReason::fabric_wrong_target))
          << target << " " << egress;
    }
  }
  for (const std::uint16_t egress : {7, 0xfff}) {
    EXPECT_EQ(node.from_link(tagged({.egress = egress}, frame(Ipv4{}))),
              dropped(DropReason::fabric_no_path));
  }
}

TEST(RelayInAnyGraph, WhatIsNoFabricFrameIsDropped) {
  PacketHarness node(graph());
  for (int kind = 0; kind < 256; ++kind) {
    if (kind == kData) continue;
    for (const std::uint16_t egress : {1, 5}) {
      const Tag tag{.kind = static_cast<std::uint8_t>(kind), .target = 5, .egress = egress};
      EXPECT_EQ(node.from_link(tagged(tag, frame(Ipv4{}))), dropped(DropReason::fabric_malformed));
    }
  }
  for (const auto& tag : {Tag{.egress = 5, .fixed = 3}, Tag{.egress = 5, .spare = 1},
                          Tag{.target = 5, .egress = 5, .spare = 8}, Tag{.spare = 4}}) {
    EXPECT_EQ(node.from_link(tagged(tag, frame(Ipv4{}))), dropped(DropReason::fabric_malformed));
  }
}

TEST(RelayInAnyGraph, TheOtherShortestPathWhereOneIsDead) {
  PacketHarness node(graph({true, false, true}));
  const auto carried = frame(Ipv4{});
  for (const std::uint16_t egress : {4, 5}) {
    EXPECT_EQ(node.from_link(tagged({.egress = egress}, carried)),
              sent(kToNode3, tagged({.target = egress, .egress = egress, .hops = 0}, carried)));
  }
}

TEST(RelayInAnyGraph, ADetourIsOverANeighbourThatIsNoFarther) {
  PacketHarness node(graph({true, false, true}));
  const auto carried = frame(Ipv4{});
  // Node 3 is as near to node 2 as this one; it becomes the target, also of a frame's first phase.
  for (const Tag& tag : {Tag{.egress = 2, .hops = 4}, Tag{.target = 2, .egress = 5, .hops = 4}}) {
    Tag onward = tag;
    onward.target = 3;
    onward.hops = 3;
    EXPECT_EQ(node.from_link(tagged(tag, carried)), sent(kToNode3, tagged(onward, carried)));
  }
  EXPECT_EQ(node.from_link(tagged({.egress = 2, .hops = 0}, carried)),
            dropped(DropReason::fabric_hops_spent));
  // Nodes 0 and 6 are behind the link to node 0 only.
  PacketHarness cut(graph({false, true, true}));
  EXPECT_EQ(cut.from_link(tagged({.egress = 6}, carried)), dropped(DropReason::fabric_no_path));
}

TEST(RelayInAnyGraph, ABurstOfAllKindsIsAsItsFramesAlone) {
  PacketHarness node(graph({true, false, true}));
  std::uint32_t state = 1;
  const auto random = [&](std::uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % below;
  };
  for (int round = 0; round < 300; ++round) {
    std::vector<Bytes> frames;
    std::vector<Outcome> alone;
    for (std::uint32_t i = 1 + random(kBurst); i > 0; --i) {
      const Tag tag{.kind = random(16) == 0 ? std::uint8_t{0xd6} : kData,
                    .target = static_cast<std::uint16_t>(random(8)),
                    .egress = static_cast<std::uint16_t>(random(8)),
                    .hops = static_cast<std::uint8_t>(random(3)),
                    .adjacency = random(9)};
      frames.push_back(tagged(tag, frame(Ipv4{})));
      alone.push_back(node.from_link(frames.back()));
    }
    std::vector<rte_mbuf*> burst;
    for (const auto& bytes : frames) burst.push_back(new_frame(bytes, {}));
    EXPECT_EQ(node.run(Entrance::link0, burst), alone);
  }
}

TEST(Egress, TheMacsOfTheAdjacencyAndNothingElse) {
  PacketHarness node;
  for (const std::uint8_t ttl : {1, 0, 63, 255}) {  // counted down at the ingress, not here
    for (const auto& carried :
         {frame(Ipv4{.ttl = ttl}), frame(Ipv6{.hop_limit = ttl}),
          padded(frame(Ipv4{.protocol = 253, .ttl = ttl, .payload = {}}), 60)}) {
      EXPECT_EQ(node.from_link(tagged({.adjacency = 0}, carried)),
                sent(kPort0, with_macs(carried, kHostMac, kPort0Mac)));
      EXPECT_EQ(node.from_link(tagged({.adjacency = 1}, carried)),
                sent(kPort1, with_macs(carried, kNeighborB, kPort1Mac)));
      EXPECT_EQ(node.from_link(tagged({.adjacency = 2}, carried)),
                sent(kPort1, with_macs(carried, kNeighborC, kPort1Mac)));
    }
  }
  const auto counters = node.places.outputs[kPort1]->counters.read();
  EXPECT_EQ(counters.direct + counters.via_relay + counters.relayed, 0u);
}

TEST(Egress, TheIngressAndItsMarksDoNotMatter) {
  PacketHarness node;
  const Tag tag{.hops = 15, .time_stamp = 0xfff, .epoch_mark = 0, .ingress = 0xfff};
  EXPECT_EQ(node.from_link(tagged(tag, frame(Ipv4{}))),
            sent(kPort1, with_macs(frame(Ipv4{}), kNeighborB, kPort1Mac)));
}

TEST(Egress, AdjacenciesThatAreGone) {
  PacketHarness node;
  for (const std::uint32_t index :
       {kPortOutOfRangeIndex, kNotValidIndex, kUnknownIndex, 9u, 0x012345u, 0xffffffu}) {
    EXPECT_EQ(node.from_link(tagged({.adjacency = index}, frame(Ipv4{}))),
              dropped(DropReason::adjacency_unknown))
        << index;
  }
}

TEST(Egress, OnlyIpLeavesTheCluster) {
  PacketHarness node;
  for (const std::uint16_t type : {0x0000, 0x0806, 0x8100, 0x88a8, 0x88cc, 0xffff}) {
    const auto carried = ethernet({.type = type}, packet(Ipv4{}));
    EXPECT_EQ(node.from_link(tagged({}, carried)), dropped(DropReason::fabric_malformed)) << type;
  }
}

TEST(Egress, AHeaderThatIsCutShortIsMalformed) {
  PacketHarness node;
  const auto ipv4 = frame(Ipv4{}), ipv6 = frame(Ipv6{});
  for (std::size_t size = kEthernet; size < kEthernet + 40; ++size) {
    const auto end = static_cast<std::ptrdiff_t>(size);
    const Bytes cut4(ipv4.begin(), ipv4.begin() + end), cut6(ipv6.begin(), ipv6.begin() + end);
    if (size < kEthernet + 20) {
      EXPECT_EQ(node.from_link(tagged({}, cut4)), dropped(DropReason::fabric_malformed)) << size;
      EXPECT_EQ(node.from_link(tagged({}, ipv4), {.split = size}),
                dropped(DropReason::fabric_malformed));
    }
    EXPECT_EQ(node.from_link(tagged({}, cut6)), dropped(DropReason::fabric_malformed)) << size;
  }
}

TEST(Egress, TheMtuIsCheckedOnceMore) {
  PacketHarness node;
  const auto ipv4 = [](std::size_t size) { return frame(Ipv4{.payload = counting(size - 20)}); };
  const auto ipv6 = [](std::size_t size) { return frame(Ipv6{.payload = counting(size - 40)}); };
  const std::pair<std::uint32_t, std::size_t> adjacencies[] = {{1, 1500}, {2, kSmallMtu}};
  for (const auto& [index, mtu] : adjacencies) {
    const Tag tag{.adjacency = index};
    for (const auto& fits : {ipv4(mtu), ipv6(mtu)}) {
      EXPECT_EQ(node.from_link(tagged(tag, fits)).fate, Fate::transmit);
      EXPECT_EQ(node.from_link(tagged(tag, fits), {.split = 100}).fate, Fate::transmit);
    }
    for (const auto& too_big : {ipv4(mtu + 1), ipv6(mtu + 1)}) {
      EXPECT_EQ(node.from_link(tagged(tag, too_big)), dropped(DropReason::mtu_exceeded));
    }
  }
}

TEST(Egress, EveryLinkIsAnEntranceOfItsOwn) {
  PacketHarness node;
  for (const auto link : {Entrance::link0, Entrance::link1, Entrance::link2}) {
    EXPECT_EQ(node.run(link, tagged({}, frame(Ipv4{}))).output, kPort1);
    EXPECT_EQ(node.place_of(link).counters.read().sent, 1u);
  }
}

}  // namespace
}  // namespace rackway::node::testing
