// SPDX-License-Identifier: Apache-2.0
#include "control/table_file/mrt_reader.hh"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "control/table_file/best_path.hh"
#include "tests/table_file/mrt_octets.hh"

namespace rackway::table_file::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Outcome {
  std::vector<std::string> lines;
  SkipCounts skipped;
  std::uint64_t records, paths;
};

Outcome outcome_of(const std::string& octets) {
  MemorySource source(octets);
  MrtReader reader(source);
  auto lines = read_all(reader);
  return {lines, reader.skipped(), reader.records(), reader.paths()};
}

// That nothing was read but what is counted once for this reason.
void expect_only(const Outcome& outcome, Skip reason, std::uint64_t times = 1) {
  EXPECT_THAT(outcome.lines, IsEmpty());
  EXPECT_EQ(outcome.skipped.of(reason), times) << to_string(reason);
  EXPECT_EQ(outcome.skipped.total(), times);
}

const std::string kGood = origin(0) + as_path(2) + next_hop("198.51.100.1");

TEST(MrtReader, ReadsGoldenOctets) {
  const unsigned char octets[] = {
      // PEER_INDEX_TABLE
      0x5e, 0, 0, 0, 0, 13, 0, 1, 0, 0, 0, 21,        // header
      10, 0, 0, 9, 0, 0, 0, 1,                        // collector, no view name, 1 peer
      2, 10, 0, 0, 1, 10, 0, 0, 1, 0, 0, 0xfd, 0xe8,  // IPv4 with AS of 4 octets
      // RIB_IPV4_UNICAST
      0x5e, 0, 0, 0, 0, 13, 0, 2, 0, 0, 0, 33,  // header
      0, 0, 0, 5, 20, 203, 0, 0x70, 0, 1,       // sequence, 203.0.112.0/20, 1 entry
      0, 0, 0x5e, 0, 0, 0, 0, 15,               // peer 0, time, 15 octets of attributes
      0x40, 1, 1, 0, 0x50, 2, 0, 0, 0x40, 3, 4, 10, 0, 0, 1};
  const std::string file(reinterpret_cast<const char*>(octets), sizeof octets);
  const auto outcome = outcome_of(file);
  EXPECT_THAT(outcome.lines, ElementsAre("203.0.112.0/20 via 10.0.0.1 from 10.0.0.1 AS65000"));
  EXPECT_EQ(outcome.records, 2u);
  EXPECT_EQ(outcome.paths, 1u);
  EXPECT_EQ(outcome.skipped, SkipCounts{});
}

TEST(MrtReader, ReadsPathsOfSeveralPeersWithTheirAttributes) {
  const auto file =
      two_peers() +
      rib_ipv4("203.0.113.0/24",
               {entry(1, kGood), entry(0, origin(2) + as_path(5) + next_hop("198.51.100.9") +
                                              attribute(5, {"\0\0\1\0", 4}))});
  MemorySource source(file);
  MrtReader reader(source);
  MrtRib rib;
  ASSERT_TRUE(reader.next(rib));
  EXPECT_EQ(rib.prefix, prefix("203.0.113.0/24"));
  EXPECT_THAT(rib.paths, ElementsAre(MrtPath{1, 0, {ip("198.51.100.1"), 100, 2, 0}},
                                     MrtPath{0, 0, {ip("198.51.100.9"), 256, 5, 2}}));
  EXPECT_FALSE(reader.next(rib));
  EXPECT_FALSE(reader.next(rib));
}

TEST(MrtReader, ReadsIpv6NextHopsInBothForms) {
  const auto outcome = outcome_of(
      two_peers() + rib_ipv6("2001:db8:1::/48", {entry(1, mp_reach_short({"2001:db8::9"}))}) +
      rib_ipv6("2001:db8:2::/48", {entry(1, mp_reach_short({"2001:db8::9", "fe80::9"}))}) +
      rib_ipv6("2001:db8:3::/48", {entry(0, mp_reach_whole("2001:db8::8"))}) +
      rib_ipv6("::/0", {entry(0, mp_reach_short({"2001:db8::7"}))}));
  EXPECT_THAT(outcome.lines,
              ElementsAre("2001:db8:1::/48 via 2001:db8::9 from 2001:db8::1 AS400000",
                          "2001:db8:2::/48 via 2001:db8::9 from 2001:db8::1 AS400000",
                          "2001:db8:3::/48 via 2001:db8::8 from 192.0.2.1 AS65000",
                          "::/0 via 2001:db8::7 from 192.0.2.1 AS65000"));
  EXPECT_EQ(outcome.skipped.total(), 0u);
}

TEST(MrtReader, AnIpv4PrefixMayHaveAnIpv6NextHop) {
  const auto outcome = outcome_of(
      two_peers() + rib_ipv4("203.0.113.0/24", {entry(0, mp_reach_short({"2001:db8::9"}))}));
  EXPECT_THAT(outcome.lines, ElementsAre("203.0.113.0/24 via 2001:db8::9 from 192.0.2.1 AS65000"));
}

TEST(MrtReader, ReadsPathIdentifiers) {
  const auto outcome = outcome_of(
      two_peers() +
      record(13, 8, rib_body("203.0.113.0/24", {entry(0, kGood, 3), entry(0, kGood, 4)})) +
      record(13, 10, rib_body("2001:db8::/32", {entry(1, mp_reach_short({"2001:db8::9"}), 1)})));
  EXPECT_THAT(outcome.lines,
              ElementsAre("203.0.113.0/24 via 198.51.100.1 from 192.0.2.1 AS65000 path 3",
                          "203.0.113.0/24 via 198.51.100.1 from 192.0.2.1 AS65000 path 4",
                          "2001:db8::/32 via 2001:db8::9 from 2001:db8::1 AS400000 path 1"));
}

TEST(MrtReader, ReadsGenericRibsOfIpUnicast) {
  const std::string ipv4_unicast{0, 1, 1}, ipv6_unicast{0, 2, 1}, ipv4_labelled{0, 1, 4};
  const auto outcome = outcome_of(
      two_peers() + record(13, 6, rib_body("203.0.113.0/24", {entry(0, kGood)}, ipv4_unicast)) +
      record(13, 6,
             rib_body("2001:db8::/32", {entry(0, mp_reach_short({"2001:db8::9"}))}, ipv6_unicast)) +
      record(13, 6, rib_body("203.0.113.0/24", {entry(0, kGood)}, ipv4_labelled)));
  EXPECT_THAT(outcome.lines, ElementsAre("203.0.113.0/24 via 198.51.100.1 from 192.0.2.1 AS65000",
                                         "2001:db8::/32 via 2001:db8::9 from 192.0.2.1 AS65000"));
  EXPECT_EQ(outcome.skipped.of(Skip::unsupported_rib), 1u);
}

TEST(MrtReader, ReadsTableDump) {
  const auto ipv4 = origin(0) + as_path(3, 2) + next_hop("198.51.100.1");
  const auto outcome =
      outcome_of(table_dump("203.0.113.0/24", "192.0.2.1", 65000, ipv4) +
                 table_dump("203.0.113.0/24", "192.0.2.2", 65001, ipv4) +
                 table_dump("2001:db8::/32", "2001:db8::2", 65002, mp_reach_whole("2001:db8::8")) +
                 table_dump("198.51.100.0/24", "192.0.2.1", 65000, ipv4));
  EXPECT_THAT(outcome.lines,
              ElementsAre("203.0.113.0/24 via 198.51.100.1 from 192.0.2.1 AS65000",
                          "203.0.113.0/24 via 198.51.100.1 from 192.0.2.2 AS65001",
                          "2001:db8::/32 via 2001:db8::8 from 2001:db8::2 AS65002",
                          "198.51.100.0/24 via 198.51.100.1 from 192.0.2.1 AS65000"));
  EXPECT_EQ(outcome.skipped.total(), 0u);
}

TEST(MrtReader, ClearsBitsBehindThePrefix) {
  auto body = rib_body("203.0.112.0/20", {entry(0, kGood)});
  body[7] = 0x7f;  // the third octet of the prefix
  EXPECT_THAT(outcome_of(two_peers() + record(13, 2, body)).lines,
              ElementsAre("203.0.112.0/20 via 198.51.100.1 from 192.0.2.1 AS65000"));
}

// ---- what is passed over, one reason each

TEST(MrtReader, CountsOtherRecords) {
  expect_only(outcome_of(record(16, 4, "update")), Skip::not_a_rib);
  expect_only(outcome_of(record(13, 7, "geo")), Skip::not_a_rib);
  expect_only(outcome_of(record(13, 99, "")), Skip::not_a_rib);
  expect_only(outcome_of(record(12, 3, "")), Skip::unsupported_rib);
  for (const std::uint16_t subtype : {3, 5, 9, 11, 12}) {
    expect_only(outcome_of(record(13, subtype, "")), Skip::unsupported_rib);
  }
}

TEST(MrtReader, CountsARibBeforeItsPeers) {
  expect_only(outcome_of(rib_ipv4("203.0.113.0/24", {entry(0, kGood)})), Skip::no_peer_index);
}

TEST(MrtReader, CountsABrokenPeerIndexAndWhatNeedsIt) {
  auto index = two_peers();
  index.resize(index.size() - 1);
  index[11] = static_cast<char>(index.size() - 12);
  const auto outcome = outcome_of(two_peers() + index + rib_ipv4("203.0.113.0/24", {}));
  EXPECT_EQ(outcome.skipped.of(Skip::broken_peer_index), 1u);
  EXPECT_EQ(outcome.skipped.of(Skip::no_peer_index), 1u);
}

TEST(MrtReader, CountsBadPrefixes) {
  std::string body(4, '\0');
  expect_only(outcome_of(two_peers() + record(13, 2, body + '\x21')), Skip::bad_prefix);
  expect_only(outcome_of(two_peers() + record(13, 4, body + '\x81')), Skip::bad_prefix);
  auto dump = table_dump("203.0.113.0/24", "192.0.2.1", 1, next_hop("198.51.100.1"));
  dump[12 + 8] = 33;
  expect_only(outcome_of(dump), Skip::bad_prefix);
}

TEST(MrtReader, CountsUnknownPeersAndReadsTheOthers) {
  const auto outcome =
      outcome_of(two_peers() + rib_ipv4("203.0.113.0/24", {entry(2, kGood), entry(1, kGood)}));
  EXPECT_THAT(outcome.lines,
              ElementsAre("203.0.113.0/24 via 198.51.100.1 from 2001:db8::1 AS400000"));
  EXPECT_EQ(outcome.skipped.of(Skip::unknown_peer), 1u);
}

TEST(MrtReader, CountsBrokenAttributes) {
  const std::string broken[] = {
      std::string("\x40"),                          // cut off before the type
      std::string("\x40\x01\x02\x00", 4),           // longer than what is there
      attribute(1, "ab"),                           // an origin of two octets
      attribute(5, "abc"),                          // a preference of three
      attribute(3, "abcde"),                        // a next hop of five
      attribute(2, std::string{2, 2, 0, 0, 0, 1}),  // two numbers, one there
      attribute(2, std::string{9, 0}),              // a segment of no type
      attribute(14, ""),                            // no length
      attribute(14, std::string{16, 1, 2}),         // shorter than it says
      attribute(14, std::string{3, 1, 2, 3}),       // no address
  };
  for (const auto& bad : broken) {
    expect_only(outcome_of(two_peers() + rib_ipv6("2001:db8::/32", {entry(0, bad)})),
                Skip::broken_attributes);
  }
}

TEST(MrtReader, CountsPathsWithoutAUsableNextHop) {
  expect_only(outcome_of(two_peers() + rib_ipv4("203.0.113.0/24", {entry(0, origin(0))})),
              Skip::no_next_hop);
  expect_only(outcome_of(two_peers() + rib_ipv6("2001:db8::/32", {entry(0, kGood)})),
              Skip::no_next_hop);
  for (const auto* hop : {"0.0.0.0", "127.0.0.1", "169.254.1.1", "224.0.0.1", "255.255.255.255"}) {
    expect_only(outcome_of(two_peers() + rib_ipv4("203.0.113.0/24", {entry(0, next_hop(hop))})),
                Skip::unusable_next_hop);
  }
  for (const auto* hop : {"::", "::1", "fe80::1", "ff02::1"}) {
    expect_only(
        outcome_of(two_peers() + rib_ipv6("2001:db8::/32", {entry(0, mp_reach_short({hop}))})),
        Skip::unusable_next_hop);
  }
}

TEST(MrtReader, ReadsPathsBeforeTheBreakOfARecord) {
  auto body = rib_body("203.0.113.0/24", {entry(0, kGood), entry(1, kGood)});
  body.resize(body.size() - 1);
  auto longer = rib_body("203.0.113.0/24", {entry(0, kGood)}) + "x";
  for (const auto& broken : {body, longer}) {
    const auto outcome = outcome_of(two_peers() + record(13, 2, broken));
    EXPECT_THAT(outcome.lines,
                ElementsAre("203.0.113.0/24 via 198.51.100.1 from 192.0.2.1 AS65000"));
    EXPECT_EQ(outcome.skipped.of(Skip::broken_record), 1u);
    EXPECT_EQ(outcome.skipped.total(), 1u);
  }
}

TEST(MrtReader, GoesOnBehindARecordThatIsTooLong) {
  const auto huge = record(13, 2, std::string(MrtRecords::kMostOctets + 1, 'x'));
  const auto outcome =
      outcome_of(two_peers() + huge + rib_ipv4("203.0.113.0/24", {entry(0, kGood)}));
  EXPECT_EQ(outcome.lines.size(), 1u);
  EXPECT_EQ(outcome.skipped.of(Skip::too_long), 1u);
}

// Wherever a file ends: what is whole before that is read, the rest is counted once.
TEST(MrtReader, SeesWhereAFileIsCutOff) {
  const std::vector<std::string> records{two_peers(), rib_ipv4("203.0.113.0/24", {entry(0, kGood)}),
                                         rib_ipv4("198.51.100.0/24", {entry(1, kGood)})};
  const auto file = records[0] + records[1] + records[2];
  for (std::size_t size = 0; size <= file.size(); ++size) {
    const auto outcome = outcome_of(file.substr(0, size));
    std::size_t whole = 0, at = 0;
    while (whole < records.size() && at + records[whole].size() <= size) {
      at += records[whole++].size();
    }
    ASSERT_EQ(outcome.records, whole);
    ASSERT_EQ(outcome.lines.size(), whole == 0 ? 0 : whole - 1);
    ASSERT_EQ(outcome.skipped.of(Skip::cut_off), at == size ? 0u : 1u) << size;
    ASSERT_EQ(outcome.skipped.total(), at == size ? 0u : 1u) << size;
  }
}

TEST(BestPath, GoesByPreferenceLengthOriginAndNextHop) {
  const PathAttributes usual{ip("192.0.2.2"), 100, 3, 1};
  auto better = [&](auto change) {
    auto other = usual;
    change(other);
    return is_better(other, usual) && !is_better(usual, other);
  };
  EXPECT_FALSE(is_better(usual, usual));
  EXPECT_TRUE(better([](auto& p) { p.local_preference = 101, p.as_path_length = 9; }));
  EXPECT_TRUE(better([](auto& p) { p.as_path_length = 2, p.origin = 2; }));
  EXPECT_TRUE(better([](auto& p) { p.origin = 0, p.next_hop = ip("192.0.2.3"); }));
  EXPECT_TRUE(better([](auto& p) { p.next_hop = ip("192.0.2.1"); }));
}

}  // namespace
}  // namespace rackway::table_file::testing
