// SPDX-License-Identifier: Apache-2.0
// Channels with keys, over real sockets: who is let in, who is not, and that the others do not
// notice.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <thread>

#include "base/startup_error.hh"
#include "cluster/channel_poll.hh"
#include "cluster/control_channel.hh"
#include "tests/cluster/key_folder.hh"

namespace rackway::cluster::testing {
namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 20s;

// A controller whose list has n1 and n2.
class KeyedChannels : public ::testing::TestWithParam<const char*> {
 protected:
  KeyedChannels() {
    EXPECT_TRUE(allow_key(list_, "n1", n1_.open));
    EXPECT_TRUE(allow_key(list_, "n2", n2_.open));
    gate_.emplace(own_, list_);
    end_.emplace(endpoint(), kBounds, &*gate_, "farewell");
  }

  std::string endpoint() const {
    return GetParam() == std::string("ipc") ? "ipc://" + folder_.file("c")
                                            : "tcp://127.0.0.1:17611";
  }
  NodeKeys keys_of(const KeyPair& pair) const { return {pair, own_.open}; }
  NodeEnd node(const KeyPair& pair) const { return {endpoint(), "", kBounds, keys_of(pair)}; }

  // Gives both ends turns until it is so.
  bool wait_until(const std::function<bool()>& is_so, std::vector<NodeEnd*> nodes = {}) {
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    while (!is_so()) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      for (auto* end : nodes) {
        if (auto bytes = end->receive()) told_.push_back(*bytes);
      }
      while (auto received = end_->receive())
        heard_.push_back(received->node + ":" + received->bytes);
      std::this_thread::sleep_for(2ms);
    }
    return true;
  }
  bool heard(const std::string& what) const {
    return std::find(heard_.begin(), heard_.end(), what) != heard_.end();
  }
  // Says it until it is heard.
  bool is_heard(NodeEnd& end, const std::string& as, const std::string& words) {
    bool sent = false;
    return wait_until(
        [&] {
          if (!sent) sent = end.send(words);
          return heard(as + ":" + words);
        },
        {&end});
  }

  static constexpr ChannelBounds kBounds{64, 100'000};
  KeyFolder folder_;
  std::string list_ = folder_.file("list");
  KeyPair own_ = new_key_pair(), n1_ = new_key_pair(), n2_ = new_key_pair();
  std::optional<KeyGate> gate_;
  std::optional<ControllerEnd> end_;
  std::vector<std::string> heard_, told_;
};

INSTANTIATE_TEST_SUITE_P(Over, KeyedChannels, ::testing::Values("ipc", "tcp"),
                         [](const auto& suite) { return std::string(suite.param); });

TEST_P(KeyedChannels, ANodeIsWhoItsKeySays) {
  auto n1 = node(n1_), n2 = node(n2_);
  EXPECT_TRUE(is_heard(n1, "n1", "one"));
  EXPECT_TRUE(is_heard(n2, "n2", "two"));
  EXPECT_TRUE(end_->send("n1", "to n1"));
  EXPECT_TRUE(end_->send("n2", "to n2"));
  EXPECT_TRUE(wait_until([&] { return told_.size() == 1; }, {&n1}));
  EXPECT_TRUE(wait_until([&] { return told_.size() == 2; }, {&n2}));
  EXPECT_EQ(told_, (std::vector<std::string>{"to n1", "to n2"}));
  EXPECT_EQ(gate_->counts_of("n1").admitted, 1u);
  EXPECT_EQ(gate_->counts_of("n1").keys, 1u);
}

// As soon as it is connected: the kernel's frames need not wait for one of the node's.
TEST_P(KeyedChannels, ANodeThatHasSaidNothingCanBeSpokenTo) {
  auto n1 = node(n1_);
  EXPECT_TRUE(wait_until([&] { return end_->send("n1", "first"); }, {&n1}));
  EXPECT_TRUE(wait_until([&] { return !told_.empty(); }, {&n1}));
  EXPECT_EQ(told_.front(), "first");
  EXPECT_TRUE(heard_.empty());
}

TEST_P(KeyedChannels, AnUnknownKeyIsCountedAndHarmsNobody) {
  auto n1 = node(n1_);
  ASSERT_TRUE(is_heard(n1, "n1", "before"));
  const auto stranger_key = new_key_pair();
  auto stranger = node(stranger_key);
  ASSERT_TRUE(wait_until([&] { return gate_->strangers().unknown_key >= 1; }, {&stranger}));
  EXPECT_FALSE(stranger.send("let me in"));
  EXPECT_EQ(gate_->strangers().last_key, stranger_key.open.text());
  EXPECT_TRUE(is_heard(n1, "n1", "after"));
  EXPECT_EQ(heard_, (std::vector<std::string>{"n1:before", "n1:after"}));
}

// The transport gives up after a refusal; the node does not.
TEST_P(KeyedChannels, AStrangerThatIsAllowedLaterGetsIn) {
  const auto late = new_key_pair();
  auto n3 = node(late);
  ASSERT_TRUE(wait_until([&] { return gate_->strangers().unknown_key >= 1; }, {&n3}));
  ASSERT_TRUE(allow_key(list_, "n3", late.open));
  EXPECT_TRUE(is_heard(n3, "n3", "here"));
}

TEST_P(KeyedChannels, ARevokedKeyEndsAlsoWhatIsConnected) {
  auto n1 = node(n1_), n2 = node(n2_);
  ASSERT_TRUE(is_heard(n1, "n1", "one"));
  ASSERT_TRUE(is_heard(n2, "n2", "two"));
  ASSERT_TRUE(revoke_keys(list_, "n1", std::nullopt));
  ASSERT_TRUE(wait_until(
      [&] { return gate_->who(n1_.open.text()).standing == KeyGate::Standing::revoked; }));
  EXPECT_FALSE(end_->send("n1", "secret"));
  ASSERT_TRUE(n1.send("still here"));
  ASSERT_TRUE(wait_until([&] { return gate_->counts_of("n1").refused_revoked >= 1; }, {&n1}));
  EXPECT_TRUE(wait_until([&] { return !told_.empty(); }, {&n1}));
  EXPECT_EQ(told_, std::vector<std::string>{"farewell"});
  EXPECT_TRUE(is_heard(n2, "n2", "and I"));
  EXPECT_EQ(heard_, (std::vector<std::string>{"n1:one", "n2:two", "n2:and I"}));
  EXPECT_EQ(gate_->take_news(), std::vector<std::string>{"node n1: a key is revoked"});

  auto again = node(n1_);  // and no new connection
  const auto refused = gate_->counts_of("n1").refused_revoked;
  EXPECT_TRUE(
      wait_until([&] { return gate_->counts_of("n1").refused_revoked > refused; }, {&again}));

  ASSERT_TRUE(allow_key(list_, "n1", n1_.open));
  ASSERT_TRUE(wait_until(
      [&] { return gate_->who(n1_.open.text()).standing == KeyGate::Standing::allowed; }));
  EXPECT_TRUE(is_heard(n1, "n1", "back"));
}

TEST_P(KeyedChannels, AnotherControllersKeyIsRefusedByTheHandshake) {
  auto n1 = node(n1_);
  ASSERT_TRUE(is_heard(n1, "n1", "one"));
  NodeEnd astray(endpoint(), "", kBounds, NodeKeys{n2_, new_key_pair().open});
  ASSERT_TRUE(wait_until([&] { return gate_->strangers().failed_handshakes >= 1; }, {&astray}));
  EXPECT_FALSE(astray.send("hello"));
  EXPECT_TRUE(is_heard(n1, "n1", "two"));
}

TEST_P(KeyedChannels, HalvesThatDoNotBelongTogetherAndZeroAreRefused) {
  const KeyPair half{n1_.open, n2_.secret}, zero{};
  for (const auto& pair : {half, zero}) {
    const auto failed = gate_->strangers().failed_handshakes;
    auto end = node(pair);
    EXPECT_TRUE(wait_until([&] { return gate_->strangers().failed_handshakes > failed; }, {&end}));
    EXPECT_FALSE(end.send("hello"));
  }
  EXPECT_EQ(gate_->counts_of("n1").admitted, 0u);
  EXPECT_TRUE(heard_.empty());
}

TEST_P(KeyedChannels, WithoutAKeyNobodyGetsIn) {
  NodeEnd bare(endpoint(), "n1", kBounds);
  ASSERT_TRUE(wait_until([&] { return gate_->strangers().failed_handshakes >= 1; }, {&bare}));
  EXPECT_FALSE(bare.send("hello"));
}

TEST_P(KeyedChannels, AControllerWithoutKeysIsNotObeyed) {
  ControllerEnd bare("ipc://" + folder_.file("bare"), kBounds);
  NodeEnd n1("ipc://" + folder_.file("bare"), "", kBounds, keys_of(n1_));
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(n1.receive());
    EXPECT_FALSE(n1.send("hello"));
    EXPECT_FALSE(bare.receive());
    std::this_thread::sleep_for(1ms);
  }
}

// A node with a good key takes the name of another: what it says is its own, and the other's
// connection stays the other's.
TEST_P(KeyedChannels, ARoutingIdMakesNobodyAnotherNode) {
  auto n1 = node(n1_);
  ASSERT_TRUE(is_heard(n1, "n1", "one"));
  ChannelSocket impostor(ChannelSocket::Kind::dealer, "n1", 64);
  impostor.prove(keys_of(n2_));
  impostor.connect(endpoint());
  ASSERT_TRUE(wait_until([&] { return impostor.send({"I am n1"}); }));
  EXPECT_TRUE(wait_until([&] { return heard("n2:I am n1"); }));
  ASSERT_TRUE(end_->send("n1", "for n1"));
  EXPECT_TRUE(wait_until([&] { return !told_.empty(); }, {&n1}));
  EXPECT_EQ(told_, std::vector<std::string>{"for n1"});
  EXPECT_FALSE(impostor.receive());
}

TEST_P(KeyedChannels, ARestartedNodeIsTheOneThatIsSpokenTo) {
  auto first = node(n1_);
  ASSERT_TRUE(is_heard(first, "n1", "old"));
  auto second = node(n1_);
  ASSERT_TRUE(is_heard(second, "n1", "new"));
  ASSERT_TRUE(end_->send("n1", "hello"));
  EXPECT_TRUE(wait_until([&] { return !told_.empty(); }, {&second}));
}

TEST_P(KeyedChannels, ATooLargeMessageEndsItsConnectionAndNoOther) {
  auto n1 = node(n1_), n2 = node(n2_);
  ASSERT_TRUE(is_heard(n1, "n1", "one"));
  ASSERT_TRUE(is_heard(n2, "n2", "two"));
  ASSERT_TRUE(n1.send(std::string(kBounds.message_bytes + 1, 'x')));
  ASSERT_TRUE(wait_until([&] { return gate_->counts_of("n1").admitted == 2; }, {&n1}));
  EXPECT_TRUE(is_heard(n2, "n2", "three"));
  EXPECT_TRUE(is_heard(n1, "n1", "four"));
  EXPECT_EQ(gate_->counts_of("n2").admitted, 1u);
  EXPECT_EQ(heard_, (std::vector<std::string>{"n1:one", "n2:two", "n2:three", "n1:four"}));
}

TEST(KeyGate, WithoutAListItDoesNotStart) {
  const KeyFolder folder;
  EXPECT_THROW(KeyGate(new_key_pair(), folder.file("none")), StartupError);
}

}  // namespace
}  // namespace rackway::cluster::testing
