// SPDX-License-Identifier: Apache-2.0
// Which files are refused as snapshots, and what is said of them. Files that have their checksum
// made good again stand for a faulty writer: what is behind the checksum must not rely on it.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <functional>

#include "base/wire.hh"
#include "fib/record_digest.hh"
#include "fib/record_wire.hh"
#include "fib/snapshot_file.hh"
#include "tests/fib/sample_records.hh"
#include "tests/fib/scratch_folder.hh"
#include "tests/fib/snapshot_octets.hh"

namespace rackway::fib::testing {
namespace {

class SnapshotRefusalTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(write_snapshot(fib_of(sample()), path_));
    sound_ = file_at(path_);
  }

  // What is said of the file, without its path; "none" if it is read.
  std::string refusal() {
    const auto read = read_snapshot(path_);
    if (read) return "none";
    const auto& message = read.error().message;
    const auto path = path_.string() + ": ";
    EXPECT_TRUE(message.starts_with(path)) << message;
    return message.substr(std::min(path.size(), message.size()));
  }
  std::string refusal_of(std::string_view bytes) {
    put_file(path_, bytes);
    return refusal();
  }

  // Of the sample after a change, written as it is.
  std::string refusal_after(const std::function<void(Delta&)>& change) {
    Delta content = sample();
    change(content);
    WireWriter out;
    write(out, content);
    write(out, digest_of(content));
    return refusal_of(sealed(sound_.substr(0, kSnapshotRecordsAt) + out.take()));
  }

  const ScratchFolder folder_;
  const std::filesystem::path path_ = folder_.file("fib.snapshot");
  std::string sound_;
};

TEST_F(SnapshotRefusalTest, TheSoundOneIsRead) {
  EXPECT_EQ(refusal_of(sound_), "none");
  EXPECT_EQ(refusal_of(sealed(without_checksum(sound_))), "none");
  EXPECT_EQ(refusal_after([](Delta&) {}), "none");
}

// ---- every octet, every length

TEST_F(SnapshotRefusalTest, EveryDamagedBitIsSeen) {
  for (std::size_t at = 0; at < sound_.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = sound_;
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      ASSERT_NE(refusal_of(damaged), "none") << "octet " << at << " bit " << bit;
    }
  }
}

TEST_F(SnapshotRefusalTest, EveryDamagedBitIsSeenUnderAGoodChecksum) {
  for (std::size_t at = 0; at < sound_.size() - kSnapshotChecksum; ++at) {
    if (at >= kSnapshotSizeAt && at < kSnapshotRecordsAt) continue;  // is made good too
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = without_checksum(sound_);
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << bit);
      ASSERT_NE(refusal_of(sealed(damaged)), "none") << "octet " << at << " bit " << bit;
    }
  }
}

TEST_F(SnapshotRefusalTest, EveryTruncationIsSeen) {
  for (std::size_t size = 0; size < sound_.size(); ++size) {
    const auto refusal = refusal_of(std::string_view(sound_).substr(0, size));
    const auto has = "is truncated: it has " + std::to_string(size) + " octets, ";
    const auto expected = size < 8    ? "is not a snapshot of a FIB"
                          : size < 82 ? has + "the least is 82"
                                      : has + "not " + std::to_string(sound_.size());
    ASSERT_EQ(refusal, expected);
  }
}

TEST_F(SnapshotRefusalTest, EveryTruncationIsSeenUnderAGoodChecksum) {
  const auto all = without_checksum(sound_);
  for (std::size_t size = kSnapshotRecordsAt; size < all.size(); ++size) {
    ASSERT_NE(refusal_of(sealed(all.substr(0, size))), "none") << size;
  }
  EXPECT_EQ(refusal_of(sealed(all.substr(0, all.size() - 1))), "has malformed records");
}

TEST_F(SnapshotRefusalTest, WhatIsTooLongIsSeen) {
  const auto size = std::to_string(sound_.size()), more = std::to_string(sound_.size() + 1);
  EXPECT_EQ(refusal_of(sound_ + '\0'),
            "is longer than it says: it has " + more + " octets, not " + size);
  EXPECT_EQ(refusal_of(sealed(without_checksum(sound_) + '\0')), "has malformed records");
}

// ---- one reason after the other

TEST_F(SnapshotRefusalTest, OtherFilesAreNoSnapshots) {
  EXPECT_EQ(refusal_of(""), "is not a snapshot of a FIB");
  EXPECT_EQ(refusal_of(std::string(1000, 'x')), "is not a snapshot of a FIB");
}

TEST_F(SnapshotRefusalTest, WhatIsNoFileIsSaid) {
  std::filesystem::remove(path_);
  EXPECT_EQ(refusal(), "can not open it: No such file or directory");
  std::filesystem::create_directory(path_);
  EXPECT_EQ(refusal(), "is not a regular file");
  std::filesystem::remove(path_);
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_EQ(refusal(), "is not a regular file");
}

// It comes before all that another version may have otherwise.
TEST_F(SnapshotRefusalTest, AnotherVersionIsNamed) {
  std::string other = sound_;
  other[9] = 3;
  EXPECT_EQ(refusal_of(other), "is a snapshot of version 3, not 2");
  EXPECT_EQ(refusal_of(other.substr(0, 10)), "is a snapshot of version 3, not 2");
  other[8] = 1;
  EXPECT_EQ(refusal_of(sealed(without_checksum(other))), "is a snapshot of version 259, not 2");
}

// No memory is taken for what is not there.
TEST_F(SnapshotRefusalTest, AHostileSizeIsSeen) {
  std::string hostile = sound_;
  store_be(&hostile[kSnapshotSizeAt], ~std::uint64_t{0});
  EXPECT_EQ(refusal_of(hostile), "is truncated: it has " + std::to_string(sound_.size()) +
                                     " octets, not 18446744073709551615");
}

TEST_F(SnapshotRefusalTest, AWrongChecksumIsSaid) {
  std::string damaged = sound_;
  damaged[30] = static_cast<char>(damaged[30] ^ 1);
  EXPECT_EQ(refusal_of(damaged), "is damaged: its checksum is wrong");
}

// One that were believed would take up to 130 GB.
TEST_F(SnapshotRefusalTest, HostileCountsAreSeen) {
  const auto header = sound_.substr(0, kSnapshotRecordsAt);
  for (std::size_t list = 0; list < 8; ++list) {
    std::string counts(8 * 4 + 16, '\0');
    store_be(&counts[list * 4], ~std::uint32_t{0});
    EXPECT_EQ(refusal_of(sealed(header + counts)), "has malformed records") << list;
  }
}

TEST_F(SnapshotRefusalTest, RecordsThatMessagesMayNotHoldAreMalformed) {
  const auto malformed = "has malformed records";
  EXPECT_EQ(refusal_after([](Delta& d) { d.adjacencies[0].key.node.value = 4096; }), malformed);
  EXPECT_EQ(refusal_after([](Delta& d) { d.groups[0].id.value = kMaxGroups; }), malformed);
  EXPECT_EQ(refusal_after([](Delta& d) { d.groups[0].kind = GroupKind{7}; }), malformed);
  EXPECT_EQ(refusal_after([](Delta& d) { d.routes[1].prefix.length = 33; }), malformed);
  EXPECT_EQ(refusal_after([](Delta& d) { d.routes[1].prefix.length = 6; }), malformed);
  EXPECT_EQ(refusal_after([](Delta& d) { d.addresses[0].port.value = 256; }), malformed);
  EXPECT_EQ(refusal_after([](Delta& d) { d.addresses[0].vlan.value = 4095; }), malformed);
  EXPECT_EQ(refusal_after([](Delta& d) { d.adjacencies[0].vlan.value = 4095; }), malformed);
}

TEST_F(SnapshotRefusalTest, RecordsThatAFibRefusesAreNamed) {
  EXPECT_EQ(refusal_after([](Delta& d) { d.adjacencies[0].mtu = 67; }),
            "adjacency 0 of node 1: MTU 67 is outside 68..65535");
  EXPECT_EQ(refusal_after([](Delta& d) { d.groups[1].members[0].weight = 0; }),
            "group 1: adjacency 1 of node 1 has weight 0");
  EXPECT_EQ(refusal_after([](Delta& d) { d.groups[1].members.clear(); }),
            "group 1: number of members 0 is outside 1..512");
  EXPECT_EQ(refusal_after([](Delta& d) { d.groups.pop_back(); }),
            "route 0.0.0.0/0: group 2 is unknown");
  EXPECT_EQ(refusal_after([](Delta& d) { d.adjacencies.pop_back(); }),
            "group 1: adjacency 0 of node 2 is unknown");
  EXPECT_EQ(refusal_after([](Delta& d) { d.routes.push_back(d.routes[1]); }),
            "route 10.0.0.0/8: is in the delta twice");
}

TEST_F(SnapshotRefusalTest, NothingCanBeRemoved) {
  EXPECT_EQ(refusal_after([](Delta& d) { d.removed_routes = {prefix("10.9.0.0/16")}; }),
            "route 10.9.0.0/16: to be removed, is unknown");
}

// The order is the writer's; content and digest are the same.
TEST_F(SnapshotRefusalTest, AnotherOrderIsRead) {
  EXPECT_EQ(refusal_after([](Delta& d) { std::swap(d.routes[0], d.routes[3]); }), "none");
}

TEST_F(SnapshotRefusalTest, AnotherDigestIsSaid) {
  auto other = without_checksum(sound_);
  other.back() = static_cast<char>(other.back() ^ 1);
  EXPECT_EQ(refusal_of(sealed(other)), "does not have the digest that it says");
}

}  // namespace
}  // namespace rackway::fib::testing
