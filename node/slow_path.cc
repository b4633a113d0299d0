// SPDX-License-Identifier: Apache-2.0
#include "node/slow_path.hh"

#include <rte_mbuf.h>

#include <algorithm>
#include <cstring>

#include "base/log.hh"
#include "cluster/channel_poll.hh"
#include "cluster/control_channel.hh"
#include "cluster/messages.hh"

namespace rackway::node {
namespace {

constexpr unsigned kBatch = 64;
constexpr int kTickMs = 200;

void append(std::string& batch, rte_mbuf* frame) {
  std::string chained;
  std::string_view bytes(rte_pktmbuf_mtod(frame, const char*), frame->data_len);
  if (frame->nb_segs > 1) {
    chained.resize(frame->pkt_len);
    bytes = {static_cast<const char*>(rte_pktmbuf_read(frame, 0, frame->pkt_len, chained.data())),
             frame->pkt_len};
  }
  cluster::append_frame(batch, {.port = PortId{frame->port},
                                .punt_class = static_cast<cluster::PuntClass>(frame->hash.usr),
                                .bytes = bytes});
}

// One message of at most kBatch frames; false when there were none.
bool send_punted(const Lcore& core, cluster::NodeEnd& channel) {
  std::array<rte_mbuf*, kBatch> frames;
  const unsigned count = rte_ring_sc_dequeue_burst(
      core.punt_queue, reinterpret_cast<void**>(frames.data()), kBatch, nullptr);
  if (count == 0) return false;
  std::string batch;
  for (unsigned i = 0; i < count; ++i) append(batch, frames[i]);
  rte_pktmbuf_free_bulk(frames.data(), count);
  // Without a controller the frames go nowhere, as they would on a router whose CPU is busy.
  if (!channel.send(batch)) log::debug("{} punted frames did not reach the controller", count);
  return true;
}

// Every core takes its turn, so that a flood at one does not hold up what the others punt.
bool send_punted(const Shared& shared, cluster::NodeEnd& channel) {
  bool any = false;
  for (const auto& core : shared.lcores) any |= send_punted(*core, channel);
  return any;
}

bool nothing_punted(const Shared& shared) {
  return std::ranges::all_of(
      shared.lcores, [](const auto& core) { return rte_ring_empty(core->punt_queue) != 0; });
}

void inject(const Shared& shared, const cluster::PacketFrame& frame, rte_mempool* pool) {
  rte_mbuf* buffer = rte_pktmbuf_alloc(pool);
  if (buffer == nullptr) return;
  char* room = rte_pktmbuf_append(buffer, static_cast<std::uint16_t>(frame.bytes.size()));
  if (room == nullptr) {  // longer than a buffer
    rte_pktmbuf_free(buffer);
    return;
  }
  std::memcpy(room, frame.bytes.data(), frame.bytes.size());
  buffer->port = frame.port.value;
  Lcore& core = shared.injector_of(frame.port);
  if (rte_ring_sp_enqueue(core.inject_queue, buffer) != 0) return rte_pktmbuf_free(buffer);
  core.wake.notify();
}

void take_injected(const Shared& shared, cluster::NodeEnd& channel, rte_mempool* pool) {
  while (const auto batch = channel.receive()) {
    const auto frames = cluster::split_frames(*batch);
    if (!frames) {
      log::error("from the controller: {}", frames.error().message);
      continue;
    }
    for (const auto& frame : *frames) inject(shared, frame, pool);
  }
}

}  // namespace

void run_slow_path(Shared& shared, const PacketChannel& to, rte_mempool* pool) {
  cluster::NodeEnd channel(to.endpoint, to.node, cluster::kPackets, to.keys);
  cluster::ChannelPoll poll;
  poll.add_channel(channel.handle());
  const auto wake = poll.add_fd(shared.slow_path_wake.fd());
  while (!shared.stop.load(std::memory_order_relaxed)) {
    shared.slow_path_wake.about_to_sleep();
    const bool sleeps = nothing_punted(shared);
    if (sleeps) poll.wait(kTickMs);
    shared.slow_path_wake.awake(sleeps && poll.ready(wake));
    while (send_punted(shared, channel)) {
    }
    take_injected(shared, channel, pool);
  }
}

}  // namespace rackway::node
