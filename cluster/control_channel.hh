// SPDX-License-Identifier: Apache-2.0
// The two ends of a channel between nodes and controller: the controller's end addresses nodes by
// name, a node's end reconnects by itself for ever. The control channel carries messages, the
// packet channel batches of frames; both are made of these. Each end belongs to one thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cluster/channel_socket.hh"

namespace rackway::cluster {

// Messages that may wait for one peer: many for epochs, which must not be lost while a node is
// busy; few for packets, which are better lost than late.
inline constexpr int kMessageQueue = 4096;
inline constexpr int kPacketQueue = 64;

class ControllerEnd {
 public:
  struct Received {
    std::string node;
    std::string bytes;
  };

  explicit ControllerEnd(const std::string& endpoint, int queue = kMessageQueue)
      : socket_(ChannelSocket::Kind::router, "", queue) {
    socket_.bind(endpoint);
  }
  // False when the node is not connected or does not take its messages in.
  bool send(const std::string& node, std::string_view bytes) { return socket_.send({node, bytes}); }
  // Malformed envelopes are left out.
  std::optional<Received> receive();
  [[nodiscard]] void* handle() const { return socket_.handle(); }

 private:
  ChannelSocket socket_;
};

class NodeEnd {
 public:
  NodeEnd(const std::string& endpoint, const std::string& node, int queue = kMessageQueue)
      : socket_(ChannelSocket::Kind::dealer, node, queue) {
    socket_.connect(endpoint);
  }
  // False while there is no connection, or the controller does not take messages in.
  bool send(std::string_view bytes) { return socket_.send({bytes}); }
  std::optional<std::string> receive();
  [[nodiscard]] void* handle() const { return socket_.handle(); }

 private:
  ChannelSocket socket_;
};

}  // namespace rackway::cluster
