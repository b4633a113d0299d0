// SPDX-License-Identifier: Apache-2.0
// The values were made apart from this code: the bytes by hand, hashed by the xxhsum program (-H2).
#include "fib/record_digest.hh"

#include <gtest/gtest.h>

#include "tests/fib/sample_records.hh"

namespace rackway::fib {
namespace {

const AdjacencyKey kKey{{3}, {0x010203}};

TEST(RecordDigest, Adjacency) {
  const Adjacency adjacency{kKey,  {7},
                            {300}, *MacAddress::parse("02:00:00:00:0a:01"),
                            9000,  *IpAddress::parse("10.0.0.1")};
  EXPECT_EQ(digest_of(adjacency), (Digest{0x29c6bdf6ab3f7c15, 0xac6a9734b680c780}));
}

TEST(RecordDigest, ForwardGroup) {
  const Group group{{0x1020}, GroupKind::forward, {{kKey, 5}, {{{4}, {9}}, 65535}}};
  EXPECT_EQ(digest_of(group), (Digest{0x2e265e74b9a78451, 0x2c8ef546b01c4d34}));
}

TEST(RecordDigest, GroupWithoutMembers) {
  const Group group{{7}, GroupKind::blackhole, {}};
  EXPECT_EQ(digest_of(group), (Digest{0xdc6c00bd8a5c1fb3, 0x5692a6d73625130e}));
}

TEST(RecordDigest, GroupOfTheMostMembersFits) {
  Group group{{7}, GroupKind::forward, {}};
  group.members.assign(kMaxGroupMembers, {kKey, 1});
  const Digest one = digest_of(group);
  group.members.back().weight = 2;
  EXPECT_NE(digest_of(group), one);
}

TEST(RecordDigest, Routes) {
  EXPECT_EQ(digest_of(Route{*IpPrefix::parse("10.0.0.0/8"), {0x1020}}),
            (Digest{0xa647da2d5466673e, 0x1b7a819433d88541}));
  EXPECT_EQ(digest_of(Route{*IpPrefix::parse("2001:db8::/32"), {7}}),
            (Digest{0x6e5ca229c7b15083, 0x3c2e0aa26ce67d09}));
}

TEST(RecordDigest, PortAddress) {
  const PortAddress address{{3}, {7}, {4094}, *IpAddress::parse("2001:db8::1"), 64};
  EXPECT_EQ(digest_of(address), (Digest{0xf9bc9b2f1207edea, 0x692246366c01f888}));
}

// 0.0.0.0/0 and ::/0 differ in nothing but the family.
TEST(RecordDigest, FamiliesDiffer) {
  EXPECT_NE(digest_of(Route{*IpPrefix::parse("0.0.0.0/0"), {1}}),
            digest_of(Route{*IpPrefix::parse("::/0"), {1}}));
}

TEST(RecordDigest, HalvesAreSummedApartAndWrap) {
  Digest sum{~0ull, ~0ull};
  sum += Digest{1, 2};
  EXPECT_EQ(sum, (Digest{0, 1}));
  sum -= Digest{1, 2};
  EXPECT_EQ(sum, (Digest{~0ull, ~0ull}));
}

TEST(RecordDigest, OfAContentIsThatOfItsFib) {
  EXPECT_EQ(digest_of(Delta{}), Digest{});
  EXPECT_EQ(digest_of(testing::sample()), testing::fib_of(testing::sample()).digest());
}

}  // namespace
}  // namespace rackway::fib
