// SPDX-License-Identifier: Apache-2.0
// Keeps the node's view of the fabric: sends hellos on every fabric link, takes in those that come,
// looks at carriers, and lets time pass for vlb::Liveness. Runs on the forwarding core, between
// bursts, so that a hello says that frames are really forwarded; that core owns it. With several
// cores it is the first; others hand over the hellos that come to them. The agent says
// whether the node is ready, and reads reports; both may be called while the core runs.
#pragma once

#include <rte_mempool.h>
#include <rte_ring.h>

#include <atomic>
#include <optional>
#include <span>

#include "cluster/drop_reason.hh"
#include "node/fabric_report.hh"
#include "node/latest_value.hh"
#include "node/place.hh"
#include "topo/fabric_table.hh"
#include "vlb/link_load.hh"
#include "vlb/liveness.hh"

namespace rackway::node {

class FabricWatch {
 public:
  // link_rates: bits/s by local link; 0 or none: unknown. pool: of the hello frames.
  FabricWatch(Places& places, const topo::FabricTable& table, NodeId self, std::uint64_t boot_id,
              vlb::HelloTiming timing, std::span<const double> link_rates, rte_mempool& pool);

  // ---- of the core

  // Other shortest paths, over the same links.
  void set_table(const topo::FabricTable& table, vlb::Time now) { liveness_.set_table(table, now); }

  // The node wants to relay nothing, and says so.
  void set_draining(bool draining) noexcept { liveness_.set_draining(draining); }

  // A frame of kind hello came by the link. Why it is to be dropped; nothing if it was taken in.
  [[nodiscard]] std::optional<cluster::DropReason> take(std::size_t link,
                                                        std::span<const std::uint8_t> frame,
                                                        vlb::Time now) noexcept;
  // Hellos that came to other cores: frames whose port is the link's device.
  void take_from_others(rte_ring* queue, vlb::Time now) noexcept;
  // After the frames of every round of polls; most times it has nothing to do.
  void advance(vlb::Time now) noexcept;
  // Microseconds that the core may sleep so that the next hello leaves in time.
  [[nodiscard]] std::uint32_t until_next_hello(vlb::Time now) const noexcept {
    return liveness_.until_next_hello(now);
  }
  [[nodiscard]] const vlb::FabricView& view() const noexcept { return liveness_.view(); }
  // Another one when who is alive, ready or draining in the view has changed.
  [[nodiscard]] std::uint64_t version() const noexcept { return liveness_.version(); }
  // Nothing to speak of leaves by any link.
  [[nodiscard]] bool idle() const noexcept;

  // ---- of the agent

  // The node has a FIB. Relaxed: the core says so in its next hello.
  void set_ready(bool ready) noexcept { ready_.store(ready, std::memory_order_relaxed); }
  // Empty before the first one. Valid until the next call.
  [[nodiscard]] const FabricReport& report() noexcept;

 private:
  void look_at_carriers(vlb::Time now) noexcept;
  void measure_loads(vlb::Time now) noexcept;
  void send_hellos(vlb::Time now) noexcept;
  [[nodiscard]] bool send_hello(std::size_t link, vlb::Time now) noexcept;
  void note_events() noexcept;
  void publish(vlb::Time now) noexcept;

  Places& places_;
  vlb::Liveness liveness_;
  rte_mempool& pool_;
  std::atomic<bool> ready_{false};
  bool advanced_ = false;
  vlb::Time advanced_at_ = 0;  // if advanced_
  vlb::Time looked_at_ = 0;    // at the carriers
  std::vector<vlb::LinkLoad> loads_;
  vlb::Time measured_at_ = 0;
  vlb::Time published_at_ = 0;
  std::uint64_t published_version_ = 0;
  std::uint64_t events_so_far_ = 0;
  std::array<vlb::LivenessEvent, FabricReport::kEvents> events_{};
  FabricReport draft_;
  LatestValue<FabricReport> reports_;  // core -> agent
  FabricReport first_report_;
  const FabricReport* latest_report_ = &first_report_;  // the agent's
};

}  // namespace rackway::node
