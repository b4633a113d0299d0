// SPDX-License-Identifier: Apache-2.0
// Asks the nodes, now and then, what they really forward by: lookups by the structures that their
// cores read, and the digest of their records from scratch; docs/control_plane.md. Whoever differs
// is left behind and gets a snapshot. Only an answer to the last question counts, and only of the
// epoch that was asked about: who is late, or had another epoch by then, is not accused. One
// thread; time and sending are given from outside.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "cluster/messages.hh"
#include "control/audit_check.hh"
#include "control/audit_questions.hh"
#include "control/epoch_coordinator.hh"
#include "control/event_log.hh"

namespace rackway::control {

class NodeAudit {
 public:
  using Clock = AuditCheck::Clock;
  using Send = std::function<bool(NodeId, const cluster::Message&)>;

  // The coordinator and the events must outlive this. seed: of the choice of questions.
  NodeAudit(std::vector<std::string> node_names, EpochCoordinator& coordinator, EventLog& events,
            Send send, std::uint64_t seed);

  // One question to all nodes that are in sync. Requires that the coordinator is ready().
  void ask(Clock::time_point now);
  void on(NodeId node, const cluster::AuditAnswer& answer, Clock::time_point now);

  [[nodiscard]] const AuditCheck& check(NodeId node) const { return peers_[node.value].check; }

 private:
  struct Peer {
    AuditCheck check;
    bool is_asked{};  // the present question, and has not answered
  };

  void accuse(NodeId node, const std::string& what, Clock::time_point now);

  std::vector<std::string> names_;
  EpochCoordinator& coordinator_;
  EventLog& events_;
  Send send_;
  std::mt19937_64 random_;
  AuditQuestions questions_;
  std::optional<IpPrefix> sweep_;
  std::vector<Peer> peers_;  // by node
};

}  // namespace rackway::control
