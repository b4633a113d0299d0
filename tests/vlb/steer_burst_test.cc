// SPDX-License-Identifier: Apache-2.0
// The form for AVX-512 against the scalar one, which steering_test.cc says is right.
#include "vlb/steer_burst.hh"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "fib/processor.hh"

namespace rackway::vlb::testing {
namespace {

constexpr std::uint16_t kNodes = 6, kLinks = 5;
constexpr PathIndex kPaths = 40;

// What a steering has, at random; of everything the cases that matter, often.
struct Columns {
  std::vector<FlowletTable::Entry> flowlets;
  std::vector<Time> patience;
  std::vector<PathIndex> places, relays;
  std::vector<Path> paths{Path{}};
  std::vector<Backlog> backlog;
  bool better_of_two;

  explicit Columns(std::mt19937& random)
      : flowlets(FlowletTable::kEntries), patience{0}, better_of_two(random() % 2 == 0) {
    for (PathIndex i = 1; i < kPaths; ++i) {
      paths.push_back({.target = NodeId{static_cast<std::uint16_t>(random() % 4096)},
                       .link = static_cast<std::uint16_t>(random() % kLinks),
                       .relayed = static_cast<std::uint32_t>(random() % 2)});
      patience.push_back(random() % 4 == 0 ? 0 : static_cast<Time>(random() % 2000));
    }
    for (std::size_t i = 0; i < kNodes * kPlaces; ++i) {
      places.push_back(static_cast<PathIndex>(random() % (random() % 2 == 0 ? 2 : kPaths)));
      relays.push_back(static_cast<PathIndex>(random() % kPaths));
    }
    relays.resize((kNodes + 1) * kPlaces + 1, 0);
    places.resize((kNodes + 1) * kPlaces + 1, 0);
    for (std::size_t i = 0; i < kLinks; ++i) {
      backlog.push_back(static_cast<Backlog>(random() % 3 == 0 ? random() : random() % 12));
    }
    backlog.resize(kLinks + 2, 0);
    for (auto& entry : flowlets) {
      entry = {static_cast<Time>(random() % 4000), static_cast<PathIndex>(random() % kPaths),
               NodeId{static_cast<std::uint16_t>(random() % (kNodes + 2))}};
    }
  }

  [[nodiscard]] SteeringColumns view() {
    return {.flowlets = flowlets.data(),
            .patience = patience.data(),
            .places = places.data(),
            .relays = relays.data(),
            .paths = paths.data(),
            .backlog = backlog.data(),
            .nodes = kNodes,
            .links = kLinks,
            .better_of_two = better_of_two};
  }
};

std::uint16_t any_node(std::mt19937& random) {
  return static_cast<std::uint16_t>(random() % 16 == 0 ? random() : random() % (kNodes + 1));
}

TEST(SteerBurst, BothFormsAreTheSame) {
  if (!fib::runs_avx512()) GTEST_SKIP() << "this processor has no AVX-512";
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    Columns scalar(random), vectors = scalar;
    for (int burst = 0; burst < 400; ++burst) {
      const std::size_t count = random() % (kMaxBurst + 1);
      const bool few_flows = random() % 2 == 0;
      std::vector<NodeId> egress;
      std::vector<std::uint32_t> hashes;
      for (std::size_t i = 0; i < count; ++i) {
        egress.emplace_back(any_node(random));
        const auto hash = static_cast<std::uint32_t>(random());
        hashes.push_back(few_flows ? hash % 8 << 18 : hash);
      }
      const auto now = static_cast<Time>(burst * 10);
      std::vector<Path> by_scalar(count), by_vectors(count);
      steer_burst_scalar()(scalar.view(), egress.data(), hashes.data(), count, now,
                           by_scalar.data());
      steer_burst_avx512()(vectors.view(), egress.data(), hashes.data(), count, now,
                           by_vectors.data());
      ASSERT_EQ(by_scalar, by_vectors);
    }
    for (std::uint32_t i = 0; i < FlowletTable::kEntries; ++i) {
      const auto one = scalar.flowlets[i], other = vectors.flowlets[i];
      ASSERT_EQ(one.last(), other.last());
      ASSERT_EQ(one.path(), other.path());
      ASSERT_EQ(one.egress(), other.egress());
    }
  }
}

// Nothing beyond `count` is read or written: the columns end there.
TEST(SteerBurst, AnEmptyBurstAsksForNothing) {
  const SteeringColumns nothing{};
  steer_burst_scalar()(nothing, nullptr, nullptr, 0, 0, nullptr);
  if (fib::runs_avx512()) steer_burst_avx512()(nothing, nullptr, nullptr, 0, 0, nullptr);
}

}  // namespace
}  // namespace rackway::vlb::testing
