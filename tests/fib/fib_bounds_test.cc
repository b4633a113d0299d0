// SPDX-License-Identifier: Apache-2.0
// What a FIB has no room for: routes over the bound, and memory that runs out while a delta is
// prepared. Neither may leave a trace.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "fib/delta_check.hh"
#include "fib/left_right.hh"
#include "tests/fib/sample_records.hh"
#include "tests/fib/table_pair.hh"

namespace rackway::fib::testing {
namespace {

// ---- too many routes

// The first `count` /32s or /64s, in order.
std::vector<Route> many_routes(bool ipv4, std::size_t count) {
  std::vector<Route> routes;
  routes.reserve(count + 1);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto prefix = ipv4 ? IpPrefix{Ipv4Address{i}, 32}
                             : IpPrefix{address_of<Ipv6Address>(Number{i} << 64), 64};
    routes.push_back({prefix, {1}});
  }
  return routes;
}

void expect_sample_on_both_sides(LeftRight& fibs) {
  for (int side = 0; side < 2; ++side) {
    EXPECT_FALSE(fibs.prepared());
    const auto prepared = fibs.prepare({});
    ASSERT_TRUE(prepared.has_value()) << prepared.error().message;
    EXPECT_EQ(*prepared, fib_of(sample()).digest());
    fibs.commit();
    EXPECT_EQ(fibs.active()->snapshot(), sample());
    EXPECT_EQ(group_at(*fibs.active(), Ipv4Address{0x0a010203}), GroupId{1});
    EXPECT_EQ(group_at(*fibs.active(), ip("2001:db8::7").v6()), GroupId{1});
    EXPECT_EQ(group_at(*fibs.active(), Ipv4Address{0}), GroupId{2});
  }
}

void expect_refused_over_the_bound(bool ipv4, std::size_t bound, const std::string& message) {
  if (kSanitized) GTEST_SKIP() << "takes long under a sanitizer";
  LeftRight fibs;
  ASSERT_TRUE(fibs.prepare(sample()).has_value());
  fibs.commit();
  const std::size_t there = ipv4 ? 3 : 1;
  Delta delta{.adjacencies = {adjacency(1, 0, 900)},
              .routes = many_routes(ipv4, bound - there + 1)};
  const auto refused = fibs.prepare(delta);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().message, message);
  expect_sample_on_both_sides(fibs);

  // As a snapshot just as much room as there is, and one more than that. Only checked: to fill it
  // takes its time.
  delta.routes = many_routes(ipv4, bound);
  delta.groups = {plain(1, GroupKind::local)};
  EXPECT_TRUE(check_delta(FibContent(), delta).has_value());
  delta.routes.push_back({ipv4 ? prefix("255.0.0.0/8") : prefix("ff00::/8"), {1}});
  const auto snapshot = fibs.prepare_snapshot(delta);
  ASSERT_FALSE(snapshot.has_value());
  EXPECT_EQ(snapshot.error().message, message);
  expect_sample_on_both_sides(fibs);
}

TEST(FibBounds, MoreIpv4RoutesThanThereIsRoomFor) {
  expect_refused_over_the_bound(true, kMaxIpv4Routes, "more than 4194304 IPv4 routes");
}

TEST(FibBounds, MoreIpv6RoutesThanThereIsRoomFor) {
  expect_refused_over_the_bound(false, kMaxIpv6Routes, "more than 1048576 IPv6 routes");
}

// Routes that are there already need no more room; nor do those that others make room for.
TEST(FibBounds, OnlyNewRoutesCount) {
  if (kSanitized) GTEST_SKIP() << "takes long under a sanitizer";
  FibContent content;
  content.apply({.groups = {plain(1, GroupKind::local)}, .routes = many_routes(false, 2000)});
  Delta delta{.routes = many_routes(false, kMaxIpv6Routes)};
  EXPECT_TRUE(check_delta(content, delta).has_value());
  delta.routes.push_back({prefix("ff00::/8"), {1}});
  EXPECT_FALSE(check_delta(content, delta).has_value());
  delta.removed_routes = {delta.routes.front().prefix};
  delta.routes.erase(delta.routes.begin());
  EXPECT_TRUE(check_delta(content, delta).has_value());
}

// ---- no more memory

// Takes all memory that the process may still have, but for a spare piece. Its own uses none.
class Famine {
 public:
  explicit Famine(std::size_t spare) {
    void* const piece = spare == 0 ? nullptr : std::malloc(spare);
    ::getrlimit(RLIMIT_AS, &before_);
    std::size_t pages = 0;
    std::FILE* const figures = std::fopen("/proc/self/statm", "r");
    if (figures == nullptr || std::fscanf(figures, "%zu", &pages) != 1) std::abort();
    std::fclose(figures);
    rlimit now = before_;
    now.rlim_cur = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    ::setrlimit(RLIMIT_AS, &now);
    for (std::size_t size = std::size_t{1} << 20; size >= sizeof(Taken); size /= 2) {
      while (auto* const taken = static_cast<Taken*>(std::malloc(size))) {
        taken->next = taken_;
        taken_ = taken;
      }
    }
    std::free(piece);
  }
  ~Famine() {
    ::setrlimit(RLIMIT_AS, &before_);
    while (taken_ != nullptr) std::free(std::exchange(taken_, taken_->next));
  }

 private:
  struct Taken {
    Taken* next;
  };
  Taken* taken_ = nullptr;
  rlimit before_{};
};

// With 400 groups ids outgrow an octet, and lookup structures are made anew.
Delta large_delta(unsigned groups) {
  Delta delta{.adjacencies = {adjacency(1, 0, 900)}};
  for (unsigned i = 0; i < groups; ++i)
    delta.groups.push_back(plain(100 + i, GroupKind::blackhole));
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    delta.routes.push_back({{Ipv4Address{i * 0x10305}, 32}, {100 + i % groups}});
    const Number number = Number{0x20010000 + i} << 96 | Number{i} << 64;
    delta.routes.push_back({{address_of<Ipv6Address>(number), 64}, {100 + i % groups}});
  }
  return delta;
}

class OutOfMemoryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers need addresses without end";
    ASSERT_TRUE(fibs_.prepare(sample()).has_value());
    fibs_.commit();
  }
  // In a child process; 0 if it fails as promised, 1 if it was spared.
  [[noreturn]] void prepare_in_famine(std::size_t spare, unsigned groups) {
    Result<Digest> prepared;
    {
      Delta delta = large_delta(groups);
      const Famine famine(spare);
      prepared = fibs_.prepare(std::move(delta));
      if (!prepared) {
        EXPECT_EQ(prepared.error().message, "out of memory");
        EXPECT_FALSE(fibs_.prepared());
        EXPECT_EQ(group_at(*fibs_.active(), Ipv4Address{0x0a010203}), GroupId{1});
      }
    }
    if (prepared) std::_Exit(HasFailure() ? 2 : 1);
    expect_sample_on_both_sides(fibs_);
    std::_Exit(HasFailure() ? 2 : 0);
  }
  // What has been prepared is committed, and another delta is prepared and thrown away.
  [[noreturn]] void commit_in_famine(std::size_t spare, unsigned groups) {
    EXPECT_TRUE(fibs_.prepare(large_delta(groups)).has_value());
    {
      const Famine famine(spare);
      fibs_.commit();
      if (fibs_.prepare({}).has_value()) fibs_.abandon();
      EXPECT_EQ(fibs_.active()->lookup(Ipv4Address{0x010305}).value, 6u);
    }
    Delta after = sample();
    const Delta change = large_delta(groups);
    after.adjacencies[0] = change.adjacencies[0];
    after.groups.insert(after.groups.end(), change.groups.begin(), change.groups.end());
    after.routes.insert(after.routes.end(), change.routes.begin(), change.routes.end());
    for (int side = 0; side < 2; ++side) {
      EXPECT_EQ(fibs_.prepare({}).value_or(Digest{}), fib_of(after).digest());
      fibs_.commit();
    }
    std::_Exit(HasFailure() ? 2 : 0);
  }
  LeftRight fibs_;
};

// From nothing at all to just enough, so that it fails at many places.
TEST_F(OutOfMemoryTest, APreparedDeltaLeavesNoTrace) {
  for (const unsigned groups : {200u, 400u}) {
    unsigned failed = 0;
    bool spared = false;
    for (std::size_t spare = 0; !spared; spare += spare < 1'000'000 ? 100'000 : 1'000'000) {
      ASSERT_LT(spare, 100'000'000u);
      const auto as_promised = [&](int status) {
        spared = WIFEXITED(status) && WEXITSTATUS(status) == 1;
        failed += spared ? 0 : 1;
        return WIFEXITED(status) && WEXITSTATUS(status) <= 1;
      };
      EXPECT_EXIT(prepare_in_famine(spare, groups), as_promised, "") << "spare " << spare;
    }
    EXPECT_GT(failed, 10u);
  }
}

TEST_F(OutOfMemoryTest, ACommittedDeltaIsKept) {
  for (const std::size_t spare : {0, 1'000'000, 3'000'000, 100'000'000}) {
    EXPECT_EXIT(commit_in_famine(spare, 200), ::testing::ExitedWithCode(0), "") << spare;
  }
  EXPECT_EXIT(commit_in_famine(10'000'000, 400), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace rackway::fib::testing
