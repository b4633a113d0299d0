// SPDX-License-Identifier: Apache-2.0
#include "fib/bucket_layout.hh"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <random>

#include "fib/bucket_shares.hh"
#include "tests/fib/sample_records.hh"

namespace rackway::fib::testing {
namespace {

using Members = std::vector<GroupMember>;
using Counts = std::map<AdjacencyKey, std::size_t>;

Members equal_members(std::uint32_t count) {
  Members members;
  for (std::uint32_t i = 0; i < count; ++i) members.push_back({key(i % 7, i)});
  return members;
}

Counts counts_of(const BucketLayout& layout) {
  Counts counts;
  for (const auto owner : layout.owners) ++counts[layout.members.at(owner)];
  return counts;
}

// Whose the bucket of each flow is: as many hashes as the largest layout has buckets.
std::vector<AdjacencyKey> flows_of(const Members& members) {
  const BucketLayout layout = lay_out_buckets(members);
  std::vector<AdjacencyKey> flows;
  for (std::size_t flow = 0; flow < kMaxBuckets; ++flow) {
    flows.push_back(layout.members[layout.owners[flow * layout.owners.size() / kMaxBuckets]]);
  }
  return flows;
}

TEST(BucketLayout, NoMembersNoBuckets) {
  EXPECT_TRUE(lay_out_buckets({}).members.empty());
  EXPECT_TRUE(lay_out_buckets({}).owners.empty());
}

// Also one that is named twice is one.
TEST(BucketLayout, OneMemberOneBucket) {
  for (const Members& one : {Members{{key(3, 4), 1}}, Members{{key(3, 4), 65535}},
                             Members{{key(3, 4), 1}, {key(3, 4), 7}}}) {
    EXPECT_EQ(lay_out_buckets(one).members, std::vector{key(3, 4)});
    EXPECT_EQ(lay_out_buckets(one).owners, std::vector<std::uint16_t>{0});
  }
}

TEST(BucketLayout, NumberOfBucketsGoesByMembersAlone) {
  const std::map<std::uint32_t, std::size_t> expected{
      {2, 1024}, {3, 1024}, {16, 1024}, {17, 8192}, {128, 8192}, {129, 32768}, {512, 32768}};
  for (const auto& [members, buckets] : expected) {
    Members group = equal_members(members);
    EXPECT_EQ(lay_out_buckets(group).owners.size(), buckets) << members;
    group[1].weight = 65535;
    EXPECT_EQ(lay_out_buckets(group).owners.size(), buckets) << members;
  }
}

TEST(BucketLayout, EqualMembersDifferByOneBucketAtMost) {
  for (const std::uint32_t members : {2, 3, 7, 16, 17, 64, 100, 300, 512}) {
    const Counts counts = counts_of(lay_out_buckets(equal_members(members)));
    const std::size_t least = bucket_count(members) / members;
    ASSERT_EQ(counts.size(), members);
    for (const auto& [key, count] : counts) {
      EXPECT_TRUE(count == least || count == least + 1) << members << ": " << count;
    }
  }
}

TEST(BucketLayout, SharesFollowWeights) {
  const Members members{{key(1, 1), 1}, {key(2, 0), 2}, {key(4095, 0xffffff), 3}};
  EXPECT_EQ(counts_of(lay_out_buckets(members)),
            (Counts{{key(1, 1), 171}, {key(2, 0), 341}, {key(4095, 0xffffff), 512}}));
}

TEST(BucketLayout, EveryMemberOfTheLargestGroupHasABucket) {
  Members members;
  for (std::uint32_t i = 0; i < kMaxGroupMembers; ++i) {
    members.push_back({key(0, i), static_cast<std::uint16_t>(i % 2 == 0 ? 65535 : 1)});
  }
  const Counts counts = counts_of(lay_out_buckets(members));
  ASSERT_EQ(counts.size(), 512u);
  for (const auto& [key, count] : counts) EXPECT_EQ(count, key.index.value % 2 == 0 ? 127u : 1u);
}

TEST(BucketLayout, OrderOfMembersDoesNotMatter) {
  Members members = equal_members(40);
  for (std::size_t i = 0; i < 40; ++i) members[i].weight = static_cast<std::uint16_t>(1 + i % 5);
  const auto flows = flows_of(members);
  std::mt19937 random(3);
  for (int round = 0; round < 10; ++round) {
    std::ranges::shuffle(members, random);
    EXPECT_EQ(flows_of(members), flows);
  }
}

TEST(BucketLayout, NamedTwiceCountsWithBothWeights) {
  const Members twice{{key(1, 0), 2}, {key(2, 0), 65535}, {key(1, 0), 65534}, {key(2, 0), 1}};
  const Members once{{key(1, 0), 1}, {key(2, 0), 1}};
  EXPECT_EQ(flows_of(twice), flows_of(once));
}

// Nodes of different builds are to send a flow to the same member: the layout is pinned.
TEST(BucketLayout, IsTheSameInEveryBuild) {
  const Members members{{key(1, 1), 1}, {key(2, 0), 3}, {key(4095, 0xffffff), 2}};
  const auto owners = lay_out_buckets(members).owners;
  EXPECT_EQ((std::vector(owners.begin(), owners.begin() + 24)),
            (std::vector<std::uint16_t>{1, 1, 1, 2, 1, 1, 2, 1, 1, 2, 1, 1,
                                        2, 1, 0, 2, 1, 1, 1, 1, 2, 1, 2, 1}));
  std::uint32_t sum = 0;
  for (const auto owner : lay_out_buckets(equal_members(512)).owners) sum = sum * 31 + owner;
  EXPECT_EQ(sum, 3110768362u);
}

// What moves

struct Moves {
  std::size_t needed = 0;  // flows of members that went, or of those that came
  std::size_t extra = 0;   // others that changed their member
  Moves& operator+=(const Moves& other) {
    needed += other.needed;
    extra += other.extra;
    return *this;
  }
};

// From one group to the other, one of which has all members of the other.
Moves moves_between(const Members& more, const Members& less) {
  const auto before = flows_of(more);
  const auto after = flows_of(less);
  Moves moves;
  for (std::size_t flow = 0; flow < kMaxBuckets; ++flow) {
    const bool gone = std::ranges::find(less, before[flow], &GroupMember::adjacency) == less.end();
    moves.needed += gone;
    moves.extra += !gone && before[flow] != after[flow];
  }
  return moves;
}

class BucketMovesTest : public ::testing::Test {
 protected:
  Members random_members(std::size_t count, unsigned greatest_weight) {
    std::map<AdjacencyKey, std::uint16_t> members;
    while (members.size() < count) {
      members[key(random_() % 64, random_() % 1000)] =
          static_cast<std::uint16_t>(1 + random_() % greatest_weight);
    }
    Members listed;
    for (const auto& [adjacency, weight] : members) listed.push_back({adjacency, weight});
    std::ranges::shuffle(listed, random_);
    return listed;
  }

  // Over many groups, one after the other, of which so many members go.
  Moves moves_of(std::size_t members, unsigned greatest_weight, std::size_t leaving = 1) {
    Moves all;
    for (int round = 0; round < 40; ++round) {
      const Members more = random_members(members, greatest_weight);
      const Members less(more.begin(), more.end() - static_cast<std::ptrdiff_t>(leaving));
      const Moves moves = moves_between(more, less);
      // Of each group by itself: 5 % of all flows at most.
      EXPECT_LT(moves.extra, kMaxBuckets / 20) << members << " members";
      all += moves;
    }
    return all;
  }

  std::mt19937 random_{20261130};
};

TEST_F(BucketMovesTest, NothingElseAmongTwo) {
  for (const unsigned weight : {1, 10, 65535}) {
    EXPECT_EQ(moves_of(2, weight).extra, 0u);
  }
}

// Of members that are equal, and of such whose weights differ tenfold.
TEST_F(BucketMovesTest, UpToSixteenAtMostThreeTenthsMore) {
  const std::map<std::size_t, double> bound{{3, 0.06}, {4, 0.08}, {8, 0.15}, {12, 0.22}, {16, 0.3}};
  for (const auto& [members, extra] : bound) {
    for (const unsigned weight : {1, 10}) {
      const Moves moves = moves_of(members, weight);
      EXPECT_LT(moves.extra, extra * moves.needed) << members << " of weight " << weight;
    }
  }
}

TEST_F(BucketMovesTest, UpToSixtyFourAtMostSixTenthsMore) {
  const std::map<std::size_t, double> bound{{18, 0.15}, {32, 0.3}, {48, 0.45}, {64, 0.6}};
  for (const auto& [members, extra] : bound) {
    for (const unsigned weight : {1, 10}) {
      const Moves moves = moves_of(members, weight);
      EXPECT_LT(moves.extra, extra * moves.needed) << members << " of weight " << weight;
    }
  }
}

TEST_F(BucketMovesTest, OfTheLargestGroupOneFlowInAHundred) {
  const Members more = random_members(kMaxGroupMembers, 1);
  const Members less(more.begin(), more.end() - 1);
  const Moves moves = moves_between(more, less);
  EXPECT_EQ(moves.needed, kMaxBuckets / kMaxGroupMembers);
  EXPECT_LT(moves.extra, kMaxBuckets / 100);
}

TEST_F(BucketMovesTest, SeveralAtOnce) {
  const Moves moves = moves_of(16, 1, 4);
  EXPECT_LT(moves.extra, 0.2 * moves.needed);
}

// Down to one that is left, which has another number of buckets.
TEST_F(BucketMovesTest, TheLastOneKeepsItsFlows) {
  EXPECT_EQ(moves_of(5, 10, 4).extra, 0u);
}

// Some flows of every other member come to a newcomer, and go back to them when it leaves.
TEST_F(BucketMovesTest, TheLoadOfOneThatGoesIsSpread) {
  const Members more = random_members(8, 1);
  const Counts before = counts_of(lay_out_buckets(more));
  const Counts after = counts_of(lay_out_buckets(Members(more.begin(), more.end() - 1)));
  for (const auto& [key, count] : after) EXPECT_GE(count, before.at(key) + 18);
}

}  // namespace
}  // namespace rackway::fib::testing
