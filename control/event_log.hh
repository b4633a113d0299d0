// SPDX-License-Identifier: Apache-2.0
// The last events: of the fabric, as the nodes saw them, and the controller's own. A status message
// repeats a node's latest events, so that a lost one loses none; each is taken once, by the node's
// boot id and the event's number. Told to the log as they come. One thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "cluster/messages.hh"
#include "topo/cluster_document.hh"

namespace rackway::control {

class EventLog {
 public:
  using Clock = std::chrono::steady_clock;

  struct Entry {
    NodeId observer;
    cluster::FabricEvent event;
    Clock::time_point at;
    std::string own{};  // the controller's: what happened; there is no observer then
  };

  explicit EventLog(const topo::ClusterDocument& document)
      : document_(document), seen_(document.nodes.size()) {}

  // boot_id: of the run of the node that sent the status.
  void take(NodeId observer, std::uint64_t boot_id, const cluster::Status& status,
            Clock::time_point now);

  // Something that the controller saw itself.
  enum class Grave : std::uint8_t { no, yes };
  void note(Grave grave, const std::string& what, Clock::time_point now);

  // The oldest first; at most kEntries.
  [[nodiscard]] const std::deque<Entry>& entries() const { return entries_; }
  [[nodiscard]] std::uint64_t count(cluster::FabricEventKind kind) const {
    return counts_[static_cast<std::size_t>(kind)];
  }
  // Events that came to nobody's notice: more happened than a status repeats.
  [[nodiscard]] std::uint64_t missed() const { return missed_; }

  static constexpr std::size_t kEntries = 1024;

 private:
  struct Seen {
    std::uint64_t boot_id{};
    std::uint64_t next{};  // number of the first event not taken
  };

  void keep(Entry entry);
  void add(NodeId observer, const cluster::FabricEvent& event, Clock::time_point now);
  [[nodiscard]] std::string name_of(NodeId node) const;

  const topo::ClusterDocument& document_;
  std::vector<Seen> seen_;  // by observer
  std::deque<Entry> entries_;
  std::array<std::uint64_t, cluster::kFabricEventKinds> counts_{};
  std::uint64_t missed_ = 0;
  std::uint64_t own_ = 0;
};

}  // namespace rackway::control
