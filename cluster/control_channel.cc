// SPDX-License-Identifier: Apache-2.0
#include "cluster/control_channel.hh"

#include "base/log.hh"

namespace rackway::cluster {
namespace {

using namespace std::chrono_literals;
using Happening = ChannelSocket::Happening;

constexpr auto kFarewellEvery = 5s;
constexpr auto kWordEvery = 10s;
constexpr auto kGivenUp = 2s;  // longer than the transport waits between two attempts

}  // namespace

// ---- the controller's end

ControllerEnd::ControllerEnd(const std::string& endpoint, ChannelBounds bounds, KeyGate* gate,
                             std::string farewell)
    : socket_(ChannelSocket::Kind::router, "", bounds.queue),
      gate_(gate),
      farewell_(std::move(farewell)) {
  socket_.refuse_larger_than(bounds.message_bytes);
  if (gate_ != nullptr) {
    socket_.serve_with(gate_->own().secret);
    socket_.watch();
  }
  socket_.bind(endpoint);
}

bool ControllerEnd::send(const std::string& node, std::string_view bytes) {
  if (gate_ == nullptr) return socket_.send({node, bytes});
  const auto found = connections_.find(node);
  if (found == connections_.end()) return false;
  const auto peer = gate_->who(found->second.key);
  return peer.standing == KeyGate::Standing::allowed && peer.node == node &&
         socket_.send({found->second.id, bytes});
}

std::optional<ControllerEnd::Received> ControllerEnd::receive() {
  std::string key;
  while (auto parts = socket_.receive(&key)) {
    if (parts->size() != 2) continue;
    auto node = sender_of((*parts)[0], key);
    if (node && !(*parts)[1].empty()) return Received{std::move(*node), std::move((*parts)[1])};
  }
  count_failed_handshakes();
  return std::nullopt;
}

std::optional<std::string> ControllerEnd::sender_of(const std::string& connection,
                                                    const std::string& key) {
  if (gate_ == nullptr) return connection;
  auto peer = gate_->who(key);
  if (peer.standing != KeyGate::Standing::allowed) {
    refuse(peer, connection);
    return std::nullopt;
  }
  if (auto& known = connections_[peer.node]; known.id != connection) known = {connection, key};
  return std::move(peer.node);
}

void ControllerEnd::refuse(const KeyGate::Peer& peer, const std::string& connection) {
  gate_->count_refused(peer);
  if (farewell_.empty()) return;
  auto& next = next_farewell_[peer.node];
  if (const auto now = Clock::now(); now >= next) {
    next = now + kFarewellEvery;
    socket_.send({connection, farewell_});
  }
}

void ControllerEnd::count_failed_handshakes() {
  for (const auto happening : socket_.take_happenings()) {
    if (happening == Happening::broken_off || happening == Happening::other_security) {
      gate_->count_failed_handshake();
    }
  }
}

// ---- a node's end

NodeEnd::NodeEnd(const std::string& endpoint, const std::string& node, ChannelBounds bounds,
                 const std::optional<NodeKeys>& keys)
    : socket_(ChannelSocket::Kind::dealer, keys ? "" : node, bounds.queue),
      endpoint_(endpoint),
      key_(keys ? keys->own.open.text() : "") {
  socket_.refuse_larger_than(bounds.message_bytes);
  if (keys) socket_.prove(*keys);
  socket_.watch();
  socket_.connect(endpoint);
}

std::optional<std::string> NodeEnd::receive() {
  tend();
  while (auto parts = socket_.receive()) {
    if (parts->size() == 1) return std::move(parts->front());
  }
  return std::nullopt;
}

void NodeEnd::tend() {
  for (const auto happening : socket_.take_happenings()) {
    last_attempt_ = Clock::now();
    ready_ = happening == Happening::ready;
    // The controller can address a connection when something has come by it.
    if (ready_) socket_.send({""});
    tell(happening);
  }
  // After a refusal, and when the other end has broken the rules, the transport has given up.
  if (!ready_ && Clock::now() - last_attempt_ > kGivenUp) {
    last_attempt_ = Clock::now();
    socket_.connect_anew(endpoint_);
  }
}

void NodeEnd::tell(Happening why) {
  const char* what = nullptr;
  if (why == Happening::refused) {
    what = "the controller does not let this node's key in: allow it there (rackway key allow)";
  } else if (why == Happening::other_security) {
    what = key_.empty() ? "the controller wants a key: give --key and --controller-key"
                        : "the controller has no key: start it with --key and --allow";
  } else if (why == Happening::broken_off) {
    what = key_.empty()
               ? "the handshake was broken off: does a controller listen there?"
               : "the handshake was broken off: is --controller-key the key of this controller?";
  }
  const auto now = Clock::now();
  if (what == nullptr || now < next_word_) return;
  next_word_ = now + kWordEvery;
  log::error("{}: {}{}", endpoint_, what, key_.empty() ? "" : "; own key " + key_);
}

}  // namespace rackway::cluster
