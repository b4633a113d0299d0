// SPDX-License-Identifier: Apache-2.0
// That memory runs out in the map's own growth is seen in fib_bounds_test.cc.
#include "fib/hash_map.hh"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <random>

namespace rackway::fib::testing {
namespace {

// Can neither be made nor copied while `fails` is set.
struct Costly {
  static inline bool fails = false;

  Costly() : number(take(0)) {}
  Costly(const Costly& other) : number(take(*other.number)) {}
  Costly(Costly&&) noexcept = default;
  Costly& operator=(Costly&&) noexcept = default;
  ~Costly() = default;
  static std::unique_ptr<int> take(int number) {
    if (fails) throw std::bad_alloc();
    return std::make_unique<int>(number);
  }
  std::unique_ptr<int> number;
};

using CostlyMap = HashMap<std::uint32_t, Costly>;

CostlyMap hundred() {
  CostlyMap map;
  for (std::uint32_t i = 0; i < 100; ++i) *map[i].number = static_cast<int>(i);
  return map;
}
void expect_hundred(const CostlyMap& map) {
  EXPECT_EQ(map.size(), 100u);
  for (std::uint32_t i = 0; i < 100; ++i) EXPECT_EQ(*map.find(i)->second.number, int(i));
}

TEST(HashMap, ValueThatCanNotBeMadeLeavesNoTrace) {
  CostlyMap map = hundred();
  Costly::fails = true;
  for (std::uint32_t key = 100; key < 200; ++key) EXPECT_THROW((void)map[key], std::bad_alloc);
  EXPECT_FALSE(map.try_emplace(99).second);
  Costly::fails = false;
  expect_hundred(map);
  EXPECT_EQ(*map[100].number, 0);
}

TEST(HashMap, CopyThatFailsLeavesNoTrace) {
  const CostlyMap map = hundred();
  Costly::fails = true;
  EXPECT_THROW(CostlyMap copy(map), std::bad_alloc);
  Costly::fails = false;
  expect_hundred(map);
  expect_hundred(CostlyMap(map));
}

TEST(HashMap, MovedFromIsEmptyAndUsable) {
  CostlyMap map = hundred();
  expect_hundred(CostlyMap(std::move(map)));
  map = CostlyMap();
  EXPECT_TRUE(map.empty());
  *map[7].number = 8;
  EXPECT_EQ(*map.at(7).number, 8);
  map.clear();
  EXPECT_FALSE(map.contains(7));
  EXPECT_EQ(*map[7].number, 0);
}

TEST(HashMap, DoesWhatAMapDoes) {
  std::mt19937 random(20261130);
  HashMap<std::uint32_t, std::uint32_t> map;
  std::map<std::uint32_t, std::uint32_t> naive;
  for (int i = 0; i < 200'000; ++i) {
    const std::uint32_t key = random() % (1 + i % 5000);
    if (random() % 2 == 0) {
      const auto value = static_cast<std::uint32_t>(random());
      map[key] = naive[key] = value;
    } else {
      map.erase(key);
      naive.erase(key);
    }
    if (i % 50'000 == 0) map = HashMap(map);
    ASSERT_EQ(map.size(), naive.size());
  }
  EXPECT_EQ((std::map<std::uint32_t, std::uint32_t>(map.begin(), map.end())), naive);
}

}  // namespace
}  // namespace rackway::fib::testing
