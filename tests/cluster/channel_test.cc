// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <thread>

#include "base/startup_error.hh"
#include "base/unique_fd.hh"
#include "cluster/api_channel.hh"
#include "cluster/channel_poll.hh"
#include "cluster/control_channel.hh"

namespace rackway::cluster {
namespace {

using namespace std::chrono_literals;

class Channels : public ::testing::Test {
 protected:
  Channels() : folder_("/tmp/rackway-test-" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~Channels() override { std::filesystem::remove_all(folder_); }
  std::string endpoint(const std::string& name) const { return "ipc://" + folder_ + "/" + name; }

  std::string folder_;
};

// A node's end takes messages once it is connected.
bool send(NodeEnd& end, std::string_view bytes) {
  for (int i = 0; i < 500; ++i) {
    if (end.send(bytes)) return true;
    std::this_thread::sleep_for(10ms);
  }
  return false;
}

template <class End>
auto receive(End& end) {
  ChannelPoll poll;
  poll.add_channel(end.handle());
  auto received = end.receive();
  for (int i = 0; !received && i < 50; ++i) {
    poll.wait(100);
    received = end.receive();
  }
  return received;
}

TEST_F(Channels, ControllerAddressesNodesByName) {
  ControllerEnd controller(endpoint("c"));
  NodeEnd n1(endpoint("c"), "n1"), n2(endpoint("c"), "n2");
  ASSERT_TRUE(send(n1, "one"));
  ASSERT_TRUE(send(n2, "two"));
  for (int i = 0; i < 2; ++i) {
    const auto received = receive(controller);
    ASSERT_TRUE(received);
    EXPECT_EQ(received->bytes, received->node == "n1" ? "one" : "two");
    EXPECT_TRUE(controller.send(received->node, "to " + received->node));
  }
  EXPECT_EQ(receive(n1), "to n1");
  EXPECT_EQ(receive(n2), "to n2");
  EXPECT_FALSE(controller.send("n3", "nobody"));
}

TEST_F(Channels, ARestartedNodeTakesItsNameOver) {
  ControllerEnd controller(endpoint("c"));
  NodeEnd first(endpoint("c"), "n1");
  ASSERT_TRUE(send(first, "old"));
  ASSERT_EQ(receive(controller)->bytes, "old");
  NodeEnd second(endpoint("c"), "n1");
  ASSERT_TRUE(send(second, "new"));
  ASSERT_EQ(receive(controller)->bytes, "new");
  ASSERT_TRUE(controller.send("n1", "hello"));
  EXPECT_EQ(receive(second), "hello");
}

TEST_F(Channels, NothingIsKeptForAControllerThatIsAway) {
  NodeEnd node(endpoint("c"), "n1");
  EXPECT_FALSE(node.send("stale"));
  ControllerEnd controller(endpoint("c"));
  ASSERT_TRUE(send(node, "fresh"));
  EXPECT_EQ(receive(controller)->bytes, "fresh");
}

TEST_F(Channels, ApiAnswers) {
  ApiServer server(endpoint("api"));
  std::thread thread([&] {
    ChannelPoll poll;
    poll.add_channel(server.handle());
    poll.wait(5000);
    server.serve([](const std::string& request) { return request + "!"; });
  });
  EXPECT_EQ(ApiClient(endpoint("api")).request("hi", 5s).value(), "hi!");
  thread.join();
}

TEST_F(Channels, ATooLargeRequestIsNotReadAndHarmsNobody) {
  ApiServer server(endpoint("api"));
  std::atomic<bool> stop{false};
  std::vector<std::size_t> asked;
  std::thread thread([&] {
    ChannelPoll poll;
    poll.add_channel(server.handle());
    while (!stop) {
      poll.wait(20);
      server.serve([&](const std::string& request) {
        asked.push_back(request.size());
        return std::string(2 * kMaxRequestBytes, 'a');
      });
    }
  });
  const auto request = [&](std::size_t size, std::chrono::milliseconds timeout) {
    const auto answer = ApiClient(endpoint("api")).request(std::string(size, 'r'), timeout);
    return answer ? answer->size() : 0;
  };
  EXPECT_EQ(request(kMaxRequestBytes + 1, 300ms), 0u);
  EXPECT_EQ(request(kMaxRequestBytes, 10s), 2 * kMaxRequestBytes);
  EXPECT_EQ(request(1, 10s), 2 * kMaxRequestBytes);
  stop = true;
  thread.join();
  EXPECT_EQ(asked, (std::vector<std::size_t>{kMaxRequestBytes, 1}));
}

TEST_F(Channels, ApiServerTakesItsFileAway) {
  { ApiServer server(endpoint("api")); }
  EXPECT_FALSE(std::filesystem::exists(folder_ + "/api"));
}

TEST_F(Channels, ApiWithoutServerTimesOut) {
  EXPECT_FALSE(ApiClient(endpoint("nobody")).request("hi", 50ms));
}

TEST_F(Channels, FilesOfEndpointsAreTheirOwnersAlone) {
  const auto umask_before = ::umask(0);
  ApiServer server(endpoint("api"));
  ControllerEnd controller(endpoint("c"));
  EXPECT_EQ(::umask(umask_before), 0u);
  for (const auto* name : {"/api", "/c"}) {
    struct stat status {};
    ASSERT_EQ(::stat((folder_ + name).c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0700u) << name;
  }
}

TEST_F(Channels, EndpointsInUseAreRefused) {
  ApiServer server(endpoint("api"));
  EXPECT_THROW(ApiServer second(endpoint("api")), StartupError);
  ControllerEnd controller("tcp://127.0.0.1:17600");
  EXPECT_THROW(ControllerEnd("tcp://127.0.0.1:17600"), StartupError);
}

TEST_F(Channels, BadEndpointsAreRefused) {
  EXPECT_THROW(ApiClient("nonsense"), StartupError);
  EXPECT_THROW(ControllerEnd("tcp://no.such.interface.example:1"), StartupError);
}

// What a killed controller leaves: the file of a socket that nobody listens on.
TEST_F(Channels, ADeadApiSocketIsReplaced) {
  const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, (folder_ + "/api").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_NO_THROW(ApiServer(endpoint("api")));
}

}  // namespace
}  // namespace rackway::cluster
