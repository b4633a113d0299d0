// SPDX-License-Identifier: Apache-2.0
#include "node/state_keeper.hh"

#include <gtest/gtest.h>

#include "tests/fib/sample_records.hh"
#include "tests/fib/scratch_folder.hh"
#include "tests/node/sample_state.hh"

namespace rackway::node::testing {
namespace {

class StateKeeperTest : public ::testing::Test {
 protected:
  Held commit(unsigned epoch, const fib::Delta& content) {
    EXPECT_TRUE(fib_.prepare_snapshot(content));
    fib_.commit();
    return {{epoch}, fib_.active()->digest()};
  }
  Result<State> read() const { return read_state(path_, "n2"); }
  // Ends when it has written what is to be written.
  void with_keeper(const std::function<void(StateKeeper&)>& use) {
    StateKeeper keeper(path_, "n2", 7, fib_);
    use(keeper);
  }
  static void await(const std::function<bool()>& condition) {
    while (!condition()) std::this_thread::yield();
  }

  const fib::testing::ScratchFolder folder_;
  std::filesystem::path path_ = folder_.file("state");
  fib::LeftRight fib_;
};

TEST_F(StateKeeperTest, KeepsWhatIsCommitted) {
  const auto held = commit(5, fib::testing::sample());
  with_keeper([&](StateKeeper& keeper) {
    EXPECT_EQ(keeper.kept(), std::nullopt);
    keeper.orders(sample_orders());
    keeper.committed(held);
    await([&] { return keeper.kept() == held; });
  });
  const auto state = read();
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->boot_id, 7U);
  EXPECT_EQ(state->epoch, Epoch{5});
  EXPECT_TRUE(state->orders == sample_orders());
  EXPECT_TRUE(state->content == fib_.active()->snapshot());
}

TEST_F(StateKeeperTest, KeepsNothingBeforeThereAreAFibAndOrders) {
  with_keeper([&](StateKeeper& keeper) { keeper.orders(sample_orders()); });
  EXPECT_EQ(folder_.names(), std::set<std::string>{});
  with_keeper([&](StateKeeper& keeper) { keeper.committed(commit(1, {})); });
  EXPECT_EQ(folder_.names(), std::set<std::string>{});
}

TEST_F(StateKeeperTest, TheLatestWins) {
  with_keeper([&](StateKeeper& keeper) {
    keeper.orders(sample_orders());
    for (unsigned epoch = 1; epoch <= 50; ++epoch) {
      keeper.committed(commit(epoch, epoch % 2 == 0 ? fib::testing::sample() : fib::Delta{}));
    }
    auto orders = sample_orders();
    orders.links_down.links = {};
    keeper.orders(orders);
  });
  const auto state = read();
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->epoch, Epoch{50});
  EXPECT_TRUE(state->content == fib_.active()->snapshot());
  EXPECT_TRUE(state->orders.links_down.links.empty());
}

// An epoch is on its way: the number of one must not get the content of the other.
TEST_F(StateKeeperTest, AnotherFibThanWasToldIsNotKept) {
  const auto held = commit(5, fib::testing::sample());
  (void)commit(6, {});
  with_keeper([&](StateKeeper& keeper) {
    keeper.orders(sample_orders());
    keeper.committed(held);
  });
  EXPECT_EQ(folder_.names(), std::set<std::string>{});
}

TEST_F(StateKeeperTest, ADiskThatTakesNothingIsNoFaultOfTheCommit) {
  path_ = folder_.file("none/state");
  with_keeper([&](StateKeeper& keeper) {
    keeper.orders(sample_orders());
    keeper.committed(commit(5, {}));
    keeper.committed(commit(6, fib::testing::sample()));
    EXPECT_EQ(keeper.kept(), std::nullopt);
  });
  EXPECT_EQ(folder_.names(), std::set<std::string>{});
}

}  // namespace
}  // namespace rackway::node::testing
