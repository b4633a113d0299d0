// SPDX-License-Identifier: Apache-2.0
// What is refused, and why, is in snapshot_refusal_test.cc.
#include "fib/snapshot_file.hh"

#include <gtest/gtest.h>

#include <random>

#include "tests/fib/sample_records.hh"
#include "tests/fib/scratch_folder.hh"
#include "tests/fib/snapshot_octets.hh"
#include "tests/fib/table_generator.hh"

namespace rackway::fib::testing {
namespace {

class SnapshotFileTest : public ::testing::Test {
 protected:
  void expect_round_trip(const Fib& fib) {
    const auto written = write_snapshot(fib, path_);
    ASSERT_TRUE(written) << written.error().message;
    const auto read = read_snapshot(path_);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_TRUE(*read == fib.snapshot());
    EXPECT_EQ(fib_of(*read).digest(), fib.digest());
  }

  const ScratchFolder folder_;
  const std::filesystem::path path_ = folder_.file("fib.snapshot");
};

// ---- golden bytes, made apart from this code: by hand, hashed by XXH3 of each record and of all

const std::string kGolden = octets(
    "52 4b 57 59 53 4e 41 50  00 02  00 00 00 00 00 00 00 b7"                         // 183 octets
    "00 00 00 01  00 03 00 01 02 03 00 07 01 2c 02 00 00 00 0a 01 23 28 04 0a000001"  // adjacency
    "00 00 00 02  00 00 00 07 03 00 00"                                               // groups
    "             00 00 10 20 00 00 01 00 03 00 01 02 03 00 05"
    "00 00 00 02  04 0a 00 00 00 08 00 00 10 20"  // routes
    "             06 20010db8000000000000000000000000 20 00 00 00 07"
    "00 00 00 01  00 03 00 07 0f fe 06 20010db8000000000000000000000001 40"  // port address
    "00 00 00 00  00 00 00 00  00 00 00 00  00 00 00 00"                     // nothing is removed
    "0d9cbf7008ef74a5 71955d0db2342ab8"                                      // digest
    "d05e645253bc686f 459fdc8c7f19c2a2");                                    // checksum

const std::string kGoldenEmpty = octets(
    "52 4b 57 59 53 4e 41 50  00 02  00 00 00 00 00 00 00 52"  // 82 octets
    "0000000000000000 0000000000000000 0000000000000000 0000000000000000"
    "0000000000000000 0000000000000000"
    "0d5f43d5091d9a79 75c1c8d54b7cefec");

Delta golden_content() {
  const AdjacencyKey neighbour = key(3, 0x010203);
  Delta delta;
  delta.adjacencies = {
      {neighbour, {7}, {300}, *MacAddress::parse("02:00:00:00:0a:01"), 9000, ip("10.0.0.1")}};
  delta.groups = {plain(7, GroupKind::blackhole), forward(0x1020, {{neighbour, 5}})};
  delta.routes = {route("10.0.0.0/8", 0x1020), route("2001:db8::/32", 7)};
  delta.addresses = {port_address(3, 7, "2001:db8::1", 64, 4094)};
  return delta;
}

TEST_F(SnapshotFileTest, GoldenBytesAreWritten) {
  ASSERT_TRUE(write_snapshot(fib_of(golden_content()), path_));
  EXPECT_EQ(file_at(path_), kGolden);
  ASSERT_TRUE(write_snapshot(Fib(), path_));
  EXPECT_EQ(file_at(path_), kGoldenEmpty);
}

TEST_F(SnapshotFileTest, GoldenBytesAreRead) {
  put_file(path_, kGolden);
  auto read = read_snapshot(path_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(*read == golden_content());
  put_file(path_, kGoldenEmpty);
  read = read_snapshot(path_);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(*read == Delta{});
}

// ---- round trips

TEST_F(SnapshotFileTest, EmptyAndSmallOnesComeBack) {
  expect_round_trip(Fib());
  expect_round_trip(fib_of(sample()));
}

// Fields at both ends of their ranges; but a Fib has a place for every index below the greatest, so
// that of an adjacency is only one of three octets.
TEST_F(SnapshotFileTest, TheEndsOfAllRangesComeBack) {
  const AdjacencyKey last = {{kMaxNodes - 1}, {0xfffff}};
  Delta delta;
  delta.adjacencies = {
      {key(0, 0), {0}, {0}, {{0, 0, 0, 0, 0, 1}}, 68, ip("::")},
      {last, {255}, {4094}, {{0xfe, 255, 255, 255, 255, 255}}, 65535, ip("0.0.0.0")}};
  delta.groups = {forward(0, {{last, 65535}}), {{kMaxGroups - 1}, GroupKind::forward, {}}};
  delta.groups[1].members.assign(kMaxGroupMembers, {key(0, 0), 1});
  delta.routes = {route("0.0.0.0/0", 0), route("255.255.255.255/32", kMaxGroups - 1),
                  route("::/0", 0),
                  route("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff/128", kMaxGroups - 1)};
  delta.addresses = {port_address(0, 0, "0.0.0.0", 0),
                     port_address(4095, 255, "ffff::", 128, 4094)};
  expect_round_trip(fib_of(delta));
}

class RandomContent {
 public:
  explicit RandomContent(unsigned seed) : random_(seed) {}

  Fib fib() {
    Delta delta;
    for (unsigned i = 0; i < 20; ++i) delta.adjacencies.push_back(adjacency(below(9), i));
    for (unsigned id = 0; id < 30; ++id) delta.groups.push_back(group(id, delta.adjacencies));
    std::set<IpPrefix> prefixes;
    for (unsigned i = below(300); i > 0; --i) prefixes.insert(random_prefix());
    for (const auto& prefix : prefixes) delta.routes.push_back({prefix, {below(30)}});
    for (unsigned i = 0; i < below(9); ++i) {
      delta.addresses.push_back(port_address(below(9), i, below(2) ? "10.0.0.1" : "fe80::1", 24));
    }
    return fib_of(delta);
  }

 private:
  unsigned below(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  Group group(unsigned id, const std::vector<Adjacency>& adjacencies) {
    if (below(3) == 0) return plain(id, static_cast<GroupKind>(1 + below(kGroupKinds - 1)));
    std::vector<std::pair<AdjacencyKey, unsigned>> members(1 + below(8));
    for (auto& [member, weight] : members) {
      member = adjacencies[below(20)].key;
      weight = 1 + below(65535);
    }
    return forward(id, members);
  }

  IpPrefix random_prefix() {
    if (below(2) == 0) {
      return IpPrefix::covering(Ipv4Address{static_cast<std::uint32_t>(random_())},
                                static_cast<std::uint8_t>(below(33)));
    }
    Ipv6Address address;
    for (auto& byte : address.bytes) byte = static_cast<std::uint8_t>(random_());
    return IpPrefix::covering(address, static_cast<std::uint8_t>(below(129)));
  }

  std::mt19937_64 random_;
};

TEST_F(SnapshotFileTest, RandomOnesComeBack) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    SCOPED_TRACE(seed);
    expect_round_trip(RandomContent(seed).fib());
  }
}

template <class Address>
void add_table(Delta& delta, std::size_t prefixes) {
  for (const TableRoute& route : TableGenerator<Address>(7).make(prefixes, 64)) {
    delta.routes.push_back({route.prefix, {route.next_hop.value - kFirstNextHop}});
  }
}

TEST_F(SnapshotFileTest, LargeTablesComeBack) {
  Delta delta;
  delta.adjacencies = {adjacency(1, 0)};
  for (unsigned id = 0; id < 64; ++id) delta.groups.push_back(forward(id, {{key(1, 0), 1}}));
  add_table<Ipv4Address>(delta, 100'000);
  add_table<Ipv6Address>(delta, 25'000);
  expect_round_trip(fib_of(delta));
  // A count and 21 octets; 64 groups of 15; routes of 10 and 22.
  EXPECT_EQ(std::filesystem::file_size(path_), 82 + 23 + 64 * 15 + 100'000 * 10 + 25'000 * 22);
}

// ---- what is in the file's place, and beside it

TEST_F(SnapshotFileTest, EqualContentMakesEqualFilesWhateverItsHistory) {
  Fib fib = fib_of(sample());
  Delta there, back;
  there.removed_routes = {prefix("10.1.0.0/20")};
  there.removed_groups = {{1}};
  back.groups = {sample().groups[1]};
  back.routes = {route("2001:db8::/32", 1), route("10.1.0.0/20", 1)};
  there.routes = {route("2001:db8::/32", 0)};
  ASSERT_TRUE(fib.apply(there));
  ASSERT_TRUE(fib.apply(back));
  ASSERT_TRUE(write_snapshot(fib, path_));
  ASSERT_TRUE(write_snapshot(fib_of(sample()), folder_.file("other")));
  EXPECT_EQ(file_at(path_), file_at(folder_.file("other")));
}

TEST_F(SnapshotFileTest, TheNewestIsThereAndNothingElse) {
  ASSERT_TRUE(write_snapshot(fib_of(sample()), path_));
  ASSERT_TRUE(write_snapshot(Fib(), path_));
  EXPECT_EQ(file_at(path_), kGoldenEmpty);
  EXPECT_EQ(folder_.names(), std::set<std::string>{"fib.snapshot"});
}

TEST_F(SnapshotFileTest, AFaultInWritingNamesThePath) {
  const auto path = folder_.file("none/fib.snapshot");
  const auto written = write_snapshot(Fib(), path);
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().message, path.string() + ": can not create " + path.string() +
                                         ".new: No such file or directory");
}

}  // namespace
}  // namespace rackway::fib::testing
