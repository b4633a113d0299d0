// SPDX-License-Identifier: Apache-2.0
#include "control/slow_path.hh"

#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/log.hh"
#include "cluster/channel_poll.hh"
#include "cluster/message_bounds.hh"
#include "cluster/messages.hh"

namespace rackway::control {
namespace {

constexpr int kTickMs = 200;
constexpr int kFramesPerBatch = 64;

}  // namespace

SlowPath::SlowPath(cluster::ControllerEnd channel, std::vector<Node> nodes, PeerConduct& conduct)
    : channel_(std::move(channel)),
      nodes_(std::move(nodes)),
      conduct_(conduct),
      thread_([this] { run(); }) {}

SlowPath::~SlowPath() {
  stop_ = true;
  thread_.join();
}

void SlowPath::run() {
  cluster::ChannelPoll poll;
  const auto channel = poll.add_channel(channel_.handle());
  std::vector<std::size_t> entries;
  for (const auto& node : nodes_) {
    for (const int tap : node.taps) entries.push_back(poll.add_fd(tap));
  }
  while (!stop_) {
    poll.wait(kTickMs);
    if (poll.ready(channel)) take_punted();
    auto entry = entries.begin();
    for (const auto& node : nodes_) {
      const auto of_node = entry + static_cast<std::ptrdiff_t>(node.taps.size());
      if (std::any_of(entry, of_node, [&](std::size_t e) { return poll.ready(e); })) {
        send_injected(node);
      }
      entry = of_node;
    }
  }
}

void SlowPath::take_punted() {
  while (const auto received = channel_.receive()) {
    const auto node = std::find_if(nodes_.begin(), nodes_.end(),
                                   [&](const auto& n) { return n.name == received->node; });
    if (node == nodes_.end()) {
      ++counters_.malformed;
      continue;
    }
    const NodeId id{static_cast<NodeId::rep>(node - nodes_.begin())};
    if (conduct_.passes_over(id, false, PeerConduct::Clock::now())) continue;
    take_batch(id, received->bytes);
  }
}

void SlowPath::take_batch(NodeId node, const std::string& batch) {
  const auto frames = cluster::split_frames(batch);
  if (!frames) {
    const bool oversized = batch.size() > cluster::kMaxBatchBytes;
    conduct_.blame(node, oversized ? PeerFault::oversized : PeerFault::malformed,
                   PeerConduct::Clock::now());
    ++counters_.malformed;
    return;
  }
  const auto& taps = nodes_[node.value].taps;
  for (const auto& frame : *frames) {
    if (frame.port.value >= taps.size()) {
      ++counters_.malformed;
      continue;
    }
    const bool taken = ::write(taps[frame.port.value], frame.bytes.data(), frame.bytes.size()) >= 0;
    ++(taken ? counters_.punted : counters_.punt_refused);
  }
}

void SlowPath::send_injected(const Node& node) {
  std::array<char, cluster::kMaxFrameBytes> frame;
  std::string batch;
  std::uint64_t frames = 0;
  const auto send = [&] {
    if (frames == 0) return;
    (channel_.send(node.name, batch) ? counters_.injected : counters_.inject_lost) += frames;
    batch.clear();
    frames = 0;
  };
  for (std::uint16_t port = 0; port < node.taps.size(); ++port) {
    for (int i = 0; i < kFramesPerBatch; ++i) {
      const auto size = ::read(node.taps[port], frame.data(), frame.size());
      if (size < 14) break;
      if (!cluster::has_room(batch)) send();
      cluster::append_frame(
          batch, {.port = PortId{port}, .bytes = {frame.data(), static_cast<std::size_t>(size)}});
      ++frames;
    }
  }
  send();
}

}  // namespace rackway::control
