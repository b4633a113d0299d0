// SPDX-License-Identifier: Apache-2.0
// Frames between node ends of a real channel and socket pairs that stand for TAPs.
#include "control/slow_path.hh"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <optional>

#include "base/unique_fd.hh"
#include "cluster/channel_poll.hh"
#include "cluster/message_bounds.hh"
#include "cluster/messages.hh"

namespace rackway::control::testing {
namespace {

constexpr int kPatienceMs = 5000;

// A TAP: what is written to one side is read as one frame on the other.
struct FakeTap {
  explicit FakeTap(int type = SOCK_SEQPACKET) {
    int both[2];
    if (::socketpair(AF_UNIX, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, both) != 0) return;
    product = UniqueFd(both[0]);
    kernel = UniqueFd(both[1]);
  }
  void send(const std::string& frame) const {
    EXPECT_EQ(::write(kernel.get(), frame.data(), frame.size()),
              static_cast<ssize_t>(frame.size()));
  }
  [[nodiscard]] std::optional<std::string> receive(int timeout_ms = kPatienceMs) const {
    pollfd item{kernel.get(), POLLIN, 0};
    if (::poll(&item, 1, timeout_ms) != 1) return std::nullopt;
    std::string frame(cluster::kMaxFrameBytes + 1, '\0');
    const auto size = ::read(kernel.get(), frame.data(), frame.size());
    if (size < 0) return std::nullopt;
    frame.resize(static_cast<std::size_t>(size));
    return frame;
  }
  UniqueFd product, kernel;
};

std::string frame_of(char letter, std::size_t size = 60) {
  return std::string(size, letter);
}

std::string batch_of(const std::vector<std::pair<unsigned, std::string>>& frames,
                     cluster::PuntClass punt_class = cluster::PuntClass::icmp) {
  std::string batch;
  for (const auto& [port, bytes] : frames) {
    cluster::append_frame(batch, {{static_cast<std::uint16_t>(port)}, punt_class, bytes});
  }
  return batch;
}

class SlowPathTest : public ::testing::Test {
 protected:
  SlowPathTest() : folder_("/tmp/rackway-slow-path-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
    slow_path_.emplace(
        cluster::ControllerEnd(endpoint()),
        std::vector<SlowPath::Node>{{"n1", {n1p0_.product.get(), n1p1_.product.get()}},
                                    {"n2", {n2p0_.product.get()}},
                                    {"n3", {}}},
        conduct_);
  }
  ~SlowPathTest() override {
    slow_path_.reset();
    std::filesystem::remove_all(folder_);
  }

  std::string endpoint() const { return "ipc://" + folder_ + "/packets"; }
  const SlowPath::Counters& counters() const { return slow_path_->counters(); }
  // As soon as the node is connected.
  void punt(cluster::NodeEnd& node, const std::string& batch) {
    bool sent = node.send(batch);
    for (int i = 0; i < kPatienceMs && !sent; ++i) {
      ::usleep(1000);
      sent = node.send(batch);
    }
    EXPECT_TRUE(sent);
  }
  // A node can be sent to once a frame of it has arrived.
  void introduce(cluster::NodeEnd& node, const FakeTap& tap) {
    punt(node, batch_of({{0, frame_of('!')}}));
    ASSERT_EQ(tap.receive(), frame_of('!'));
  }
  std::optional<std::string> receive(cluster::NodeEnd& node) {
    cluster::ChannelPoll poll;
    poll.add_channel(node.handle());
    for (int waited = 0; waited < kPatienceMs; waited += 100) {
      if (auto bytes = node.receive()) return bytes;
      poll.wait(100);
    }
    return std::nullopt;
  }
  void expect_reaches(const std::atomic<std::uint64_t>& counter, std::uint64_t value) {
    for (int i = 0; i < kPatienceMs && counter != value; ++i) ::usleep(1000);
    EXPECT_EQ(counter, value);
  }

  // As the controller takes it, late enough.
  void say_hello(NodeId node) {
    EXPECT_FALSE(conduct_.passes_over(node, true, PeerConduct::Clock::now() + PeerConduct::kLeast));
  }

  std::string folder_;
  PeerConduct conduct_{3};
  FakeTap n1p0_, n1p1_, n2p0_{SOCK_DGRAM};
  std::optional<SlowPath> slow_path_;
};

TEST_F(SlowPathTest, PuntedFramesReachTheTapOfTheirPort) {
  cluster::NodeEnd n1(endpoint(), "n1"), n2(endpoint(), "n2");
  punt(n1, batch_of({{1, frame_of('a')}, {0, frame_of('b', 14)}, {1, frame_of('c')}}));
  punt(n2, batch_of({{0, frame_of('d', cluster::kMaxFrameBytes)}}));
  EXPECT_EQ(n1p1_.receive(), frame_of('a'));
  EXPECT_EQ(n1p1_.receive(), frame_of('c'));
  EXPECT_EQ(n1p0_.receive(), frame_of('b', 14));
  EXPECT_EQ(n2p0_.receive(), frame_of('d', cluster::kMaxFrameBytes));
  expect_reaches(counters().punted, 4);
  EXPECT_EQ(counters().malformed, 0u);
  EXPECT_EQ(counters().punt_refused, 0u);
}

TEST_F(SlowPathTest, APortThatTheNodeDoesNotHaveIsMalformed) {
  cluster::NodeEnd n2(endpoint(), "n2"), n3(endpoint(), "n3");
  punt(n2, batch_of({{1, frame_of('a')}, {255, frame_of('b')}, {0, frame_of('c')}}));
  EXPECT_EQ(n2p0_.receive(), frame_of('c'));
  expect_reaches(counters().malformed, 2);
  punt(n3, batch_of({{0, frame_of('d')}}));
  expect_reaches(counters().malformed, 3);
  EXPECT_EQ(counters().punted, 1u);
  EXPECT_EQ(n1p1_.receive(0), std::nullopt);
}

TEST_F(SlowPathTest, UnknownNodesAndMalformedBatchesAreCounted) {
  cluster::NodeEnd stranger(endpoint(), "n9"), n1(endpoint(), "n1");
  punt(stranger, batch_of({{0, frame_of('a')}}));
  expect_reaches(counters().malformed, 1);
  const auto good = batch_of({{0, frame_of('b')}});
  std::uint64_t malformed = 0;
  for (const auto& batch : {good.substr(0, good.size() - 1), std::string("x"),
                            batch_of({{0, frame_of('c', 13)}}), good + "x"}) {
    punt(n1, batch);
    expect_reaches(counters().malformed, 1 + ++malformed);
    say_hello(NodeId{0});
  }
  EXPECT_EQ(conduct_.count(NodeId{0}, PeerFault::malformed), 4u);
  introduce(n1, n1p0_);  // of the malformed ones nothing came through
  expect_reaches(counters().punted, 1);
}

TEST_F(SlowPathTest, WhoSendsAMalformedBatchIsIgnoredUntilItSaysHello) {
  cluster::NodeEnd n1(endpoint(), "n1"), n2(endpoint(), "n2");
  punt(n1, "x");
  expect_reaches(counters().malformed, 1);
  punt(n1, batch_of({{0, frame_of('a')}}));
  punt(n2, batch_of({{0, frame_of('b')}}));
  EXPECT_EQ(n2p0_.receive(), frame_of('b'));  // nobody else is
  while (conduct_.ignored(NodeId{0}) == 0) ::usleep(1000);
  EXPECT_EQ(n1p0_.receive(0), std::nullopt);
  say_hello(NodeId{0});
  introduce(n1, n1p0_);
  EXPECT_EQ(conduct_.ignored(NodeId{0}), 1u);
}

TEST_F(SlowPathTest, AnOversizedBatchIsCountedAsThat) {
  cluster::NodeEnd n1(endpoint(), "n1");
  punt(n1, std::string(cluster::kMaxBatchBytes + 1, 'x'));
  expect_reaches(counters().malformed, 1);
  EXPECT_EQ(conduct_.count(NodeId{0}, PeerFault::oversized), 1u);
  EXPECT_EQ(conduct_.count(NodeId{0}, PeerFault::malformed), 0u);
}

TEST_F(SlowPathTest, FramesThatTheTapDoesNotTakeAreCounted) {
  cluster::NodeEnd n2(endpoint(), "n2");
  n2p0_.kernel = UniqueFd();  // nobody reads: the socket refuses
  punt(n2, batch_of({{0, frame_of('a')}, {0, frame_of('b')}}));
  expect_reaches(counters().punt_refused, 2);
  EXPECT_EQ(counters().punted, 0u);
}

TEST_F(SlowPathTest, InjectedFramesReachTheNodeOfTheirTap) {
  cluster::NodeEnd n1(endpoint(), "n1"), n2(endpoint(), "n2");
  introduce(n1, n1p0_);
  introduce(n2, n2p0_);
  n1p1_.send(frame_of('a'));
  n2p0_.send(frame_of('b', 9000));
  const auto to_n1 = receive(n1), to_n2 = receive(n2);
  ASSERT_TRUE(to_n1 && to_n2);
  const auto frames = cluster::split_frames(*to_n1);
  ASSERT_TRUE(frames);
  ASSERT_EQ(frames->size(), 1u);
  EXPECT_EQ((*frames)[0].port, PortId{1});
  EXPECT_EQ((*frames)[0].bytes, frame_of('a'));
  EXPECT_EQ(*to_n2, batch_of({{0, frame_of('b', 9000)}}, {}));
  expect_reaches(counters().injected, 2);
  EXPECT_EQ(counters().inject_lost, 0u);
}

TEST_F(SlowPathTest, ManyInjectedFramesKeepTheirOrder) {
  cluster::NodeEnd n1(endpoint(), "n1");
  introduce(n1, n1p0_);
  constexpr int kFrames = 200;  // more than one batch takes
  std::size_t written = 0;
  std::vector<std::string> received;
  while (received.size() < kFrames) {
    for (int i = 0; i < 50 && written < kFrames; ++i, ++written) {
      n1p0_.send(frame_of(static_cast<char>('A' + written % 64)));
    }
    const auto batch = receive(n1);
    ASSERT_TRUE(batch);
    const auto frames = cluster::split_frames(*batch);
    ASSERT_TRUE(frames);
    for (const auto& frame : *frames) {
      ASSERT_EQ(frame.port, PortId{0});
      received.emplace_back(frame.bytes);
    }
  }
  for (std::size_t i = 0; i < kFrames; ++i) {
    ASSERT_EQ(received[i], frame_of(static_cast<char>('A' + i % 64))) << i;
  }
  expect_reaches(counters().injected, kFrames);
}

TEST_F(SlowPathTest, FramesForANodeThatIsNotConnectedAreLost) {
  n1p0_.send(frame_of('a'));
  n1p1_.send(frame_of('b'));
  expect_reaches(counters().inject_lost, 2);
  EXPECT_EQ(counters().injected, 0u);
  cluster::NodeEnd n1(endpoint(), "n1");
  introduce(n1, n1p0_);
  n1p0_.send(frame_of('c'));
  const auto batch = receive(n1);
  ASSERT_TRUE(batch);
  EXPECT_EQ(cluster::split_frames(*batch).value().at(0).bytes, frame_of('c'));
}

TEST_F(SlowPathTest, ARuntOfTheKernelStopsNothing) {
  cluster::NodeEnd n1(endpoint(), "n1");
  introduce(n1, n1p0_);
  n1p0_.send("runt");
  n1p0_.send(frame_of('a'));
  const auto batch = receive(n1);
  ASSERT_TRUE(batch);
  EXPECT_EQ(cluster::split_frames(*batch).value().at(0).bytes, frame_of('a'));
}

}  // namespace
}  // namespace rackway::control::testing
