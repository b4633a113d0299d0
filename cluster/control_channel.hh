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

class ControllerEnd {
 public:
  struct Received {
    std::string node;
    std::string bytes;
  };

  explicit ControllerEnd(const std::string& endpoint) : socket_(ChannelSocket::Kind::router, "") {
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
  NodeEnd(const std::string& endpoint, const std::string& node)
      : socket_(ChannelSocket::Kind::dealer, node) {
    socket_.connect(endpoint);
  }
  bool send(std::string_view bytes) { return socket_.send({bytes}); }
  std::optional<std::string> receive();
  [[nodiscard]] void* handle() const { return socket_.handle(); }

 private:
  ChannelSocket socket_;
};

}  // namespace rackway::cluster
