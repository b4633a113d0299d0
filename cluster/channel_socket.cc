// SPDX-License-Identifier: Apache-2.0
#include "cluster/channel_socket.hh"

#include <zmq.hpp>

#include "base/startup_error.hh"
#include "cluster/messages.hh"

namespace rackway::cluster {
namespace {

constexpr int kHeartbeatMs = 1000;
constexpr int kHeartbeatTimeoutMs = 3000;

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

}  // namespace

struct ChannelSocket::State {
  zmq::socket_t socket;
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

ChannelSocket::~ChannelSocket() = default;
ChannelSocket::ChannelSocket(ChannelSocket&&) noexcept = default;

void ChannelSocket::refuse_larger_than(std::size_t bytes) {
  state_->socket.set(zmq::sockopt::maxmsgsize, static_cast<std::int64_t>(bytes));
}

void ChannelSocket::bind(const std::string& endpoint) {
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

std::optional<std::vector<std::string>> ChannelSocket::receive() {
  std::vector<std::string> parts;
  try {
    zmq::message_t part;
    do {
      if (!state_->socket.recv(part, zmq::recv_flags::dontwait)) return std::nullopt;
      parts.push_back(part.to_string());
    } while (part.more());
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
