// SPDX-License-Identifier: Apache-2.0
#include "node/stage/departures.hh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "fib/processor.hh"

namespace rackway::node::testing {
namespace {

struct Frames {
  Burst burst;
  std::vector<rte_mbuf> frames{kBurst};

  explicit Frames(std::uint16_t size) {
    for (std::size_t i = 0; i < kBurst; ++i) burst.frames[i] = &frames[i];
    burst.begin(size);
  }
};

void expect_sorted(const Frames& of, Mask slots, const Departures& sorted) {
  Mask seen = 0;
  int last_first = -1;
  std::size_t next = 0;
  for (std::size_t g = 0; g < sorted.size; ++g) {
    const auto& group = sorted.groups[g];
    ASSERT_EQ(group.first, next);
    ASSERT_EQ(group.size, std::popcount(group.slots));
    ASSERT_EQ(group.slots & (seen | ~slots), 0u);
    ASSERT_GT(std::countr_zero(group.slots), last_first);
    last_first = std::countr_zero(group.slots);
    seen |= group.slots;
    std::uint64_t bytes = 0;
    for_each(group.slots, [&](std::size_t i) {
      ASSERT_EQ(of.burst.output[i], group.output);
      ASSERT_EQ(sorted.frames[next++], of.burst.frames[i]);
      bytes += of.frames[i].pkt_len;
    });
    ASSERT_EQ(group.bytes, bytes);
    for (std::size_t h = 0; h < g; ++h) ASSERT_NE(sorted.groups[h].output, group.output);
  }
  ASSERT_EQ(seen, slots);
}

class SortsByOutput : public ::testing::TestWithParam<SortByOutput> {};

TEST_P(SortsByOutput, EveryFrameOnceAndInOrder) {
  std::mt19937_64 random(1);
  Departures sorted;
  for (int round = 0; round < 20'000; ++round) {
    Frames of(static_cast<std::uint16_t>(random() % (kBurst + 1)));
    const std::uint16_t outputs = static_cast<std::uint16_t>(1 + random() % (random() % 80 + 1));
    for (std::size_t i = 0; i < kBurst; ++i) {
      of.frames[i].pkt_len = static_cast<std::uint32_t>(random());
      of.frames[i].data_len = static_cast<std::uint16_t>(random());
      of.burst.output[i] = static_cast<std::uint16_t>(random() % outputs);
    }
    const Mask slots = first_bits(of.burst.size) & (random() % 2 == 0 ? ~Mask{0} : random());
    GetParam()(of.burst, slots, sorted);
    ASSERT_NO_FATAL_FAILURE(expect_sorted(of, slots, sorted));
  }
}

std::vector<SortByOutput> forms() {
  std::vector<SortByOutput> all{sort_by_output_scalar()};
  if (fib::runs_avx512()) all.push_back(sort_by_output_avx512());
  return all;
}
INSTANTIATE_TEST_SUITE_P(Forms, SortsByOutput, ::testing::ValuesIn(forms()));

}  // namespace
}  // namespace rackway::node::testing
