// SPDX-License-Identifier: Apache-2.0
#include "cluster/channel_poll.hh"

#include <zmq.hpp>

namespace rackway::cluster {

struct ChannelPoll::State {
  std::vector<zmq::pollitem_t> items;
};

ChannelPoll::ChannelPoll() : state_(std::make_unique<State>()) {}
ChannelPoll::~ChannelPoll() = default;

std::size_t ChannelPoll::add_channel(void* handle) {
  state_->items.push_back({handle, 0, ZMQ_POLLIN, 0});
  return state_->items.size() - 1;
}

std::size_t ChannelPoll::add_fd(int fd) {
  state_->items.push_back({nullptr, fd, ZMQ_POLLIN, 0});
  return state_->items.size() - 1;
}

void ChannelPoll::wait(int timeout_ms) {
  try {
    zmq::poll(state_->items, std::chrono::milliseconds(timeout_ms));
  } catch (const zmq::error_t&) {  // EINTR; stale readiness must not be reported
    for (auto& item : state_->items) item.revents = 0;
  }
}

bool ChannelPoll::ready(std::size_t entry) const {
  return state_->items[entry].revents != 0;
}

}  // namespace rackway::cluster
