// SPDX-License-Identifier: Apache-2.0
// The periodic audit: kernel = RIB = every node, whatever events and digests say. Begins every so
// often and goes on in small parts, as the controller's loop calls it; docs/control_plane.md says
// what each part compares. One thread.
#pragma once

#include <chrono>
#include <optional>
#include <utility>

#include "control/content_audit.hh"
#include "control/node_audit.hh"

namespace rackway::control {

class Audit {
 public:
  using Clock = AuditCheck::Clock;

  // every: 0 is never. The others must outlive this.
  Audit(std::chrono::seconds every, ContentAudit content, NodeAudit nodes,
        EpochCoordinator& coordinator)
      : every_(every),
        content_(std::move(content)),
        nodes_(std::move(nodes)),
        coordinator_(coordinator) {}

  // After what has changed was proposed.
  void tick(Clock::time_point now) {
    if (every_ == every_.zero() || coordinator_.recovering()) return;
    if (!next_) next_ = now + every_;
    if (now >= *next_ && coordinator_.ready()) {
      next_ = now + every_;
      content_.begin(now);
      nodes_.ask(now);
    }
    content_.step(now);
  }
  void on(NodeId node, const cluster::AuditAnswer& answer, Clock::time_point now) {
    nodes_.on(node, answer, now);
  }

  [[nodiscard]] const ContentAudit& content() const { return content_; }
  [[nodiscard]] const NodeAudit& nodes() const { return nodes_; }

 private:
  const std::chrono::seconds every_;
  ContentAudit content_;
  NodeAudit nodes_;
  EpochCoordinator& coordinator_;
  std::optional<Clock::time_point> next_;
};

}  // namespace rackway::control
