// SPDX-License-Identifier: Apache-2.0
#include "cluster/channel_socket.hh"

#include <sys/stat.h>

#include <atomic>
#include <cstring>
#include <zmq.hpp>

#include "base/startup_error.hh"
#include "cluster/messages.hh"

namespace rackway::cluster {
namespace {

constexpr int kHeartbeatMs = 1000;
constexpr int kHeartbeatTimeoutMs = 3000;
constexpr int kHandshakeMs = 5000;  // who says nothing holds a connection no longer
constexpr const char* kDomain = "rackway";
constexpr int kWatched = ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_DELAYED |
                         ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_DISCONNECTED |
                         ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL |
                         ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH;

zmq::context_t& context() {
  static zmq::context_t shared(1);
  return shared;
}

zmq::socket_type type_of(ChannelSocket::Kind kind) {
  switch (kind) {
    case ChannelSocket::Kind::router: return zmq::socket_type::router;
    case ChannelSocket::Kind::dealer: return zmq::socket_type::dealer;
    case ChannelSocket::Kind::reply: return zmq::socket_type::rep;
    case ChannelSocket::Kind::request: return zmq::socket_type::req;
  }
  return zmq::socket_type::dealer;
}

std::string binary(const KeyBytes& key) {
  return {reinterpret_cast<const char*>(key.data()), key.size()};
}

// ZeroMQ keeps a copy; ours does not outlive the call.
void set_secret(zmq::socket_t& socket, const SecretKey& key) {
  socket.set(zmq::sockopt::curve_secretkey,
             zmq::const_buffer(key.bytes().data(), key.bytes().size()));
}

// While it is there, the file of an ipc:// endpoint is made for its owner alone.
class OwnersOnly {
 public:
  OwnersOnly() : before_(::umask(S_IRWXG | S_IRWXO)) {}
  ~OwnersOnly() { ::umask(before_); }
  OwnersOnly(const OwnersOnly&) = delete;
  OwnersOnly& operator=(const OwnersOnly&) = delete;

 private:
  mode_t before_;
};

ChannelSocket::Happening happening_of(std::uint16_t event, std::uint32_t value) {
  using Happening = ChannelSocket::Happening;
  switch (event) {
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: return Happening::ready;
    case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: return Happening::refused;
    case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL:
      return value == ZMQ_PROTOCOL_ERROR_ZMTP_MECHANISM_MISMATCH ? Happening::other_security
                                                                 : Happening::broken_off;
    case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: return Happening::broken_off;
    case ZMQ_EVENT_DISCONNECTED: return Happening::lost;
    default: return Happening::trying;
  }
}

}  // namespace

struct ChannelSocket::State {
  zmq::socket_t socket;
  zmq::socket_t monitor{};
};

ChannelSocket::ChannelSocket(Kind kind, std::string_view identity, int queue)
    : state_(std::make_unique<State>(zmq::socket_t(context(), type_of(kind)))) {
  auto& socket = state_->socket;
  socket.set(zmq::sockopt::linger, 0);
  refuse_larger_than(kMaxMessageBytes);
  socket.set(zmq::sockopt::sndhwm, queue);
  socket.set(zmq::sockopt::rcvhwm, queue);
  socket.set(zmq::sockopt::heartbeat_ivl, kHeartbeatMs);
  socket.set(zmq::sockopt::heartbeat_timeout, kHeartbeatTimeoutMs);
  socket.set(zmq::sockopt::handshake_ivl, kHandshakeMs);
  socket.set(zmq::sockopt::reconnect_ivl, 100);
  socket.set(zmq::sockopt::reconnect_ivl_max, 1000);
  if (kind == Kind::router) {
    socket.set(zmq::sockopt::router_mandatory, 1);
    socket.set(zmq::sockopt::router_handover, 1);  // a restarted node takes its name over
  }
  // Nothing is kept for a controller that is away: when it is back it wants to hear what is, not
  // what was.
  if (kind == Kind::dealer) socket.set(zmq::sockopt::immediate, 1);
  if (!identity.empty()) socket.set(zmq::sockopt::routing_id, identity);
}

// A monitor that nobody listens to would stop the transport's own thread for good: it goes first.
ChannelSocket::~ChannelSocket() {
  if (state_) zmq_socket_monitor(state_->socket.handle(), nullptr, 0);
}
ChannelSocket::ChannelSocket(ChannelSocket&&) noexcept = default;

void ChannelSocket::refuse_larger_than(std::size_t bytes) {
  state_->socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(bytes));
}

void ChannelSocket::serve_with(const SecretKey& own) {
  auto& socket = state_->socket;
  socket.set(zmq::sockopt::zap_domain, kDomain);
  // A routing id is the peer's choice: it takes no other peer's connection over.
  socket.set(zmq::sockopt::router_handover, 0);
  socket.set(zmq::sockopt::curve_server, true);
  set_secret(socket, own);
}

void ChannelSocket::prove(const NodeKeys& keys) {
  auto& socket = state_->socket;
  socket.set(zmq::sockopt::curve_serverkey, binary(keys.controller.bytes));
  socket.set(zmq::sockopt::curve_publickey, binary(keys.own.open.bytes));
  set_secret(socket, keys.own.secret);
}

void ChannelSocket::watch() {
  static std::atomic<unsigned> monitors{0};
  const auto endpoint = "inproc://monitor-" + std::to_string(monitors++);
  if (zmq_socket_monitor(state_->socket.handle(), endpoint.c_str(), kWatched) != 0) return;
  state_->monitor = zmq::socket_t(context(), zmq::socket_type::pair);
  state_->monitor.set(zmq::sockopt::linger, 0);
  state_->monitor.set(zmq::sockopt::rcvhwm, 0);  // nor must one that is behind
  state_->monitor.connect(endpoint);
}

std::vector<ChannelSocket::Happening> ChannelSocket::take_happenings() {
  std::vector<Happening> happenings;
  if (!state_->monitor) return happenings;
  zmq::message_t event, endpoint;
  while (state_->monitor.recv(event, zmq::recv_flags::dontwait)) {
    std::uint16_t kind = 0;
    std::uint32_t value = 0;
    if (event.size() == sizeof kind + sizeof value) {
      std::memcpy(&kind, event.data(), sizeof kind);
      std::memcpy(&value, static_cast<const char*>(event.data()) + sizeof kind, sizeof value);
    }
    (void)state_->monitor.recv(endpoint, zmq::recv_flags::dontwait);
    if ((kind & kWatched) != 0) happenings.push_back(happening_of(kind, value));
  }
  return happenings;
}

void ChannelSocket::bind(const std::string& endpoint) {
  const OwnersOnly files;
  try {
    state_->socket.bind(endpoint);
  } catch (const zmq::error_t& error) {
    const bool in_use = error.num() == EADDRINUSE;
    throw StartupError(std::string("can not listen on ") + endpoint + ": " + error.what(), "",
                       in_use ? "stop the program that uses it or choose another endpoint"
                              : "check the endpoint in the cluster document");
  }
}

void ChannelSocket::connect(const std::string& endpoint) {
  try {
    state_->socket.connect(endpoint);
  } catch (const zmq::error_t& error) {
    throw StartupError(std::string("can not connect to ") + endpoint + ": " + error.what(), "",
                       "give an endpoint like tcp://10.0.0.1:7600 or ipc:///run/rackway/api.sock");
  }
}

void ChannelSocket::connect_anew(const std::string& endpoint) {
  try {
    state_->socket.disconnect(endpoint);
  } catch (const zmq::error_t&) {  // ENOENT: the transport has given it up already
  }
  connect(endpoint);
}

bool ChannelSocket::send(const std::vector<std::string_view>& parts) {
  try {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool more = i + 1 < parts.size();
      const auto flags =
          more ? zmq::send_flags::dontwait | zmq::send_flags::sndmore : zmq::send_flags::dontwait;
      if (!state_->socket.send(zmq::buffer(parts[i]), flags)) return false;
    }
    return true;
  } catch (const zmq::error_t&) {  // EHOSTUNREACH: the router knows no such peer
    return false;
  }
}

std::optional<std::vector<std::string>> ChannelSocket::receive(std::string* key) {
  std::vector<std::string> parts;
  try {
    zmq::message_t part;
    do {
      if (!state_->socket.recv(part, zmq::recv_flags::dontwait)) return std::nullopt;
      parts.push_back(part.to_string());
    } while (part.more());
    if (key != nullptr) {
      const char* const proven = zmq_msg_gets(part.handle(), "User-Id");
      *key = proven != nullptr ? proven : "";
    }
  } catch (const zmq::error_t&) {
    return std::nullopt;
  }
  return parts;
}

bool ChannelSocket::wait(int timeout_ms) {
  zmq::pollitem_t item{state_->socket.handle(), 0, ZMQ_POLLIN, 0};
  try {
    return zmq::poll(&item, 1, std::chrono::milliseconds(timeout_ms)) > 0;
  } catch (const zmq::error_t&) {  // interrupted by a signal
    return false;
  }
}

void* ChannelSocket::handle() const {
  return state_->socket.handle();
}

}  // namespace rackway::cluster
