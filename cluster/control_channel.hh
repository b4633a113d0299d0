// SPDX-License-Identifier: Apache-2.0
// The two ends of a channel between nodes and controller: the controller's end addresses nodes by
// name, a node's end reconnects by itself for ever. The control channel carries messages, the
// packet channel batches of frames; both are made of these. Each end belongs to one thread.
//
// With keys (docs/keys.md) a node is who its key says, and its connections have no names of their
// own that another might take. Without, a connection's routing id is the node's name.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "cluster/channel_socket.hh"
#include "cluster/key_gate.hh"
#include "cluster/message_bounds.hh"
#include "cluster/messages.hh"

namespace rackway::cluster {

// Messages that may wait for one peer: many for epochs, which must not be lost while a node is
// busy; few for packets, which are better lost than late.
struct ChannelBounds {
  int queue;
  std::size_t message_bytes;  // larger ones are not received: who sends one is disconnected
};
inline constexpr ChannelBounds kMessages{4096, kMaxMessageBytes};
// Twice a batch's bound: what is not far over it can be counted against its sender.
inline constexpr ChannelBounds kPackets{64, 2 * kMaxBatchBytes};

class ControllerEnd {
 public:
  struct Received {
    std::string node;
    std::string bytes;
  };

  // gate: null without keys; outlives this. farewell: a message for who is connected still when its
  // key is revoked; none if empty.
  explicit ControllerEnd(const std::string& endpoint, ChannelBounds bounds = kMessages,
                         KeyGate* gate = nullptr, std::string farewell = {});
  // False when the node is not connected, does not take its messages in, or is not let in any more.
  bool send(const std::string& node, std::string_view bytes);
  // Of nodes that are let in. Malformed envelopes are left out, and empty messages, by which nodes
  // only say that they are there.
  std::optional<Received> receive();
  [[nodiscard]] void* handle() const { return socket_.handle(); }

 private:
  using Clock = std::chrono::steady_clock;
  // By which a node spoke last.
  struct Connection {
    std::string id, key;
  };

  [[nodiscard]] std::optional<std::string> sender_of(const std::string& connection,
                                                     const std::string& key);
  void refuse(const KeyGate::Peer& peer, const std::string& connection);
  void count_failed_handshakes();

  ChannelSocket socket_;
  KeyGate* gate_;
  std::string farewell_;
  std::unordered_map<std::string, Connection> connections_;           // by node; with a gate
  std::unordered_map<std::string, Clock::time_point> next_farewell_;  // by node
};

class NodeEnd {
 public:
  NodeEnd(const std::string& endpoint, const std::string& node, ChannelBounds bounds = kMessages,
          const std::optional<NodeKeys>& keys = std::nullopt);
  // False while there is no connection, or the controller does not take messages in.
  bool send(std::string_view bytes) { return socket_.send({bytes}); }
  // Also looks after the connection, and says in the log, now and then, why there is none: to be
  // called several times a second.
  std::optional<std::string> receive();
  [[nodiscard]] void* handle() const { return socket_.handle(); }

 private:
  using Clock = std::chrono::steady_clock;

  void tend();
  void tell(ChannelSocket::Happening why);

  ChannelSocket socket_;
  std::string endpoint_, key_;  // key_: our public one's text; empty without keys
  bool ready_ = false;
  Clock::time_point last_attempt_ = Clock::now(), next_word_{};
};

}  // namespace rackway::cluster
