// SPDX-License-Identifier: Apache-2.0
// One ZeroMQ socket, as the channels share it: the process-wide context, options, and sending and
// receiving of whole messages without waiting. ZeroMQ's own types stay in channel_socket.cc.
// A socket belongs to the thread that uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/key.hh"

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

  // Only peers that know this end's public key and prove one of their own get through (CURVE).
  // Which of them is KeyGate's affair. Before bind().
  void serve_with(const SecretKey& own);
  // This end proves its key, and talks to nobody but the controller's. Before connect().
  void prove(const NodeKeys& keys);

  // Throws StartupError that names the endpoint: address in use, not to be had, no permission. The
  // file of an ipc:// endpoint is its owner's alone, whatever the umask leaves to others.
  void bind(const std::string& endpoint);
  void connect(const std::string& endpoint);
  // After a refusal the transport does not try again by itself.
  void connect_anew(const std::string& endpoint);

  // What became of connections; kept from watch() on, which comes before bind() and connect().
  enum class Happening : std::uint8_t {
    ready,           // a handshake is done, messages can go
    trying,          // to connect
    refused,         // by the other end: it does not take this end's key
    other_security,  // one end has keys, the other has not
    broken_off,      // a handshake: also when this end has another key than the peer expects
    lost,            // a connection, with or without a handshake
  };
  void watch();
  [[nodiscard]] std::vector<Happening> take_happenings();

  // False when the peer is unknown, gone, or too far behind (its queue is full).
  bool send(const std::vector<std::string_view>& parts);
  // key: takes the text of the key that the sender has proven; empty without one.
  std::optional<std::vector<std::string>> receive(std::string* key = nullptr);

  // Waits until a message can be received; false when none came in time.
  bool wait(int timeout_ms);

  [[nodiscard]] void* handle() const;  // for ChannelPoll

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rackway::cluster
