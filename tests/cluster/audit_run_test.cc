// SPDX-License-Identifier: Apache-2.0
#include "cluster/audit_run.hh"

#include <gtest/gtest.h>

#include "fib/record_digest.hh"

namespace rackway::cluster {
namespace {

using fib::GroupKind;

IpAddress ip(const char* text) {
  return *IpAddress::parse(text);
}

fib::Delta content() {
  const fib::AdjacencyKey key{{1}, {7}};
  return {.adjacencies =
              {{key, {2}, {}, *MacAddress::parse("02:00:00:00:00:05"), 9000, ip("10.0.0.5")}},
          .groups = {{{3}, GroupKind::forward, {{key, 1}}}, {{4}, GroupKind::prohibit, {}}},
          .routes = {{*IpPrefix::parse("::/0"), {4}},
                     {*IpPrefix::parse("10.0.0.0/8"), {3}},
                     {*IpPrefix::parse("10.1.0.0/16"), {4}},
                     {*IpPrefix::parse("2001:db8::/32"), {3}}}};
}

const AuditRequest kRequest{5,
                            {9},
                            {{ip("10.255.0.1"), 1},
                             {ip("2001:db9::"), 2},
                             {ip("11.0.0.0"), 3},
                             {ip("10.1.2.3"), 4},
                             {ip("2001:db8::1"), 5}}};

TEST(AuditRun, AnswersEachLookupAndTheDigest) {
  fib::Fib fib;
  ASSERT_TRUE(fib.apply(content()));
  AuditRun run(fib, {9}, kRequest);
  EXPECT_TRUE(run.step());
  const AuditOutcome forwarded{GroupKind::forward, {3}, {{1}, {7}}, 9000};
  const AuditOutcome prohibited{GroupKind::prohibit, {4}, {}, 0};
  const AuditOutcome nowhere{GroupKind::unreachable, AuditOutcome::kNoGroup, {}, 0};
  EXPECT_EQ(run.answer(), (AuditAnswer{5,
                                       {9},
                                       true,
                                       fib::digest_of(content()),
                                       {forwarded, prohibited, nowhere, prohibited, forwarded}}));
}

TEST(AuditRun, HasNoDigestBeforeItIsThrough) {
  fib::Fib fib;
  ASSERT_TRUE(fib.apply(content()));
  AuditRun run(fib, {9}, kRequest);
  const auto early = run.answer();
  EXPECT_FALSE(early.has_digest);
  EXPECT_EQ(early.digest, fib::Digest{});
  EXPECT_EQ(early.outcomes.size(), 5u);
}

TEST(AuditRun, HasNothingToSayOfAnotherEpoch) {
  const fib::Fib fib;
  AuditRun run(fib, {8}, kRequest);
  EXPECT_TRUE(run.step());
  EXPECT_EQ(run.answer(), (AuditAnswer{.number = 5, .epoch = {8}}));
}

TEST(AuditRun, ALargeTableTakesSeveralSteps) {
  fib::Delta large{.groups = {{{7}, GroupKind::blackhole, {}}}};
  for (unsigned i = 0; i < 120'000; ++i) {
    large.routes.push_back({{Ipv4Address{0x14000000 + (i << 8)}, 24}, {7}});
  }
  fib::Fib fib;
  ASSERT_TRUE(fib.apply(large));
  AuditRun run(fib, {9}, kRequest);
  EXPECT_FALSE(run.step());
  EXPECT_FALSE(run.answer().has_digest);
  EXPECT_FALSE(run.step());
  EXPECT_TRUE(run.step());
  EXPECT_EQ(run.answer().digest, fib.digest());
}

}  // namespace
}  // namespace rackway::cluster
