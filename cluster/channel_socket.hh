// SPDX-License-Identifier: Apache-2.0
// One ZeroMQ socket, as the channels share it: the process-wide context, options, and sending and
// receiving of whole messages without waiting. ZeroMQ's own types stay in channel_socket.cc.
// A socket belongs to the thread that uses it.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rackway::cluster {

class ChannelSocket {
 public:
  enum class Kind { router, dealer, reply, request };

  // identity: routing id shown to a router; empty for an anonymous one. queue: messages that may
  // wait for one peer before send() refuses more.
  ChannelSocket(Kind kind, std::string_view identity, int queue);
  ~ChannelSocket();
  ChannelSocket(ChannelSocket&&) noexcept;

  // Messages of more bytes than that are not received; who sends one is disconnected. Before bind()
  // and connect(). Without it the bound is kMaxMessageBytes.
  void refuse_larger_than(std::size_t bytes);

  // Throws StartupError that names the endpoint: address in use, not to be had, no permission.
  void bind(const std::string& endpoint);
  void connect(const std::string& endpoint);

  // False when the peer is unknown, gone, or too far behind (its queue is full).
  bool send(const std::vector<std::string_view>& parts);
  std::optional<std::vector<std::string>> receive();

  // Waits until a message can be received; false when none came in time.
  bool wait(int timeout_ms);

  [[nodiscard]] void* handle() const;  // for ChannelPoll

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rackway::cluster
