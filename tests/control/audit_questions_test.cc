// SPDX-License-Identifier: Apache-2.0
// Questions over random tables: an equal FIB answers them, and any single route that leads
// elsewhere is found by lookups alone when its turn has come.
#include "control/audit_questions.hh"

#include <gtest/gtest.h>

#include <algorithm>

#include "cluster/audit_run.hh"

namespace rackway::control::testing {
namespace {

using fib::GroupKind;

cluster::AuditAnswer answer_of(const fib::Fib& fib, const AuditQuestions& questions) {
  cluster::AuditRun run(fib, questions.request().epoch, questions.request());
  while (!run.step()) {
  }
  return run.answer();
}

fib::Delta random_table(std::mt19937_64& random, std::size_t routes) {
  fib::Delta table;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const fib::AdjacencyKey key{{static_cast<std::uint16_t>(i % 2)}, {i}};
    table.adjacencies.push_back({key,
                                 {},
                                 {},
                                 *MacAddress::parse("02:00:00:00:00:05"),
                                 static_cast<std::uint16_t>(1500 + i),
                                 Ipv4Address{0x0a000000 + i}});
  }
  const auto member = [&](std::size_t i) { return table.adjacencies[i].key; };
  table.groups = {{{0}, GroupKind::forward, {{member(0), 1}}},
                  {{1}, GroupKind::forward, {{member(0), 2}, {member(1), 1}, {member(3), 7}}},
                  {{2}, GroupKind::forward, {{member(2), 65535}}},
                  {{3}, GroupKind::blackhole, {}}};
  for (std::size_t i = 0; i < routes; ++i) {
    Ipv6Address six{{0x20, 0x01, 0x0d, 0xb8, static_cast<std::uint8_t>(random() % 4)}};
    for (int octet = 5; octet < 8; ++octet) six.bytes[octet] = static_cast<std::uint8_t>(random());
    const Ipv4Address four{static_cast<std::uint32_t>(0xc6000000 | (random() & 0xffffff))};
    const auto prefix =
        random() % 2 == 0 ? IpPrefix::covering(four, static_cast<std::uint8_t>(8 + random() % 25))
                          : IpPrefix::covering(six, static_cast<std::uint8_t>(29 + random() % 40));
    table.routes.push_back({prefix, {static_cast<std::uint32_t>(random() % 4)}});
  }
  std::ranges::stable_sort(table.routes, {}, &fib::Route::prefix);
  const auto twice = std::ranges::unique(table.routes, {}, &fib::Route::prefix);
  table.routes.erase(twice.begin(), twice.end());
  return table;
}

TEST(AuditQuestions, AnEqualFibHasNoFault) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    fib::Fib content, node;
    ASSERT_TRUE(content.apply(random_table(random, seed * 7)));
    ASSERT_TRUE(node.apply(content.snapshot()));
    std::optional<IpPrefix> sweep;
    for (std::uint64_t number = 1; number <= 10; ++number) {
      const AuditQuestions questions(number, {seed}, content, sweep, random);
      EXPECT_LE(questions.request().lookups.size(), cluster::kMaxAuditLookups);
      ASSERT_EQ(questions.fault_in(answer_of(node, questions)), "") << seed;
    }
  }
}

TEST(AuditQuestions, OfAnEmptyFibAreOnlyAddressesAnywhere) {
  std::mt19937_64 random(1);
  const fib::Fib content;
  std::optional<IpPrefix> sweep;
  const AuditQuestions questions(1, {1}, content, sweep, random);
  EXPECT_EQ(questions.request().lookups.size(), 16u);
  EXPECT_EQ(questions.fault_in(answer_of(content, questions)), "");
}

TEST(AuditQuestions, TheLookupsFindEverySingleWrongRouteInItsTurn) {
  std::mt19937_64 random(7);
  const auto table = random_table(random, 30);
  fib::Fib content, node;
  ASSERT_TRUE(content.apply(table));
  ASSERT_TRUE(node.apply(table));
  for (const auto& route : table.routes) {
    ASSERT_TRUE(node.apply({.routes = {{route.prefix, {route.group.value ^ 1}}}}));
    unsigned rounds = 0;
    std::optional<IpPrefix> sweep;
    for (std::string fault; fault.empty() && rounds < 5; ++rounds) {
      const AuditQuestions questions(1, {1}, content, sweep, random);
      auto answer = answer_of(node, questions);
      answer.digest = content.digest();
      fault = questions.fault_in(answer);
    }
    EXPECT_LT(rounds, 5u) << route.prefix.to_string();
    ASSERT_TRUE(node.apply({.routes = {route}}));
  }
}

TEST(AuditQuestions, AWayThatIsNoneOfTheGroupIsAFault) {
  std::mt19937_64 random(3);
  fib::Fib content;
  auto table = random_table(random, 0);
  table.routes = {{*IpPrefix::parse("0.0.0.0/0"), {1}}, {*IpPrefix::parse("::/0"), {1}}};
  ASSERT_TRUE(content.apply(table));
  std::optional<IpPrefix> sweep;
  const AuditQuestions questions(1, {1}, content, sweep, random);
  const auto good = answer_of(content, questions);
  ASSERT_EQ(questions.fault_in(good), "");
  auto bad = good;
  ++bad.outcomes[9].mtu;
  EXPECT_NE(questions.fault_in(bad), "");
  bad = good;
  bad.outcomes[9].adjacency = table.adjacencies[2].key;  // of the FIB, not of the group
  bad.outcomes[9].mtu = table.adjacencies[2].mtu;
  EXPECT_NE(questions.fault_in(bad), "");
  bad = good;
  bad.digest.high ^= 1;
  EXPECT_EQ(questions.fault_in(bad), "the digest of its records");
}

}  // namespace
}  // namespace rackway::control::testing
